"""check.py: decodes every vector, and streams, with Google's protobuf and proto/vectors/decoder.py.

usage: check.py GENERATED VECTORS [STREAM...]

GENERATED has protoc's Python, VECTORS is proto/vectors.  A STREAM is a file of the benchmark:
messages, each after its size in four bytes, little-endian.
"""
import json
import pathlib
import sys

sys.path[:0] = [sys.argv[1], sys.argv[2]]

import decoder  # noqa: E402
from cairn.v1 import wire_pb2  # noqa: E402

COLUMNS = {"PLANAR": ["x", "y", "angle"], "SPATIAL": ["x", "y", "z", "turnA", "turnB", "turnC"]}


def read(data):
    message = wire_pb2.ServerMessage.FromString(data)
    assert message.WhichOneof("message") == "delta", message
    return message.delta


def differences(state, expected, dimension, delta):
    got = {name: state[name] for name in ("tick", "generation", "timeUs", "body")}
    slots = state["body"]
    for index, name in enumerate(COLUMNS[dimension]):
        got[name] = [state["number"][slot][index] for slot in slots]
    if dimension == "SPATIAL":
        got["turnLargest"] = [state["largest"][slot] for slot in slots]
    got["asleep"] = [entry for entry, slot in enumerate(slots) if state["asleep"][slot]]
    got["viewHash"] = delta.view_hash
    got["stateHash"] = f"{delta.state_hash:016x}"
    return [name for name in got.keys() | expected.keys() if got.get(name) != expected.get(name)]


def check_vector(path):
    vector = json.loads(path.read_text())
    states, wrong = {}, []
    for number, message in enumerate(vector["messages"]):
        delta = read(bytes.fromhex(message["bytes"]))
        state = decoder.decode(delta, states, vector["dimension"] == "SPATIAL")
        for name in differences(state, message["state"], vector["dimension"], delta):
            wrong.append(f"{path.name}: message {number}: {name} differs")
    assert vector["messages"]
    return len(vector["messages"]), wrong


def check_stream(path):
    data, at, states, count = path.read_bytes(), 0, {}, 0
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "little")
        delta = read(data[at + 4:at + 4 + size])
        decoder.decode(delta, states, True)
        states.pop(delta.tick - 64, None)
        at += 4 + size
        count += 1
    return count


def main():
    wrong, messages = [], 0
    paths = sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    for path in paths:
        count, found = check_vector(path)
        messages += count
        wrong += found
    for line in wrong:
        print(line)
    print(f"{len(paths)} vectors, {messages} messages, {len(wrong)} mismatches")
    for name in sys.argv[3:]:
        print(f"{check_stream(pathlib.Path(name))} messages of {name}, no mismatch")
    sys.exit(1 if wrong or len(paths) < 10 else 0)


main()
