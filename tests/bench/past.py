#!/usr/bin/env python3
"""past.py: the cost of the past of a world of 100 bodies: time of a seek, bytes, threads.

usage: tests/bench/past.py CAIRND [--seconds S] [--seeks N] [--worlds N] [--load KIND] [--history S]

Starts CAIRND on loopback with one worker and a new data folder, makes N (1) worlds of 100 boxes in a
heap, and lets them run for S (75) seconds.  KIND is the load meanwhile:

    rest      none, and the bodies may sleep
    awake     none, and the bodies may not sleep
    hands     awake, and two hands in each drag a body: an input of each at every other tick
    storm     awake, and sixteen hands in each drag one

It prints

    threads      share of a core of each thread of the daemon, from 10 s on
    folder       bytes a second, from the middle to the end, and the bytes of an hour at that rate:
                 files of checkpoints, and the journal without its reserve
    seek         to N (300) random ticks of the last minute of the first world, in a paused replay,
                 one after the other: p50, p99 and the longest time from the Seek to the first
                 picture of its tick, the part of it until the Joined, and its bytes
    processor    time of the whole daemon per seek, less its time without seeks

On a machine that is busy with other work the times of seeks grow, the processor time less so.
"""
import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e", "protocol"))
ROWS, COLUMNS = 10, 10
HANDS_OF_ONE = 4  # at most this many: the slots that a session may have
PEOPLE = {"rest": (0, 0), "awake": (0, 0), "hands": (1, 2), "storm": (4, HANDS_OF_ONE)}
MINUTE_TICKS = 3600
INPUTS = [0]  # the number of inputs that were sent


def scene(load):
    box = {"size": {"x": 1, "y": 1}}
    bodies = [{"type": "STATIC", "shapes": [
        {"box": {"size": {"x": 60, "y": 1}}, "position": {"y": -0.5}}]}]
    for row in range(ROWS):
        for k in range(COLUMNS):
            bodies.append({"position": {"x": 1.2 * k - 6 + 0.3 * (row % 3), "y": 0.6 + 1.2 * row},
                           "shapes": [{"box": box, "density": 1}]})
    return {"name": "heap", "world": {"stepper": "time", "solver": "impulse",
                                      "sleep": load == "rest"},
            "materials": [{"name": "all", "friction": 0.6}], "bodies": bodies}


class Watched:
    """The daemon as the system shows it: its threads, its folder."""

    def __init__(self, daemon):
        self.process, self.data = daemon.process.pid, os.path.join(daemon.folder.name, "data")

    def threads(self):
        """{name: seconds of processor time}"""
        spent = {}
        tasks = f"/proc/{self.process}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/stat", encoding="ascii") as file:
                name, rest = re.match(r"\d+ \((.*)\) (.*)", file.read()).groups()
            field = rest.split()
            with open(f"{tasks}/{task}/schedstat", encoding="ascii") as file:
                run_ns = int(file.read().split()[0])
            name = name if name != "cairnd" or int(task) == self.process else "pool"
            spent[name] = spent.get(name, 0) + (run_ns * 1e-9 or sum(map(int, field[11:13])) / 100)
        return spent

    def processor_s(self):
        return sum(self.threads().values())

    def folder(self):
        """Bytes of (files of checkpoints, their number, the journal)."""
        sizes = {name: os.path.getsize(os.path.join(self.data, name))
                 for name in os.listdir(self.data)}
        files = [size for name, size in sizes.items() if name.endswith(".ckpt")]
        return sum(files), len(files), sizes.get("journal.db", 0)


async def push(daemon, world, number, count):
    """A session with this many hands in the world; it reads one tick a second."""
    from cairn.v1 import scene_pb2, wire_pb2
    from daemon import Client
    chance = random.Random(number)
    client = await Client(daemon, f"hands{number}").open(
        ping_interval=None)  # a busy machine does not answer in time
    await client.hello()
    await client.send(subscribe=wire_pb2.Subscribe(rate=1))
    await client.join(world)

    async def read():
        while True:
            await client.socket.recv()

    reading, due_s = asyncio.create_task(read()), time.monotonic()
    try:
        while not reading.done():
            for slot in range(count):
                target = scene_pb2.Vec3(x=chance.uniform(-6, 6), y=chance.uniform(0, 9))
                await client.input(slot=slot, drag=wire_pb2.Input.Drag(
                    body=1 + HANDS_OF_ONE * number + slot, target=target, stiffness=40.0,
                    damping=8.0))
                INPUTS[0] += 1
            due_s += 1 / 30
            await asyncio.sleep(max(0, due_s - time.monotonic()))
        raise RuntimeError(f"its connection has ended: {client.socket.close_code}")
    finally:
        reading.cancel()


