"""wire.py: a client of cairn.v1, written from proto/WIRE.md alone.

WebSocket frames (RFC 6455) over a plain socket, the messages by google.protobuf from the classes
that protoc makes of proto/cairn/v1/*.proto.  It shares no code with the project's other clients.
The callbacks of a Session handle received data at once, in the order of its arrival.
"""
import asyncio
import base64
import hashlib
import http.client
import json
import os
import struct
import subprocess

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PATIENCE_S = 60.0  # the longest wait on a busy machine
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
OPCODE_BINARY, OPCODE_CLOSE, OPCODE_PING, OPCODE_PONG = 2, 8, 9, 10


def generate(folder):
    """Makes the message classes in `folder`, from the same files as all clients."""
    protos = [f"cairn/v1/{name}.proto" for name in ("scene", "world", "room", "wire")]
    subprocess.run(["protoc", f"--python_out={folder}", *protos],
                   cwd=os.path.join(SOURCE, "proto"), check=True)


class Gone(Exception):
    """The connection has ended, or was never made."""


class Refused(Exception):
    """The daemon refused a request, with a reason."""

    def __init__(self, error):
        super().__init__(f"{error.code} {error.path}: {error.text}")
        self.code = error.code


class Socket(asyncio.Protocol):
    """A WebSocket.  `take(bytes)` is called with every binary message, until the end."""

    def __init__(self, take):
        self.take, self.buffer, self.parts = take, bytearray(), b""
        self.opened = asyncio.get_running_loop().create_future()
        self.ended = asyncio.get_running_loop().create_future()
        self.transport, self.is_open = None, False
        self.request_key = base64.b64encode(os.urandom(16))
        self.accept = base64.b64encode(hashlib.sha1(self.request_key + GUID).digest())

    def connection_made(self, transport):
        self.transport = transport
        port = transport.get_extra_info("peername")[1]
        transport.write(b"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                        b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        b"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Protocol: cairn.v1\r\n\r\n"
                        % (port, self.request_key))

    def connection_lost(self, error):
        if not self.opened.done():
            self.opened.set_exception(Gone("no answer to the handshake"))
        if not self.ended.done():
            self.ended.set_result(None)

    def data_received(self, data):
        self.buffer += data
        if not self.is_open:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.buffer[:end])
            del self.buffer[:end + 4]
            if not head.startswith(b"HTTP/1.1 101 ") or self.accept not in head:
                self.opened.set_exception(Gone(f"handshake: {head[:100]}"))
                self.transport.close()
                return
            self.is_open = True
            self.opened.set_result(None)
        self._read_frames()

    def _read_frames(self):
        while len(self.buffer) >= 2:
            first, second = self.buffer[0], self.buffer[1]
            assert first & 0x70 == 0, "reserved bits"
            assert second & 0x80 == 0, "a mask from a server"
            at, size = 2, second
            if size >= 126:
                width = 2 if size == 126 else 8
                if len(self.buffer) < 2 + width:
                    return
                size, at = int.from_bytes(self.buffer[2:2 + width], "big"), 2 + width
            if len(self.buffer) < at + size:
                return
            body = bytes(self.buffer[at:at + size])
            del self.buffer[:at + size]
            self._take_frame(first & 15, first & 128, body)

    def _take_frame(self, opcode, is_last, body):
        if opcode == OPCODE_PING:
            self._write(OPCODE_PONG, body)
        elif opcode in (0, OPCODE_BINARY):
            self.parts += body
            if is_last:
                whole, self.parts = self.parts, b""
                self.take(whole)

    def _write(self, opcode, body):
        mask = os.urandom(4)
        size = len(body)
        head = bytes([128 | opcode]) + (
            bytes([128 | size]) if size < 126 else
            bytes([128 | 126]) + struct.pack(">H", size) if size < 65536 else
            bytes([128 | 127]) + struct.pack(">Q", size))
        key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        masked = (int.from_bytes(body, "big") ^ key).to_bytes(size, "big")
        self.transport.write(head + mask + masked)

    def send(self, body):
        if self.transport.is_closing():
            raise Gone("the connection has ended")
        self._write(OPCODE_BINARY, body)


