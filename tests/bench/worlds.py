#!/usr/bin/env python3
"""worlds.py: how many small worlds one worker of a real daemon keeps at 60 Hz.

usage: tests/bench/worlds.py CAIRND [--worlds N] [--sleep] [--seconds S] [--port P]

Starts CAIRND on loopback with one worker and a new data folder, makes N (500) planar worlds of 55
boxes in a pyramid, waits S (10) seconds until they are at rest and measures for S seconds.  It
prints

    real time    ticks done divided by ticks due, of all worlds together; and ticks by which the
                 clocks of worlds were set back
    cores        processor time of the whole daemon a second, its network thread included
    us a tick    processor time per tick, which depends less on other work of the machine
    a tick       p50 and p99 of the computing time of a tick
    delay        p50 and p99 from when a tick is due until it is done, at 60 Hz 16.7 ms at most

The status of a world that nobody watches is up to a second old, so it is not used.
Quantiles are the upper bounds of the buckets in which they lie.  With --sleep worlds may sleep.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

WORLDS_MAX = 4096
ROWS = 10


def scene(sleep):
    box = {"size": {"x": 1, "y": 1}}
    bodies = [{"type": "STATIC", "shapes": [
        {"box": {"size": {"x": 40, "y": 1}}, "position": {"y": -0.5}}]}]
    for row in range(ROWS):
        for k in range(ROWS - row):
            bodies.append({"position": {"x": k - 0.5 * (ROWS - 1 - row), "y": 0.5 + row},
                           "shapes": [{"box": box, "density": 1}]})
    return {"name": "tiny", "world": {"stepper": "time", "solver": "impulse", "sleep": sleep},
            "materials": [{"name": "all", "friction": 0.6}], "bodies": bodies}


class Daemon:
    def __init__(self, program, port, folder, first, keep_running=True, workers=1):
        self.base = f"http://127.0.0.1:{port}"
        scene_file = os.path.join(folder, "tiny.yaml")  # else it would host all bundled scenes
        with open(scene_file, "w", encoding="utf-8") as file:
            json.dump(first, file)
        self.log = open(os.path.join(folder, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [program, "--listen", f"127.0.0.1:{port}", "--data", folder, "--workers", str(workers),
             "--worlds-max", str(WORLDS_MAX), "--load-max", "100", "--scene", scene_file] +
            (["--keep-running"] if keep_running else []),
            stdout=subprocess.DEVNULL, stderr=self.log)

    def get(self, path):
        with urllib.request.urlopen(self.base + path, timeout=60) as answer:
            return answer.read().decode()

    def make(self, name, what):
        request = urllib.request.Request(
            self.base + "/v1/worlds", json.dumps({"id": name, "scene": what}).encode(),
            {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=60).read()

    def wait(self):
        for _ in range(100):
            try:
                return self.get("/metrics")
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.log.seek(0)
        sys.exit(f"worlds.py: the daemon does not answer\n{self.log.read()}")

    def processor_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            field = stat.read().rsplit(")", 1)[1].split()
        return (int(field[11]) + int(field[12])) / os.sysconf("SC_CLK_TCK")

    def look(self):
        """The number of worlds, wall time and processor time, metrics."""
        count = len(json.loads(self.get("/v1/worlds"))["worlds"])
        return count, time.monotonic(), self.processor_s(), self.get("/metrics")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


def buckets(text, name):
    return [(float(bound), int(count)) for bound, count in
            re.findall(rf'^{name}_bucket{{le="([^"]+)"}} (\d+)$', text, re.M)]


def counted(before, after, name):
    then, now = (int(re.search(rf"^{name} (\d+)$", text, re.M)[1]) for text in (before, after))
    return now - then


def quantile(before, after, name, part):
    """The bound [s] of the bucket with that quantile of the values between the two readings."""
    counts = [(bound, now - then) for (bound, now), (_, then) in
              zip(buckets(after, name), buckets(before, name))]
    return next(bound for bound, count in counts if count >= part * counts[-1][1])


def report(arguments, first, last):
    seconds = last[1] - first[1]
    count = last[0]
    ticks, lost = (counted(first[3], last[3], f"cairn_ticks_{what}total") for what in ("", "late_"))
    processor = last[2] - first[2]
    kind = "that may sleep" if arguments.sleep else "awake"
    print(f"{count} worlds {kind}, {seconds:.1f} s")
    print(f"real time    {ticks / (60 * seconds * count):.3f}  lost {lost} of {ticks + lost}")
    print(f"cores        {processor / seconds:.2f}")
    print(f"us a tick    {1e6 * processor / max(1, ticks):.1f}")
    for title, name in (("a tick", "cairn_tick_duration_seconds"),
                        ("delay", "cairn_tick_delay_seconds")):
        p50, p99 = (1e3 * quantile(first[3], last[3], name, part) for part in (0.5, 0.99))
        print(f"{title:12} p50 {p50:.3f} ms  p99 {p99:.3f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cairnd")
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--sleep", action="store_true")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--port", type=int, default=7985)
    arguments = parser.parse_args()
    if not 1 <= arguments.worlds <= WORLDS_MAX or not 1 <= arguments.seconds <= 600:
        parser.error(f"1 to {WORLDS_MAX} worlds, 1 to 600 seconds")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the daemon is stopped, too
    with tempfile.TemporaryDirectory() as folder:
        one = scene(arguments.sleep)
        daemon = Daemon(arguments.cairnd, arguments.port, folder, one)
        try:
            daemon.wait()
            for i in range(1, arguments.worlds):
                daemon.make(f"tiny-{i}", one)
            time.sleep(arguments.seconds)
            first = daemon.look()
            time.sleep(arguments.seconds)
            report(arguments, first, daemon.look())
        finally:
            daemon.stop()


if __name__ == "__main__":
    main()
