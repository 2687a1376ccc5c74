"""raw.py: HTTP and WebSocket frames by hand, over a plain socket."""
import socket
import struct
import time

from daemon import PATIENCE


def connect(daemon, source="127.0.0.1"):
    """A socket with this loopback address as its own."""
    return socket.create_connection(
        ("127.0.0.1", daemon.port), timeout=PATIENCE, source_address=(source, 0))


def handshake(daemon, path="/v1/ws", version="13", extra="", source="127.0.0.1", raw=None):
    raw = raw or connect(daemon, source)
    raw.sendall((
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Sec-WebSocket-Version: {version}\r\nSec-WebSocket-Protocol: cairn.v1\r\n{extra}\r\n"
    ).encode())
    return raw


def read_all(raw):
    data = b""
    try:
        while True:
            more = raw.recv(65536)
            if not more:
                return data
            data += more
    except ConnectionError:
        return data


def receive_until(raw, text):
    """The received bytes, at least up to this text."""
    data = b""
    while text not in data:
        more = raw.recv(65536)
        assert more, f"the connection ends before {text!r}: {data!r}"
        data += more
    return data


def frame(opcode, payload=b"", final=True, announced=None):
    size = len(payload) if announced is None else announced
    head = bytes([(0x80 if final else 0) | opcode])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65536:
        head += bytes([0x80 | 126]) + struct.pack(">H", size)
    else:
        head += bytes([0x80 | 127]) + struct.pack(">Q", size)
    return head + b"\0\0\0\0" + payload


def close_frame(daemon, sent):
    """The code and reason of the daemon's Close after these bytes; None when there is no Close."""
    raw = handshake(daemon)
    answer = receive_until(raw, b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 101"), answer
    raw.sendall(sent)
    data = answer.split(b"\r\n\r\n", 1)[1] + read_all(raw)
    raw.close()
    at = data.find(b"\x88")
    if at < 0:
        return None, b""
    size = data[at + 1]
    code = struct.unpack(">H", data[at + 2:at + 4])[0] if size >= 2 else 1005
    return code, data[at + 4:at + 2 + size]


def close_code(daemon, sent):
    return close_frame(daemon, sent)[0]


class Drain:
    """Reads frames: opcodes in order, and the code of the Close."""

    def __init__(self, raw):
        self.raw, self.data, self.opcodes, self.code = raw, b"", [], None

    def frames(self):
        while len(self.data) >= 2:
            size, at = self.data[1], 2
            if size == 126:
                size, at = struct.unpack(">H", self.data[2:4])[0], 4
            elif size == 127:
                size, at = struct.unpack(">Q", self.data[2:10])[0], 10
            if len(self.data) < at + size:
                return
            self.opcodes.append(self.data[0] & 15)
            if self.opcodes[-1] == 8:
                self.code = struct.unpack(">H", self.data[at:at + 2])[0]
            self.data = self.data[at + size:]

    def read(self, duration):
        """Reads for this long, or until the Close; returns whether the connection is still open."""
        end = time.monotonic() + duration
        while self.code is None and (left := end - time.monotonic()) > 0:
            self.raw.settimeout(left)
            try:
                more = self.raw.recv(65536)
            except socket.timeout:
                break
            except ConnectionError:
                return False
            if not more:
                return False
            self.data += more
            self.frames()
        return self.code is None


    def read_until(self, wanted):
        """Reads until the condition holds, or the Close; returns whether it holds."""
        end = time.monotonic() + PATIENCE
        while not wanted() and time.monotonic() < end and self.read(0.05):
            pass
        return wanted()
