"""Variants of frictional contact at velocity level: bodies whose motion has a closed form."""
import math

from base import rnd, pick, RANDOM


def entry(name, bodies, contacts, after):
    return dict(id=name, bodies=bodies, contacts=contacts, v_after=after, v_after_unique=True,
                v_after_tol=1e-8)


def normalised(n):
    size = math.sqrt(sum(x * x for x in n))
    return [x / size for x in n]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def problems():
    for i in range(10):  # a block on four corners, so low that it stays flat
        m, half, height = pick(0.2, 5), rnd(0.3, 1), rnd(0.02, 0.1)
        mu, down, angle, speed = rnd(0.05, 0.8), rnd(0.05, 1), rnd(0, 6.28), rnd(0, 2)
        moment = m * rnd(0.1, 0.4)
        v = [speed * math.cos(angle), speed * math.sin(angle), -down]
        left = max(0.0, 1 - mu * down / speed)
        contacts = [dict(a=0, b=-1, p=[x * half, y * half, 0], n=[0, 0, 1], mu=mu)
                    for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        if min(mu * down, speed) * height > 0.5 * down * half:
            continue
        body = dict(m=m, I=[moment, moment, 2 * moment], x=[0, 0, height], v_free=v + [0, 0, 0])
        yield entry("FC-block-v%d" % i, [body], contacts, [v[0] * left, v[1] * left, 0, 0, 0, 0])
    for i in range(12):  # a ball on a slope of any direction: sticks or slides, or parts
        m, R, mu = pick(0.2, 5), rnd(0.1, 1), rnd(0.05, 1)
        n = normalised([rnd(-0.7, 0.7), rnd(-0.7, 0.7), 1.0])
        v, w = [rnd(-2, 2) for _ in range(3)], [rnd(-4, 4) for _ in range(3)]
        moment = 0.4 * m * R * R
        r = [-R * x for x in n]
        u = [a + b for a, b in zip(v, cross(w, r))]
        un = sum(a * b for a, b in zip(u, n))
        j = [0.0] * 3
        if un < 0:
            ut = [a - un * b for a, b in zip(u, n)]
            size = math.sqrt(sum(x * x for x in ut))
            across = min(size / (1 / m + R * R / moment), mu * -un * m)
            j = [-m * un * b - across * a / size for a, b in zip(ut, n)]
        turn = [x / moment for x in cross(r, j)]
        after = [a + b / m for a, b in zip(v, j)] + [a + b for a, b in zip(w, turn)]
        body = dict(m=m, I=[moment] * 3, x=[0, 0, R], v_free=v + w)
        contact = dict(a=0, b=-1, p=[a + b for a, b in zip([0, 0, R], r)], n=n, mu=mu)
        yield entry("FC-ball-v%d" % i, [body], [contact], after)
