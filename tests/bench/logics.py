#!/usr/bin/env python3
"""logics.py: how long ticks wait for the logics of many worlds, in a real daemon on loopback.

usage: tests/bench/logics.py CAIRND [--worlds N] [--workers N] [--seconds S] [--every N] [--idle]
                              [--durability TICK|SECOND|NONE]

Starts CAIRND with N (2) workers and N (200) worlds of ten boxes that do not sleep.  One client
program is the logic of all of them, in mode BARRIER with the longest deadline, and answers each
LogicTick with an attribute.  --idle starts no logics, for comparison.  After S (10) seconds it
measures for S seconds and prints

    real time    ticks done divided by ticks due, of all worlds together
    cores        processor time of the daemon a second, and of the logics
    wait         p50, p99 and p99.9 of the time that a due tick waited for its logic
    late         ticks that did not wait any longer
    answer       p50 and p99 from a LogicTick until its answer
    delay        p50 and p99 from when a tick is due until it is done

Quantiles are the upper bounds of the buckets in which they lie.
"""
import argparse
import os
import selectors
import signal
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import worlds as bench  # noqa: E402

HELLO = b"\x0a\x04\x08\x01\x30\x05"  # version 1, role LOGIC
START = b"\xb2\x01\x05\x20\xa0\x1f\x38\x01"  # deadline 4,000 us, take
JOINED, LOGIC_TICK, REJECTED = b"\x12", b"\xe2\x01", b"\x5a"


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def part(field, payload):
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def read_varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def frame(payload):
    size = len(payload)
    head = bytes([0x82, 0x80 | size]) if size < 126 else b"\x82\xfe" + size.to_bytes(2, "big")
    return head + b"\0\0\0\0" + payload


def answer(number):
    attribute = part(3, part(3, b"\x0a\x01n\x18" + varint(number << 1)))
    return frame(part(23, b"\x08" + varint(number) + part(3, attribute)))


class LogicSocket:
    """The connection of one logic."""

    def __init__(self, port, world, every):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(
            b"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: cairn.v1\r\n\r\n" % port)
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.data += self.socket.recv(4096)
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            sys.exit(f"refused: {head!r}")
        self.start = part(22, b"\x18" + varint(every) + START[3:])
        self.socket.sendall(frame(HELLO) + frame(part(2, b"\x0a" + varint(len(world)) + world)))

    def messages(self):
        came = self.socket.recv(65536)
        if not came:
            sys.exit("a connection was closed")
        data, at = self.data + came, 0
        while len(data) - at >= 2:
            size, head = data[at + 1], 2
            if size > 125:
                head = 4 if size == 126 else 10
                size = int.from_bytes(data[at + 2:at + head], "big")
            if len(data) - at < head + size:
                break
            yield data[at + head:at + head + size]
            at += head + size
        self.data = data[at:]

    def serve(self):
        for message in self.messages():
            if message.startswith(LOGIC_TICK):
                _, at = read_varint(message, 2)
                self.socket.sendall(answer(read_varint(message, at + 1)[0]))
            elif message.startswith(JOINED):
                self.socket.sendall(frame(self.start))
            elif message.startswith(REJECTED):
                sys.exit(f"refused: {message!r}")


def serve_logics(port, count, every):
    """The program that is the logic of all worlds."""
    chosen = selectors.DefaultSelector()
    for i in range(count):
        name = b"tiny" if i == 0 else b"tiny-%d" % i
        logic = LogicSocket(port, name, every)
        chosen.register(logic.socket, selectors.EVENT_READ, logic)
    while True:
        for key, _ in chosen.select():
            key.data.serve()


def run_logics(arguments):
    """Does not return, and leaves the daemon to the other process."""
    try:
        serve_logics(arguments.port, 0 if arguments.idle else arguments.worlds, arguments.every)
    except BaseException as error:  # pylint: disable=broad-except
        print(f"logics.py: {error!r}", file=sys.stderr)
    os._exit(1)


def scene(durability):
    bodies = [{"type": "STATIC", "shapes": [
        {"box": {"size": {"x": 40, "y": 1}}, "position": {"y": -0.5}}]}]
    for i in range(10):
        bodies.append({"position": {"x": 2 * i - 9, "y": 0.5},
                       "shapes": [{"box": {"size": {"x": 1, "y": 1}}, "density": 1}]})
    return {"name": "tiny", "world": {"stepper": "time", "solver": "impulse", "sleep": False,
                                      "durability": durability}, "bodies": bodies}


def processor_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        field = stat.read().rsplit(")", 1)[1].split()
    return (int(field[11]) + int(field[12])) / os.sysconf("SC_CLK_TCK")


def report(arguments, first, last, logics_s):
    seconds = last[1] - first[1]
    ticks = bench.counted(first[3], last[3], "cairn_ticks_total")
    late = bench.counted(first[3], last[3], "cairn_logic_late_total")
    print(f"{last[0]} worlds, {seconds:.1f} s, {'no logics' if arguments.idle else 'a logic each'}")
    print(f"real time    {ticks / (60 * seconds * last[0]):.3f}")
    print(f"cores        {(last[2] - first[2]) / seconds:.2f}, logics {logics_s / seconds:.2f}")
    if not arguments.idle:
        asked = bench.counted(first[3], last[3], "cairn_logic_ticks_total")
        print(f"late         {late} of {asked}")
    rows = [("wait", "cairn_logic_wait_seconds", (0.5, 0.99, 0.999)),
            ("answer", "cairn_logic_answer_seconds", (0.5, 0.99))] if not arguments.idle else []
    for title, name, parts in rows + [("delay", "cairn_tick_delay_seconds", (0.5, 0.99))]:
        values = (f"p{100 * p:g} {1e3 * bench.quantile(first[3], last[3], name, p):.3f} ms"
                  for p in parts)
        print(f"{title:12} {'  '.join(values)}")


def measure(arguments, daemon, logics):
    time.sleep(arguments.seconds)
    first, before = daemon.look(), processor_s(logics)
    time.sleep(arguments.seconds)
    report(arguments, first, daemon.look(), processor_s(logics) - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cairnd")
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--port", type=int, default=7986)
    parser.add_argument("--durability", default="SECOND", choices=("TICK", "SECOND", "NONE"))
    parser.add_argument("--idle", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the daemon is stopped, too
    with tempfile.TemporaryDirectory() as folder:
        one = scene(arguments.durability)
        daemon = bench.Daemon(
            arguments.cairnd, arguments.port, folder, one, workers=arguments.workers)
        logics = 0
        try:
            daemon.wait()
            for i in range(1, arguments.worlds):
                daemon.make(f"tiny-{i}", one)
            logics = os.fork()
            if logics == 0:
                run_logics(arguments)
            measure(arguments, daemon, logics)
        finally:
            if logics > 0:
                os.kill(logics, signal.SIGKILL)
            daemon.stop()


if __name__ == "__main__":
    main()
