#!/usr/bin/env python3
"""incline.py: draws the two blocks of scenes/incline.yaml against theory, as SVG, after figure 4 of
Guendelman, Bridson and Fedkiw 2003.

usage: python3 docs/incline.py CAIRN >docs/incline.svg
"""
import json
import math
import subprocess
import sys

G = 9.81
TICKS = 96
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 360, 56, 44, 18
BLOCKS = (  # name, angle, friction, speed at first, colour
    ("faster", 30.0, 0.3, 0.0, "#4e79a7"),
    ("slower", 15.0, 0.5, 3.0, "#f28e2b"),
)


def theory(angle, friction, speed, time):
    slope = math.radians(angle)
    a = G * (math.sin(slope) - friction * math.cos(slope))
    end = -speed / a if a < 0.0 else math.inf
    time = min(time, end)
    return speed * time + a * time * time / 2.0


def travel(samples, name):
    """How far the body came along its slope: (time, metres) of each sample."""
    places = []
    for sample in samples:
        body = next(b for b in sample["bodies"] if b["name"] == name)
        places.append((sample["time"], body["position"]["x"], body["position"]["y"]))
    _, x, y = places[0]
    return [(t, math.hypot(px - x, py - y)) for t, px, py in places]


def main():
    run = [sys.argv[1], "run", "scenes/incline.yaml", "--ticks", str(TICKS)]
    text = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    samples = [json.loads(line) for line in text.splitlines()]
    end = samples[-1]["time"]
    top = max(theory(*block[1:4], end) for block in BLOCKS) * 1.05

    def place(t, s):
        return (LEFT + (WIDTH - LEFT - 16) * t / end,
                HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * s / top)

    def path(points):
        return "M" + "L".join("%.1f %.1f" % place(*point) for point in points)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
           'font-family="sans-serif" font-size="13">' % (WIDTH, HEIGHT),
           '<rect width="100%" height="100%" fill="white"/>']
    for k in range(int(top) + 1):
        x, y = place(0.0, k)
        out.append('<path d="M%.1f %.1fH%d" stroke="#e4e7eb"/>' % (x, y, WIDTH - 16))
        out.append('<text x="%.1f" y="%.1f" text-anchor="end" fill="#57606a">%d m</text>'
                   % (x - 8, y + 4, k))
    for k in range(int(2.0 * end) + 1):
        x, y = place(k / 2.0, 0.0)
        out.append('<text x="%.1f" y="%.1f" text-anchor="middle" fill="#57606a">%g s</text>'
                   % (x, y + 18, k / 2.0))
    worst = 0.0
    for index, (name, angle, friction, speed, color) in enumerate(BLOCKS):
        line = [(end * k / 200.0, theory(angle, friction, speed, end * k / 200.0))
                for k in range(201)]
        out.append('<path d="%s" fill="none" stroke="%s" stroke-width="2"/>' % (path(line), color))
        for t, s in travel(samples, name)[::4]:
            worst = max(worst, abs(s - theory(angle, friction, speed, t)))
            out.append('<circle cx="%.1f" cy="%.1f" r="3.5" fill="white" stroke="%s" '
                       'stroke-width="1.5"/>' % (*place(t, s), color))
        out.append('<text x="%d" y="%d" fill="%s">%g\N{DEGREE SIGN}, friction %g, at first %g m/s'
                   '</text>' % (LEFT + 14, TOP + 14 + 20 * index, color, angle, friction, speed))
    out.append('<text x="%d" y="%d" fill="#57606a">lines: theory; circles: the stepper propagation,'
               ' 60 ticks a second; at most %.0f mm apart</text>'
               % (LEFT + 14, TOP + 14 + 20 * len(BLOCKS), 1000.0 * worst))
    out.append("</svg>")
    print("\n".join(out))


main()