class Session:
    """One session.  `heard(session, kind, message)` gets every message, in order."""

    def __init__(self, port, name, heard=None):
        from cairn.v1 import scene_pb2, wire_pb2
        self.wire, self.scene = wire_pb2, scene_pb2
        self.port, self.name, self.heard = port, name, heard
        self.seq, self.request = 0, 0
        self.welcome, self.joined, self.generation, self.joined_count = None, None, 0, 0
        self.tick, self.applied, self.durable, self.durable_tick = 0, 0, 0, 0
        self.answers, self.refusal = {}, None   # by request; the last refusal without a request
        self.leases = None
        self.parts = b""
        self.waiting = []                       # (condition, future)
        self.socket = None

    async def open(self):
        loop = asyncio.get_running_loop()
        try:
            _, self.socket = await loop.create_connection(
                lambda: Socket(self._take), "127.0.0.1", self.port)
            await asyncio.wait_for(self.socket.opened, PATIENCE_S)
        except (OSError, asyncio.TimeoutError) as error:
            raise Gone(str(error)) from error
        return self

    def close(self):
        """Cuts the connection, without a Leave."""
        if self.socket and self.socket.transport:
            self.socket.transport.abort()

    async def ended(self):
        """Waits until the messages that were on their way at the daemon's death have been read."""
        if self.socket:
            await asyncio.wait_for(asyncio.shield(self.socket.ended), PATIENCE_S)

    def send(self, **member):
        self.socket.send(self.wire.ClientMessage(**member).SerializeToString())

    def _take(self, body):
        message = self.wire.ServerMessage.FromString(body)
        kind = message.WhichOneof("message")
        if kind == "chunk":
            message = self._gather(message.chunk)
            if message is None:
                return
            kind = message.WhichOneof("message")
        value = getattr(message, kind)
        if kind == "welcome":
            self.welcome = value
        elif kind == "joined":
            self.joined, self.generation = value, value.generation
            self.joined_count += 1
        elif kind == "changed":
            self.generation = value.generation
        elif kind == "leases":
            self.leases = value
        elif kind == "tick":
            self.tick, self.applied, self.durable = (
                value.tick, value.applied_seq, value.durable_seq)
            self.durable_tick = max(self.durable_tick, getattr(value, "durable_tick", 0))
        elif kind in ("control_done", "forked", "rejected"):
            if value.request:
                self.answers[value.request] = (kind, value)
            elif kind == "rejected" and not value.seq:
                self.refusal = value.error
        if self.heard:
            self.heard(self, kind, value)
        for condition, future in self.waiting:
            if not future.done() and condition():
                future.set_result(None)

    def _gather(self, chunk):
        """The whole message when this is its last part, else None."""
        if chunk.offset == 0:
            self.parts = b""
        assert chunk.offset == len(self.parts), "the parts of a message are in order"
        self.parts += chunk.part
        if len(self.parts) < chunk.size:
            return None
        value = 2166136261
        for byte in self.parts:
            value = (value ^ byte) * 16777619 & 0xFFFFFFFF
        assert chunk.hash == value, "the hash of a message in parts"
        return self.wire.ServerMessage.FromString(self.parts)

    async def until(self, condition, what="an answer", patience_s=PATIENCE_S, is_needed=True):
        """Waits until condition(), which is checked again after every message."""
        if condition():
            return
        future = asyncio.get_running_loop().create_future()
        entry = (condition, future)
        self.waiting.append(entry)
        try:
            await asyncio.wait({future, self.socket.ended}, timeout=patience_s,
                               return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.waiting.remove(entry)
        if not future.done():
            if self.socket.ended.done():
                raise Gone("the connection has ended")
            assert not is_needed, f"{self.name} waits for {what} for {patience_s:.0f} s"

    async def hello(self, **more):
        self.send(hello=self.wire.Hello(version=1, name=self.name, client="promise", **more))
        await self.until(lambda: self.welcome or self.refusal, "a Welcome")
        self._raise_refusal()
        if self.welcome.resumed:
            self.seq = self.welcome.next_seq - 1
        return self.welcome

    def _raise_refusal(self):
        if self.refusal:
            error, self.refusal = self.refusal, None
            raise Refused(error)

    async def join(self, world):
        count, self.seq = self.joined_count, 0
        self.send(join=self.wire.Join(world=world))
        await self.until(lambda: self.joined_count > count or self.refusal, "a Joined")
        self._raise_refusal()
        return self.joined

    def subscribe(self, mode, contacts=False):
        self.send(subscribe=self.wire.Subscribe(mode=mode, contacts=contacts))

    def push(self, body, force, hold, slot, at_tick=0):
        """A force along x; returns the input's number."""
        self.seq += 1
        self.send(input=self.wire.Input(
            seq=self.seq, slot=slot, hold_ticks=hold, at_tick=at_tick, client_tick=self.tick,
            force=self.wire.Input.Force(body=body, frame=self.wire.Input.WORLD,
                                        force=self.scene.Vec3(x=force))))
        return self.seq

    def release(self, slot):
        self.seq += 1
        self.send(input=self.wire.Input(seq=self.seq, slot=slot,
                                        release=self.wire.Input.Release()))
        return self.seq

    def ask(self, kind, **fields):
        """Sends a Control, Lease, Fork or Seek with a number of its own, which it returns."""
        self.request += 1
        message = getattr(self.wire, kind.capitalize())(request=self.request, **fields)
        self.send(**{kind: message})
        return self.request

    async def answer(self, request):
        await self.until(lambda: request in self.answers)
        kind, value = self.answers[request]
        if kind == "rejected":
            raise Refused(value.error)
        return value


def fetch(port, method, path, body=None):
    """(status, parsed JSON) of an HTTP request; Gone without an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        text = None if body is None else json.dumps(body)
        headers = {} if method == "GET" else {"Content-Type": "application/json"}
        connection.request(method, path, body=text, headers=headers)
        response = connection.getresponse()
        answer = response.read()
        return response.status, json.loads(answer) if answer else None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Gone(str(error)) from error
    finally:
        connection.close()
