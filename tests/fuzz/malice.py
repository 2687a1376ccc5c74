#!/usr/bin/python3
"""malice.py: seeds of records, checkpoints and recordings with right checksums and false contents.

usage: tests/fuzz/malice.py RECORDING     (a small one, of `cairn run --record`)

A fuzzer does not find a CRC32C by chance, so it gets seeds for the code behind the checks: lengths,
numbers, ticks, sizes of sections and orders of frames that no program would write, each with right
checksums, and whole, cut and flipped files.  Writes tests/fuzz/corpus/fuzz_record, fuzz_checkpoint
and fuzz_recording.
"""
import os
import struct
import sys

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)
MOST = 2**64 - 1


def crc(data, before=0):
    value = before ^ 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 255]
    return value ^ 0xFFFFFFFF


def record(number=1, chain=0, world=1, epoch=1, tick=0, state_hash=0, physics=1, flags=0,
           entries=b"", length=None):
    body = struct.pack("<IQQQQQII", chain, world, epoch, number, tick, state_hash, physics,
                       flags) + entries
    length = 12 + len(body) if length is None else length
    return b"CRN1" + struct.pack("<II", length, crc(body)) + body


def records():
    first = record(entries=b"\x01\x00\x00\x00")
    after = struct.unpack("<I", first[8:12])[0]
    return {
        "whole": first, "two": first + record(2, after), "empty": record(), "cut": first[:-1],
        "flipped": first[:50] + bytes([first[50] ^ 4]) + first[51:],
        "number-zero": record(0), "number-last": record(MOST, 7), "world-zero": record(world=0),
        "epoch-zero": record(epoch=0), "epoch-back": record(epoch=9) + record(2, epoch=1),
        "tick-last": record(tick=MOST), "flags-unknown": record(flags=0x8000),
        "flags-all": record(flags=0xFFFFFFFF), "hash-without-flag": record(state_hash=5),
        "hash": record(state_hash=5, flags=1), "length-short": record(length=63),
        "length-long": record(length=2**20 + 65), "length-most": record(length=2**32 - 1),
        "chain-of-first": record(chain=3), "chain-of-another": first + record(2, after ^ 1),
    }


def checkpoint(sections=((0, b"abc"),), count=None, sizes=None, version=1, number=0, chain=0,
               tick=0, gap=0):
    body = b"".join(content for _, content in sections)
    head = b"CRNCKPT1" + struct.pack("<IIQQQQQII", version, 1, 1, 1, tick, 0, number, chain,
                                     len(sections) if count is None else count)
    for i, (kind, content) in enumerate(sections):
        head += struct.pack("<IIQ", kind, gap, sizes[i] if sizes else len(content))
    for at in range(0, len(body), 65536):
        head += struct.pack("<I", crc(body[at:at + 65536]))
    return head + struct.pack("<I", crc(head)) + body


def checkpoints():
    whole, many = checkpoint(), tuple((i, bytes([i]) * 9) for i in range(8))
    return {
        "whole": whole, "eight": checkpoint(many), "nine": checkpoint(many + ((8, b"x"),)),
        "none": checkpoint((), 0), "count-most": checkpoint(count=2**32 - 1),
        "empty-section": checkpoint(((0, b""), (1, b"x"))),
        "same-kind": checkpoint(((0, b"a"),) * 2),
        "block": checkpoint(((0, bytes(65536)),)),
        "size-most": checkpoint(sizes=[MOST]), "size-wraps": checkpoint(many[:2], sizes=[MOST, 10]),
        "size-of-other": checkpoint(many[:2], sizes=[10, 8]), "gap": checkpoint(gap=1),
        "version": checkpoint(version=2), "tick-last": checkpoint(tick=MOST),
        "number-last": checkpoint(number=MOST, chain=5), "cut": whole[:-2], "longer": whole + b"x",
    }


def read_frames(data):
    at, frames = 32, []
    while at + 16 <= len(data):
        kind, size = struct.unpack("<II", data[at:at + 8])
        frames.append((kind, data[at + 16:at + 16 + size]))
        at += 16 + size
    return frames


def recording(head, frames):
    out, check = head, struct.unpack("<I", head[28:32])[0]
    for kind, content in frames:
        start = struct.pack("<III", kind, len(content), check)
        check = crc(content, crc(start))
        out += start + struct.pack("<I", check) + content
    return out


def with_physics(head, physics):
    head = head[:12] + struct.pack("<I", physics) + head[16:28]
    return head + struct.pack("<I", crc(head))


def again(frame, entries=None, **changes):
    """A record with other fields and a right checksum."""
    kind, old = frame
    names = ("chain", "world", "epoch", "number", "tick", "state_hash", "physics", "flags")
    words = dict(zip(names, struct.unpack("<IQQQQQII", old[12:64])))
    return kind, record(entries=old[64:] if entries is None else entries, **{**words, **changes})


def recordings(data):
    head, frames = data[:32], read_frames(data)
    assert recording(head, frames) == data
    at = next(i for i, (kind, _) in enumerate(frames) if kind == 4)
    start, before, rest = frames[0], frames[:at], frames[at + 1:]
    end = struct.pack("<QQ", MOST, MOST)
    lies = {
        "whole": frames, "no-end": frames[:-1], "no-start": frames[1:],
        "two-starts": [start] + frames,
        "no-scene": [frame for frame in frames if frame[0] != 2],
        "other-scene": [(2, frame[1][:40] + b"?" + frame[1][41:]) if frame[0] == 2 else frame
                        for frame in frames],
        "two-ends": frames + [frames[-1]], "end-lies": frames[:-1] + [(6, end)],
        "end-short": frames[:-1] + [(6, end[:7])],
        "kind-unknown": before + [(7, b"?")] + frames[at:],
        "kind-zero": before + [(0, b"")] + frames[at:],
        "record-twice": before + [frames[at]] + frames[at:],
        "record-empty": before + [(4, b"")] + rest,
        "name-long": [(1, start[1] + b"n" * 200)] + frames[1:],
        "record-of-another": before + [again(frames[at], world=2)] + rest,
        "record-later": before + [again(frames[at], number=2)] + rest,
        "entries-lie": before + [again(frames[at], entries=b"\xff" * 40)] + rest,
        "checkpoint-lies": before + [(3, checkpoint(((1, b"image"),)))] + frames[at:],
        "checkpoint-late": frames[:-1] + [(3, checkpoint())] + frames[-1:],
        "bodies-early": before + [(5, bytes(12))] + frames[at:],
        "bodies-short": before + [frames[at], (5, bytes(5))] + rest,
    }
    out = {name: recording(head, list(parts)) for name, parts in lies.items()}
    out["physics"] = recording(with_physics(head, 1), frames)
    out["cut"] = data[:len(data) * 2 // 3]
    out["flipped"] = data[:100] + bytes([data[100] ^ 1]) + data[101:]
    out["head-alone"] = head
    return out


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    for target, seeds in (("record", records()), ("checkpoint", checkpoints()),
                          ("recording", recordings(data))):
        folder = os.path.join(CORPUS, "fuzz_" + target)
        os.makedirs(folder, exist_ok=True)
        for name, content in seeds.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        print(f"{target}: {len(seeds)} seeds")


main()
