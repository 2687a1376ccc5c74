#!/usr/bin/python3
"""rooms.py: how many rooms a minute a real daemon makes, uses and removes.

usage: tests/bench/rooms.py CAIRND [--rate N] [--seconds S] [--clients N] [--stay S]

Starts CAIRND on loopback with one worker, a webhook and a new data folder.  For S (60) seconds it
asks for N (1000) rooms a minute, evenly.  In each room N (2) clients take a seat, join, read the
world for S (3) seconds and leave.  Their seats are held for ten seconds, and empty rooms end after
another one.  It prints

    rooms        made, refused, and ended at the end of the run
    answer       p50, p90 and p99 from a request for a room to its answer, and of further seats
    joined       the same from the answer to the whole Joined
    at once      the most rooms that existed at the same time
    cores        processor time of the daemon a second, without that of this program
    memory       the largest resident set of the daemon
    webhook      events received, repeated, out of order; p50 and p99 from an event to its receipt

The receiver and the clients run in this program, on the same machine.
"""
import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ.setdefault("CAIRND", (sys.argv + [""])[1])  # daemon.py looks at the program
sys.path.insert(0, os.path.join(HERE, "..", "e2e", "protocol"))
import websockets
from daemon import generate_protos

TEMPLATES = {"templates": [{
    "name": "bench", "seats": 8, "emptyS": 1, "holdS": 10,
    "scene": {"name": "small", "world": {"stepper": "time", "solver": "impulse"}, "bodies": [
        {"name": "floor", "type": "STATIC", "shapes": [
            {"box": {"size": {"x": 40, "y": 1}}, "position": {"y": -0.5}}]},
        *({"name": f"b{i}", "position": {"x": 1.5 * i - 9, "y": 3},
           "shapes": [{"box": {"size": {"x": 1, "y": 1}}, "density": 1}]} for i in range(12))]}}]}
BLOCK = {"name": "block", "bodies": [{"name": "b", "type": "STATIC", "shapes": [
    {"box": {"size": {"x": 1, "y": 1}}}]}]}


def quantiles(values, *shares):
    values = sorted(values) or [float("nan")]
    return [values[min(len(values) - 1, int(share * len(values)))] for share in shares]


def milliseconds(values, *shares):
    return " ".join(f"{1000 * value:.1f}" for value in quantiles(values, *shares))


class Hook:
    """Receives events; counts repetitions and wrong orders."""

    def __init__(self):
        self.ids, self.last, self.delays = set(), {}, []
        self.count = self.repeated = self.swapped = 0

    def take(self, event):
        self.count += 1
        if event["id"] in self.ids:
            self.repeated += 1
            return
        self.ids.add(event["id"])
        room, number = event["room"]["id"], int(event["sequence"])
        if number != self.last.get(room, 0) + 1:
            self.swapped += 1
        self.last[room] = number
        self.delays.append(time.time() - int(event["timeS"]))

    async def serve(self, reader, writer):
        try:
            while line := await reader.readline():
                size = 0
                while (line := await reader.readline()).strip():
                    name, _, value = line.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                self.take(json.loads(await reader.readexactly(size)))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


class Bench:
    def __init__(self, port, arguments):
        self.port, self.arguments = port, arguments
        self.made, self.seated, self.joined, self.refused = [], [], [], []
        self.lost, self.at_once = [], 0

    async def ask(self, method, path, body=None):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        text = json.dumps(body).encode() if body is not None else b""
        writer.write(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                     f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
                     "Connection: close\r\n\r\n".encode() + text)
        answer = await reader.read()
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(body) if body else None

    async def seat(self, into, **request):
        began = time.monotonic()
        status, answer = await self.ask("POST", "/v1/rooms", {"template": "bench", **request})
        if status not in (200, 201):
            self.refused.append(answer["code"])
            return None
        into.append(time.monotonic() - began)
        return answer

    async def play(self, seat):
        from cairn.v1 import wire_pb2
        began = time.monotonic()
        socket = await websockets.connect(
            f"ws://127.0.0.1:{self.port}/v1/ws", subprotocols=["cairn.v1"], compression=None,
            open_timeout=60, ping_interval=None)
        for fields in ({"hello": wire_pb2.Hello(version=1, name="b", token=seat["token"])},
                       {"join": wire_pb2.Join(world=seat["world"])}):
            await socket.send(wire_pb2.ClientMessage(**fields).SerializeToString())
        while True:
            message = wire_pb2.ServerMessage.FromString(await socket.recv())
            if message.WhichOneof("message") == "joined":
                break
        self.joined.append(time.monotonic() - began)
        end = time.monotonic() + self.arguments.stay
        while time.monotonic() < end:
            try:
                await asyncio.wait_for(socket.recv(), end - time.monotonic())
            except asyncio.TimeoutError:
                break
        await socket.close()

    async def room(self):
        first = await self.seat(self.made, create="CREATE")
        if first is None:
            return
        seats = [first]
        for _ in range(self.arguments.clients - 1):
            seats.append(await self.seat(self.seated, room=first["room"]))
        ends = await asyncio.gather(*(self.play(seat) for seat in seats if seat),
                                    return_exceptions=True)
        self.lost += [repr(end) for end in ends if end is not None]

    async def metrics(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                     "Connection: close\r\n\r\n".encode())
        text = (await reader.read()).decode()
        writer.close()
        return {name: float(value) for name, value in
                re.findall(r"^(cairn_\w+) ([0-9.e+]+)$", text, re.MULTILINE)}

    async def watch(self):
        while True:
            self.at_once = max(self.at_once, (await self.metrics())["cairn_rooms"])
            await asyncio.sleep(0.5)