async def seek_all(daemon, watched, world, count):
    from cairn.v1 import wire_pb2
    from daemon import Client
    client = await Client(daemon, "who seeks").open()
    await client.hello()
    newest = int(daemon.request("GET", f"/v1/worlds/{world}/timeline")[2]["tick"])
    await client.send(fork=wire_pb2.Fork(request=1, world=world, tick=newest, replay=True,
                                         speed=0.0))
    replay = (await client.receive("forked")).world
    await client.join(replay)
    await client.receive("snapshot")
    chance, pictures, joins, sizes = random.Random(1), [], [], []
    idle_s, idle = time.monotonic(), watched.processor_s()
    await asyncio.sleep(5)
    idle = (watched.processor_s() - idle) / (time.monotonic() - idle_s)
    began_s, began = time.monotonic(), watched.processor_s()
    for number in range(count):
        tick = chance.randrange(max(0, newest - MINUTE_TICKS), newest)
        client.kept.clear()
        start = time.monotonic()
        await client.send(seek=wire_pb2.Seek(request=2 + number, tick=tick))
        joined = await client.receive("joined")
        joins.append(time.monotonic() - start)
        sizes.append(joined.ByteSize())
        await client.receive("snapshot", lambda snapshot: snapshot.tick == tick)
        pictures.append(time.monotonic() - start)
        await asyncio.sleep(0.05)
    passed = time.monotonic() - began_s
    spent = watched.processor_s() - began - idle * passed
    return pictures, joins, sizes, spent / count


def print_threads(first, last, seconds):
    for name in sorted(last):
        share = (last[name] - first.get(name, 0)) / seconds
        print(f"threads      {name:10} {100 * share:.2f} %")


def print_folder(middle, last, seconds, left):
    for title, then, now in (("checkpoints", middle[0], last[0]), ("journal", middle[2], last[2])):
        rate = (now - then) / seconds
        print(f"folder       {title:12} {now / 1e6:.2f} MB, {rate:.0f} B/s, "
              f"an hour {(now + rate * left) / 1e6:.1f} MB")


def print_seeks(pictures, joins, sizes, processor):
    pictures, joins = sorted(pictures), sorted(joins)
    at = [min(len(pictures) - 1, int(part * len(pictures))) for part in (0.5, 0.99, 1)]
    for title, times in (("seek", pictures), ("joined", joins)):
        p50, p99, most = (1e3 * times[i] for i in at)
        print(f"{title:12} p50 {p50:.1f} ms  p99 {p99:.1f} ms  at most {most:.1f} ms")
    print(f"processor    {1e3 * processor:.1f} ms a seek; a Joined {statistics.median(sizes):.0f} B")


async def measure(arguments, daemon):
    watched, worlds = Watched(daemon), ["heap"]
    for i in range(1, arguments.worlds):
        worlds.append(f"heap-{i}")
        status, _, answer = daemon.request(
            "POST", "/v1/worlds", {"id": worlds[-1], "scene": scene(arguments.load)})
        assert status == 201, answer
    people, each = PEOPLE[arguments.load]
    hands = [asyncio.create_task(push(daemon, world, i, each))
             for world in worlds for i in range(people)]
    for hand in hands:  # a hand that stops would make the world look cheap
        hand.add_done_callback(lambda task: task.cancelled() or sys.exit(f"a hand: {task.exception()}"))
    await asyncio.sleep(10)
    first, first_s = watched.threads(), time.monotonic()
    await asyncio.sleep(arguments.seconds / 2 - 10)
    middle, middle_s = watched.folder(), time.monotonic()
    await asyncio.sleep(arguments.seconds / 2)
    last, end_s = watched.threads(), time.monotonic()
    print(f"{arguments.worlds} worlds, {arguments.load}, {arguments.seconds} s; "
          f"{INPUTS[0] / (end_s - first_s + 10):.0f} inputs a second; "
          f"load of the machine {os.getloadavg()[0]:.1f}")
    print_threads(first, last, end_s - first_s)
    print_folder(middle, watched.folder(), end_s - middle_s, 3600 - arguments.seconds)
    if arguments.seeks > 0:
        print_seeks(*await seek_all(daemon, watched, "heap", arguments.seeks))
    for hand in hands:
        hand.cancel()
    await asyncio.gather(*hands, return_exceptions=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cairnd")
    parser.add_argument("--seconds", type=int, default=75)
    parser.add_argument("--seeks", type=int, default=300)
    parser.add_argument("--worlds", type=int, default=1)
    parser.add_argument("--load", choices=PEOPLE, default="awake")
    parser.add_argument("--history", default="3600")
    arguments = parser.parse_args()
    if not 22 <= arguments.seconds <= 7200:
        parser.error("22 to 7200 seconds")
    os.environ["CAIRND"] = os.path.abspath(arguments.cairnd)
    import json
    from daemon import Daemon, generate_protos
    with tempfile.TemporaryDirectory() as folder:
        generate_protos(folder)
        scene_file = os.path.join(folder, "heap.yaml")
        with open(scene_file, "w", encoding="utf-8") as file:
            json.dump(scene(arguments.load), file)
        daemon = Daemon("--workers", "1", "--keep-running", "--history", arguments.history,
                        scene=scene_file)
        try:
            asyncio.run(measure(arguments, daemon))
        finally:
            daemon.stop()


if __name__ == "__main__":
    main()
