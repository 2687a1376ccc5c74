"""decoder.py: Deltas in Python, after any protobuf library has read them (WIRE.md, "Deltas").

A state is a dict: tick, generation, timeUs, body (slots, ascending) and, by slot, `number` (planar
[x, y, angle], spatial [x, y, z, turnA, turnB, turnC]), `largest` and `asleep`.
"""


def wrap(value):
    return (value + 2**31) % 2**32 - 2**31


def unzigzag(value):
    return value >> 1 ^ -(value & 1)


def separate(code):
    """Three numbers whose bits are interleaved."""
    return [unzigzag(sum((code >> 3 * bit + c & 1) << bit for bit in range(10))) for c in range(3)]


def taken(runs):
    at = 0
    for passed, count in zip(runs[::2], runs[1::2], strict=True):
        yield from range(at + passed, at + passed + count)
        at += passed + count


def view_hash(state):
    total = 0
    for slot in state["body"]:
        number, largest = state["number"][slot], state["largest"][slot]
        turn = [largest, *number[3:]] if len(number) == 6 else []
        h = 2166136261
        for word in [slot, *number[:3], *turn]:
            h = (h ^ word % 2**32) * 2654435761 % 2**32
            h ^= h >> 15
        total += h
    return total % 2**32


def predict(delta, slot, first, second):
    """Numbers, largest and asleep of a body that is in the first baseline."""
    p1 = first["number"][slot]
    p2 = p1
    if second is not None and slot in second["number"]:
        p2 = list(second["number"][slot])
        if second["largest"][slot] != first["largest"][slot]:
            p2[3:] = p1[3:]
    between = delta.second - delta.first if second is not None else 1
    number = [wrap(a + (a - b) * delta.first // between) for a, b in zip(p1, p2)]
    return number, first["largest"][slot], first["asleep"][slot]


def predict_time(delta, first, second):
    if first is None:
        return 0
    if second is None:
        return first["timeUs"]
    way, between = first["timeUs"] - second["timeUs"], delta.second - delta.first
    step = abs(way) // between * (1 if way >= 0 else -1)
    return first["timeUs"] + step * delta.first


def decode(delta, states, is_spatial):
    """The state that `delta` tells; `states` has those before it by tick.  KeyError: one lacks."""
    first = states[delta.tick - delta.first] if delta.first else None
    second = states[delta.tick - delta.second] if delta.second else None
    left = {first["body"][entry] for entry in taken(delta.left)}
    entered = list(taken(delta.entered))
    stay = [slot for slot in first["body"] if slot not in left] if first else []
    body = sorted(stay + entered)
    number, largest, asleep = {}, {}, {}
    for slot in stay:
        number[slot], largest[slot], asleep[slot] = predict(delta, slot, first, second)
    escape = iter(delta.escape)
    turns = iter(delta.turn)
    for entry, code in zip(taken(delta.changed), delta.position, strict=True):
        slot = body[entry]
        residual = separate(code - 1) if code else [next(escape) for _ in range(3)]
        if is_spatial:
            code = next(turns)
            if code == 1:
                largest[slot] = next(escape)
                number[slot][3:] = [0, 0, 0]
            residual += separate(code - 2) if code > 1 else [next(escape) for _ in range(3)]
        number[slot] = [wrap(a + b) for a, b in zip(number[slot], residual, strict=True)]
    place = [0, 0, 0]
    for index, slot in enumerate(entered):
        place = [wrap(a + b) for a, b in zip(place, delta.place[3 * index:3 * index + 3])]
        turn, largest[slot], asleep[slot] = [], 0, False
        if is_spatial:
            code = delta.facing[index]
            largest[slot] = code % 4 if code else next(escape)
            turn = separate(code // 4 - 1) if code else [next(escape) for _ in range(3)]
        number[slot] = place + turn
    for entry in taken(delta.sleep):
        asleep[body[entry]] = not asleep[body[entry]]
    state = {"tick": delta.tick, "generation": delta.generation, "body": body, "number": number,
             "largest": largest, "asleep": asleep,
             "timeUs": predict_time(delta, first, second) + delta.time_us}
    if next(escape, None) is not None or view_hash(state) != delta.view_hash:
        raise ValueError("the state is not the daemon's")
    states[delta.tick] = state
    return state