def processor_s(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024


def start(program, folder, hook_port):
    files = {}
    for name, text in (("rooms", json.dumps(TEMPLATES)), ("block", json.dumps(BLOCK)),
                       ("secret", "a secret of the benchmark\n")):
        files[name] = os.path.join(folder, name + ".yaml")
        with open(files[name], "w") as file:
            file.write(text)
    log = open(os.path.join(folder, "log"), "w+")
    process = subprocess.Popen(
        [program, "--listen", "127.0.0.1:0", "--data", os.path.join(folder, "data"),
         "--workers", "1", "--worlds-max", "4096", "--load-max", "100", "--scene", files["block"],
         "--rooms", files["rooms"], "--webhook", f"http://127.0.0.1:{hook_port}/",
         "--webhook-secret", files["secret"], "--audit", os.path.join(folder, "audit")],
        stdout=subprocess.DEVNULL, stderr=log)
    for _ in range(600):
        with open(log.name) as file:
            found = re.search(r"listening at http://127\.0\.0\.1:(\d+)/", file.read())
        if found:
            return process, int(found.group(1))
        time.sleep(0.1)
    sys.exit("rooms.py: the daemon does not listen")


async def run(arguments, folder):
    hook = Hook()
    receiver = await asyncio.start_server(hook.serve, "127.0.0.1", 0)
    process, port = start(arguments.program, folder, receiver.sockets[0].getsockname()[1])
    try:
        return await measure(hook, process, Bench(port, arguments))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        receiver.close()


async def measure(hook, process, bench):
    arguments = bench.arguments
    watcher = asyncio.create_task(bench.watch())
    began, before_s, rooms = time.monotonic(), processor_s(process.pid), []
    count = int(arguments.rate * arguments.seconds / 60)
    for i in range(count):
        await asyncio.sleep(max(0, began + i * 60 / arguments.rate - time.monotonic()))
        rooms.append(asyncio.create_task(bench.room()))
    took_s = time.monotonic() - began
    used_s = processor_s(process.pid) - before_s
    await asyncio.gather(*rooms)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        metrics = await bench.metrics()
        if metrics["cairn_rooms"] == 0 and metrics["cairn_webhook_events_waiting"] == 0:
            break
        await asyncio.sleep(0.2)
    watcher.cancel()
    print(f"rooms    {count} asked in {took_s:.1f} s, {len(bench.made)} made, "
          f"{len(bench.refused)} refused {sorted(set(bench.refused))}, "
          f"{metrics['cairn_rooms']:.0f} left")
    print(f"answer   {milliseconds(bench.made, 0.5, 0.9, 0.99)} ms for a room, "
          f"{milliseconds(bench.seated, 0.5, 0.9, 0.99)} ms for a seat")
    print(f"joined   {milliseconds(bench.joined, 0.5, 0.9, 0.99)} ms, "
          f"{len(bench.joined)} clients, {len(bench.lost)} lost {bench.lost[:1]}")
    print(f"at once  {bench.at_once:.0f} rooms")
    print(f"cores    {used_s / took_s:.2f}")
    print(f"memory   {resident_mib(process.pid):.0f} MiB")
    print(f"webhook  {hook.count} events, {hook.repeated} repeated, {hook.swapped} out of order, "
          f"after {milliseconds(hook.delays, 0.5, 0.99)} ms (times are whole seconds)")
    is_good = not bench.refused and not bench.lost and hook.swapped == 0
    return 0 if is_good and metrics["cairn_rooms"] == 0 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rate", type=float, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--stay", type=float, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as generated:
        generate_protos(generated)
        return asyncio.run(run(arguments, folder))


if __name__ == "__main__":
    sys.exit(main())
