#!/usr/bin/env python3
"""watched.py: the cost of watched worlds for their daemon and its disk: 1, 100 and 1,000 worlds.

usage: tests/bench/watched.py CAIRND CAIRN_LOAD [--beside OTHER_CAIRND] [--worlds LIST]
                              [--seconds S] [--rounds N] [--push] [--port P]

Each world has 55 boxes and one client, which watches, or with --push sends inputs.  With --beside
another daemon is measured in turn in the same run, and the ratios of medians are printed.

    commits      of the journal, a second
    bytes        that the daemon writes to the disk, per tick of a world
    us a tick    processor time of the whole daemon
    a tick       p99 of the computing time of a tick
    late         p99 of the time from when a tick is due until it is done
    commit       mean time of one

Quantiles are the upper bounds of the buckets in which they lie.
"""
import argparse
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from worlds import WORLDS_MAX, Daemon, counted, quantile, scene

NAMES = ("commits", "bytes", "us a tick", "a tick [ms]", "late [ms]", "commit [ms]")


def total(text, name):
    """The value; 0 when the daemon has no such metric."""
    found = re.search(rf"^{name} ([0-9.e+-]+)$", text, re.M)
    return float(found[1]) if found else 0.0


def written_bytes(daemon):
    with open(f"/proc/{daemon.process.pid}/io", encoding="ascii") as file:
        return int(re.search(r"^write_bytes: (\d+)$", file.read(), re.M)[1])


def measure(program, load, count, seconds, port, push):
    with tempfile.TemporaryDirectory() as folder:
        one = scene(False)
        daemon = Daemon(program, port, folder, one, keep_running=False)
        bots = None
        try:
            daemon.wait()
            for i in range(1, count):
                daemon.make(f"tiny-{i}", one)
            script = "push=100" if push else "idle=100"
            bots = subprocess.Popen(
                [load, "--server", f"127.0.0.1:{port}", "--bots", str(count),
                 "--script", script, "--ramp", "2", "--duration", str(2 * seconds + 120)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until = time.monotonic() + 60
            while total(daemon.get("/metrics"), "cairn_clients") < count:
                if time.monotonic() > until or bots.poll() is not None:
                    sys.exit("watched.py: the clients did not come")
                time.sleep(0.2)
            time.sleep(seconds)
            first, written = daemon.look(), written_bytes(daemon)
            time.sleep(seconds)
            last, written = daemon.look(), written_bytes(daemon) - written
        finally:
            if bots is not None:
                bots.terminate()
                bots.wait(30)
            daemon.stop()
    before, after = first[3], last[3]
    ticks = max(1, counted(before, after, "cairn_ticks_total"))
    commits = total(after, "cairn_commit_duration_seconds_count") - \
        total(before, "cairn_commit_duration_seconds_count")
    spent = total(after, "cairn_commit_duration_seconds_sum") - \
        total(before, "cairn_commit_duration_seconds_sum")
    return (commits / (last[1] - first[1]),
            written / ticks,
            1e6 * (last[2] - first[2]) / ticks,
            1e3 * quantile(before, after, "cairn_tick_duration_seconds", 0.99),
            1e3 * quantile(before, after, "cairn_tick_delay_seconds", 0.99),
            1e3 * spent / max(1, commits))


def show(title, row):
    print(f"{title:14}" + "".join(f"{value:12.3f}" for value in row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cairnd")
    parser.add_argument("load", metavar="cairn_load")
    parser.add_argument("--beside")
    parser.add_argument("--worlds", default="1,100,1000")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--push", action="store_true")
    parser.add_argument("--port", type=int, default=7987)
    arguments = parser.parse_args()
    counts = [int(text) for text in arguments.worlds.split(",")]
    if not all(1 <= count <= WORLDS_MAX for count in counts):
        parser.error(f"1 to {WORLDS_MAX} worlds")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    programs = [arguments.cairnd] + ([arguments.beside] if arguments.beside else [])
    print(f"{'worlds':14}" + "".join(f"{name:>12}" for name in NAMES))
    for count in counts:
        rows = [[] for _ in programs]
        for _ in range(arguments.rounds):
            for program, of in zip(programs, rows):
                of.append(measure(program, arguments.load, count, arguments.seconds,
                                  arguments.port, arguments.push))
        medians = [[statistics.median(column) for column in zip(*of)] for of in rows]
        show(f"{count}", medians[0])
        if arguments.beside:
            show("  beside", medians[1])
            show("  ratio", [a / b if b else 0.0 for a, b in zip(*medians)])


if __name__ == "__main__":
    main()
