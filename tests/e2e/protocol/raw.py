"""raw.py: HTTP and WebSocket frames by hand, over a plain socket."""
import socket
import struct

from daemon import PATIENCE


def connect(daemon, source="127.0.0.1"):
    """A socket that comes from an address of loopback."""
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


def close_code(daemon, sent):
    """What the daemon closes with after these bytes; None when it just hangs up."""
    raw = handshake(daemon)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += raw.recv(4096)
    assert answer.startswith(b"HTTP/1.1 101"), answer
    raw.sendall(sent)
    data = answer.split(b"\r\n\r\n", 1)[1] + read_all(raw)
    raw.close()
    at = data.find(b"\x88")
    if at < 0:
        return None
    return struct.unpack(">H", data[at + 2:at + 4])[0] if data[at + 1] >= 2 else 1005
