"""messages.py: proto/vectors/messages with Google's protobuf; every message of the schema is there.

usage: messages.py GENERATED MESSAGES

GENERATED has protoc's Python, MESSAGES is proto/vectors/messages.
"""
import json
import pathlib
import sys

sys.path[:0] = [sys.argv[1]]

from cairn.v1 import scene_pb2, wire_pb2, world_pb2  # noqa: E402
from google.protobuf import json_format  # noqa: E402

SCHEMA = [scene_pb2.DESCRIPTOR, world_pb2.DESCRIPTOR, wire_pb2.DESCRIPTOR]


def type_of(member):
    """clientMessage is of cairn.v1.ClientMessage."""
    name = member[0].upper() + member[1:]
    return next(getattr(module, name) for module in (wire_pb2, world_pb2, scene_pb2)
                if hasattr(module, name))


def see(message, seen):
    seen.add(message.DESCRIPTOR.full_name)
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in value if field.label == field.LABEL_REPEATED else [value]:
                see(part, seen)


def every_message(descriptors):
    for descriptor in descriptors:
        yield descriptor.full_name
        yield from every_message(descriptor.nested_types)


def wrong_with(vector, seen):
    member = next(name for name in vector if name not in ("about", "bytes"))
    kind, data = type_of(member), bytes.fromhex(vector["bytes"])
    said = json_format.ParseDict(vector[member], kind())
    heard = kind.FromString(data)
    see(heard, seen)
    if said.SerializeToString() != data:
        yield "its JSON makes other bytes"
    if heard != said or json_format.MessageToDict(heard) != vector[member]:
        yield "its bytes make other JSON"


def main():
    seen, wrong, count = set(), [], 0
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*.json")):
        for number, vector in enumerate(json.loads(path.read_text())["messages"]):
            wrong += [f"{path.name}: {number}: {what}" for what in wrong_with(vector, seen)]
            count += 1
    for file in SCHEMA:
        wrong += [f"{name} is in no vector"
                  for name in every_message(file.message_types_by_name.values())
                  if name not in seen]
    for line in wrong:
        print(line)
    print(f"{count} messages, {len(seen)} kinds of message, {len(wrong)} mismatches")
    sys.exit(1 if wrong or count < 100 else 0)


main()
