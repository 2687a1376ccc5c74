"""daemon.py: starts cairnd for a test, and is a client of it through independent libraries."""
import asyncio
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

try:
    import websockets
    from google.protobuf import json_format
except ImportError as missing:
    print(f"skipped: {missing} (packages python3-websockets, python3-protobuf)")
    sys.exit(77)

SOURCE = os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", "..", "..")
)
PROGRAM = os.environ.get("CAIRND", os.path.join(os.getcwd(), "cairnd"))
PREFIX = os.environ.get("CAIRND_PREFIX", "").split()


def is_instrumented():
    """Whether the program is slow because of a sanitizer or a tool such as valgrind."""
    with open(PROGRAM, "rb") as file:
        code = file.read()
    return bool(PREFIX) or b"__asan_init" in code or b"__tsan_init" in code


IS_SLOW = is_instrumented()
PATIENCE = 120 if IS_SLOW else 60  # seconds that any one wait may take
# Seconds by which a busy machine may be late with anything that is due at a time.
LATE = 20
# Ticks a second, at least, of a world of 60 Hz.  On a busy machine a test must not fail; speed is
# for benchmarks.
RATE_MIN = 5
# Timeouts of websockets are not tested.  When unread messages wait, it does not see the answer to
# its Close, and waits for the whole close_timeout.
PATIENT = {"compression": None, "max_size": None, "open_timeout": PATIENCE, "close_timeout": 0.5,
           "ping_interval": None}


def until(what, ask):
    """Asks again and again, and returns the first true answer."""
    end = time.monotonic() + PATIENCE
    while not (answer := ask()):
        assert time.monotonic() < end, f"it does not come true: {what}"
        time.sleep(0.05)
    return answer


def generate_protos(folder):
    """Makes the message classes with protoc, from the same files as all clients."""
    protos = [f"cairn/v1/{name}.proto" for name in ("scene", "world", "room", "wire")]
    try:
        subprocess.run(
            ["protoc", f"--python_out={folder}", *protos],
            cwd=os.path.join(SOURCE, "proto"),
            check=True,
        )
    except FileNotFoundError:
        print("skipped: protoc is not installed (package protobuf-compiler)")
        sys.exit(77)
    sys.path.insert(0, folder)


class Daemon:
    """A running cairnd with a data folder of its own."""

    all = []

    def __init__(self, *arguments, scene, listen="127.0.0.1:0", prefix=()):
        self.folder = tempfile.TemporaryDirectory()
        self.program = PROGRAM
        self.log = open(os.path.join(self.folder.name, "log"), "w+")
        if "--load-max" not in arguments:
            # On a busy machine a worker's load may seem too high for another world.
            arguments = ("--load-max", "100", *arguments)
        self.process = subprocess.Popen(
            [*prefix, *PREFIX, self.program, "--data", os.path.join(self.folder.name, "data"),
             "--listen", listen, "--scene", scene, *arguments],
            stderr=self.log,
        )
        Daemon.all.append(self)
        self.port = self._find_port()

    @classmethod
    def end_all(cls):
        """Prints the logs of a failed test's daemons, and kills these."""
        for daemon in cls.all:
            print(daemon.log_text(), flush=True)
            daemon.process.kill()
            daemon.process.wait()
        cls.all.clear()

    def _find_port(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.search(r"listening at http://127\.0\.0\.1:(\d+)/", self.log_text())
            if found:
                return int(found.group(1))
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError("cairnd does not listen:\n" + self.log_text())

    def log_text(self):
        with open(self.log.name) as log:
            return log.read()

    def request(self, method, path, body=None, headers=None):
        """Returns (status, headers, parsed JSON or text)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = dict(headers or {})
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        if method not in ("GET", "HEAD") and "Content-Type" not in headers:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        is_json = response.headers.get("content-type", "").startswith("application/json")
        return response.status, response.headers, json.loads(text) if is_json and text else text

    def stop(self, expected=0):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=PATIENCE)
        assert status == expected, f"cairnd ended with {status}:\n{self.log_text()}"
        Daemon.all.remove(self)
        self.log.close()
        self.folder.cleanup()


class Client:
    """One session."""

    def __init__(self, daemon, name):
        self.daemon, self.name, self.seq, self.request = daemon, name, 0, 0
        self.kept = []

    async def open(self, **options):
        options.setdefault("subprotocols", ["cairn.v1"])
        self.socket = await websockets.connect(
            f"ws://127.0.0.1:{self.daemon.port}/v1/ws", **{**PATIENT, **options})
        return self

    async def send(self, **fields):
        from cairn.v1 import wire_pb2
        await self.socket.send(wire_pb2.ClientMessage(**fields).SerializeToString())

    async def receive(self, kind, wanted=lambda message: True):
        """The next wanted message of that kind; all messages before it go to `kept`."""
        from cairn.v1 import wire_pb2

        async def look():
            while True:
                message = wire_pb2.ServerMessage.FromString(await self.socket.recv())
                self.kept.append(message)
                if message.WhichOneof("message") == "chunk":
                    message = self.gather(message.chunk)
                if message.WhichOneof("message") == kind and wanted(getattr(message, kind)):
                    return getattr(message, kind)
        return await asyncio.wait_for(look(), PATIENCE)

    def gather(self, chunk):
        """The whole message when this is its last part; otherwise this message."""
        from cairn.v1 import wire_pb2
        if chunk.offset == 0:
            self.parts = b""
        assert chunk.offset == len(self.parts) and len(chunk.part) <= 16384, "parts in order"
        self.parts += chunk.part
        if len(self.parts) < chunk.size:
            assert chunk.hash == 0
            return wire_pb2.ServerMessage(chunk=chunk)
        value = 2166136261
        for byte in self.parts:
            value = (value ^ byte) * 16777619 & 0xFFFFFFFF
        assert chunk.hash == value, "the hash of the whole"
        return wire_pb2.ServerMessage.FromString(self.parts)

    async def hello(self, **more):
        from cairn.v1 import wire_pb2
        await self.send(hello=wire_pb2.Hello(version=1, name=self.name, client="test", **more))
        self.welcome = await self.receive("welcome")
        return self.welcome

    async def join(self, world):
        from cairn.v1 import wire_pb2
        self.seq = 0
        await self.send(join=wire_pb2.Join(world=world))
        self.joined = await self.receive("joined")
        return self.joined

    async def input(self, slot=0, **action):
        from cairn.v1 import wire_pb2
        self.seq += 1
        await self.send(input=wire_pb2.Input(seq=self.seq, slot=slot, **action))
        return self.seq

    async def control(self, **action):
        from cairn.v1 import wire_pb2
        self.request += 1
        await self.send(control=wire_pb2.Control(request=self.request, **action))
        return self.request

    async def closed(self, patience=PATIENCE):
        """The code of the next Close."""
        async def look():
            try:
                while True:
                    await self.socket.recv()
            except websockets.ConnectionClosed:
                return self.socket.close_code
        return await asyncio.wait_for(look(), patience)


def to_dict(message):
    return json_format.MessageToDict(message)
