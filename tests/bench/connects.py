#!/usr/bin/env python3
"""connects.py: processor time of a connection, a request and a received byte in real daemons.

usage: tests/bench/connects.py CAIRND [CAIRND]... [--rounds N] [--count N]

Starts each CAIRND on loopback with a world that is at rest, and measures them in turn, round by
round.  For each kind of work it prints the processor time of the whole daemon per piece of work:
the median over the rounds, and the ratio to the first CAIRND, round by round.  It also prints how
many pieces one client gets in a second if it waits for each.

    request      connect, GET /healthz, close
    kept         the same request on a connection that stays
    handshake    connect, the WebSocket's handshake, Close both ways
    ping         of 4 bytes, answered, on a socket that stays, once a second: 10 of them
    megabyte     received in messages of 64 KiB on a WebSocket, as fast as the daemon reads
"""
import argparse
import os
import re
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HELLO = b"\x0a\x04\x08\x01\x38\x01"
SCENE = """
name: block
bodies:
  - {name: floor, type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 9, y: 1, z: 1}}}]}
"""


def frame(opcode, payload):
    size = len(payload)
    head = bytes([0x80 | opcode, 0x80 | min(size, 126 if size < 65536 else 127)])
    if size > 125:
        head += struct.pack(">H" if size < 65536 else ">Q", size)
    return head + b"\0\0\0\0" + payload


class Daemon:
    def __init__(self, program, folder):
        self.program = program
        scene = os.path.join(folder, "block.yaml")
        with open(scene, "w") as file:
            file.write(SCENE)
        data = tempfile.mkdtemp(dir=folder)
        self.log = open(os.path.join(data, "log"), "w+")
        self.process = subprocess.Popen(
            [program, "--data", os.path.join(data, "data"), "--listen", "127.0.0.1:0",
             "--scene", scene, "--load-max", "100"], stderr=self.log)
        while True:
            with open(self.log.name) as log:
                found = re.search(r"http://127\.0\.0\.1:(\d+)/", log.read())
            if found:
                break
            if self.process.poll() is not None:
                sys.exit(f"{program} does not start; see {self.log.name}")
            time.sleep(0.05)
        self.port = int(found[1])

    def cpu_s(self):
        """Of all its threads, from the scheduler, in steps of nanoseconds."""
        total = 0
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{thread}/schedstat") as file:
                total += int(file.read().split()[0])
        return total / 1e9

    def connect(self):
        line = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return line

    def request(self, path, lines=""):
        return (f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUser-Agent: connects\r\n"
                f"Accept: */*\r\nAccept-Encoding: gzip\r\n{lines}\r\n").encode()

    def open(self):
        line = self.connect()
        line.sendall(self.request("/v1/ws", "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: cairn.v1\r\n"
                                  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"))
        assert line.recv(4096).startswith(b"HTTP/1.1 101")
        return line


def receive(line):
    data = b""
    while not data.endswith(b"ok\n"):
        data += line.recv(4096)
    assert data.startswith(b"HTTP/1.1 200"), data


def work_request(daemon, count):
    for _ in range(count):
        with daemon.connect() as line:
            line.sendall(daemon.request("/healthz"))
            receive(line)
    return count


def work_kept(daemon, count):
    with daemon.connect() as line:
        for _ in range(count):
            line.sendall(daemon.request("/healthz"))
            receive(line)
    return count


def work_handshake(daemon, count):
    for _ in range(count):
        with daemon.open() as line:
            line.sendall(frame(8, b"\x03\xe8"))
            assert line.recv(4096)[:1] == b"\x88"
    return count


def work_ping(daemon, count):
    with daemon.open() as line:
        line.sendall(frame(2, HELLO))
        line.recv(4096)
        for _ in range(10):
            line.sendall(frame(9, b"ping"))
            assert line.recv(4096)[:1] == b"\x8a"
    return 10


def work_megabyte(daemon, count):
    """Eight sockets, so that none exceeds the burst of bytes that is allowed."""
    message = frame(2, b"\0" * 65536)
    for _ in range(8):
        with daemon.open() as line:
            line.sendall(frame(2, HELLO))
            line.recv(4096)
            for _ in range(3):  # one more unreadable message would end the session
                line.sendall(message)
                assert line.recv(4096)[:1] == b"\x82"
    return 8 * 3 / 16


KINDS = {name[5:]: work for name, work in globals().items() if name.startswith("work_")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="+", metavar="CAIRND")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        daemons = [Daemon(program, folder) for program in options.programs]
        for name, work in KINDS.items():
            cpu, rate = [[] for _ in daemons], [[] for _ in daemons]
            for round_ in range(options.rounds + 1):
                for i, daemon in enumerate(daemons):
                    before, began = daemon.cpu_s(), time.monotonic()
                    count = work(daemon, options.count)
                    if round_ > 0:  # the first round warms up
                        rate[i].append(count / (time.monotonic() - began))
                        cpu[i].append((daemon.cpu_s() - before) / count)
            for i, daemon in enumerate(daemons):
                ratios = sorted(a / b for a, b in zip(cpu[i], cpu[0]))
                print(f"{name:10} {daemon.program:40} {statistics.median(cpu[i]) * 1e6:9.1f} us, "
                      f"{statistics.median(ratios):5.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}), "
                      f"{statistics.median(rate[i]):9.0f} a second", flush=True)
        for daemon in daemons:
            daemon.process.send_signal(signal.SIGTERM)
            daemon.process.wait()
            daemon.log.close()


if __name__ == "__main__":
    main()
