"""past.py: asks a daemon for the past of a world, and compares it with the shown ticks.

The past comes from a replay over the wire: a world of its own that plays the stored data.  Two
sessions watch it from the first shown tick to the last: one receives every number of every body
(Raw), the other the poses (Snapshot).  Ticks that the play leaves out are sought one by one.
"""
import struct

from wire import Gone, Refused, Session

RAW, QUANTISED = 2, 0
SEEKS_MAX = 400       # ticks of one world that are sought one by one
GAP_TICKS = 12        # shorter gaps are played, longer ones are passed over by a seek
PLAY_TICK_S, PLAY_SLACK_S = 0.05, 3.0  # time of a play; ticks that it does not reach are sought


def view_hash(snapshot):
    """The viewHash of the columns of a planar Snapshot, as WIRE.md defines it."""
    total = 0
    slots = snapshot.body or range(len(snapshot.x))
    for words in zip(slots, snapshot.x, snapshot.y, snapshot.angle):
        value = 2166136261
        for word in words:
            value = (value ^ word & 0xFFFFFFFF) * 2654435761 & 0xFFFFFFFF
            value ^= value >> 15
        total += value
    return total & 0xFFFFFFFF


def poses(snapshot):
    columns = [snapshot.body, snapshot.x, snapshot.y, snapshot.angle]
    return b"".join(struct.pack(f"<{len(column)}q", *column) + b"|" for column in columns)


def facts(session, kind, value):
    """[(tick, kind of fact, value)] of a message."""
    told = []
    if kind in ("raw", "snapshot") and value.generation != session.generation:
        return told
    if kind == "raw":
        told.append((value.tick, "state", bytes(value.columns)))
        if value.state_hash:
            told.append((value.tick, "hash", f"{value.state_hash:016x}"))
    elif kind == "snapshot":
        assert view_hash(value) == value.view_hash, "a Snapshot's viewHash is of its columns"
        told.append((value.tick, "poses", poses(value)))
        if value.state_hash:
            told.append((value.tick, "hash", value.state_hash))
    elif kind == "events" and not value.dropped:
        told.append((value.tick, "events",
                     b"|".join(event.SerializeToString() for event in value.events)))
    return told


class Replay:
    """Two sessions in a replay of a world."""

    def __init__(self, port, world):
        self.world, self.told = world, {}
        self.sessions = [Session(port, f"past-{mode}", self._heard) for mode in (RAW, QUANTISED)]
        for session, mode in zip(self.sessions, (RAW, QUANTISED)):
            session.mode = mode

    def _heard(self, session, kind, value):
        for tick, what, fact in facts(session, kind, value):
            self.told.setdefault(tick, {}).setdefault(what, set()).add(fact)

    async def open(self, tick):
        first, second = self.sessions
        for session in self.sessions:
            await session.open()
            await session.hello()
            session.subscribe(session.mode, contacts=session is first)
        forked = await first.answer(first.ask("fork", world=self.world, tick=tick, replay=True,
                                              speed=0.0))
        for session in (second, first):
            await session.join(forked.world)
        await first.until(lambda: first.tick >= tick, f"tick {tick} of a replay")

    async def play(self, first_tick, last_tick):
        """Plays these ticks, or as many as come in time."""
        first = self.sessions[0]
        if first.tick != first_tick:
            await self.seek(first_tick)
        if last_tick > first_tick:
            first.ask("seek", speed=1.0)
            await first.until(lambda: first.tick >= last_tick, patience_s=PLAY_SLACK_S + (
                last_tick - first_tick) * PLAY_TICK_S, is_needed=False)
            first.ask("seek", speed=0.0)

    async def seek(self, tick):
        """Seeks one tick in both sessions; its facts are then in `told`."""
        first, second = self.sessions
        counts = [session.joined_count for session in self.sessions]

        def is_there(session, count):
            return session.joined_count > count and session.tick == tick and tick in self.told

        request = first.ask("seek", tick=tick)
        await first.until(lambda: is_there(first, counts[0]) or request in first.answers,
                          f"tick {tick} that was sought")
        if request in first.answers:
            raise Refused(first.answers[request][1].error)
        await second.until(lambda: is_there(second, counts[1]), f"tick {tick} that was sought")

    def close(self):
        for session in self.sessions:
            session.close()


def runs(ticks):
    """Splits ascending ticks at long gaps."""
    parts = []
    for tick in ticks:
        if not parts or tick - parts[-1][-1] > GAP_TICKS:
            parts.append([])
        parts[-1].append(tick)
    return parts


async def tell(port, past, wanted, totals):
    """(the past's facts of the wanted ticks, the ticks of which it has all events)"""
    replay, complete = Replay(port, past.world), set()
    try:
        await replay.open(wanted[0])
        # A paused world is sought: a play may stop after the changes of a tick.
        for run in () if past.is_still else runs(wanted):
            await replay.play(run[0], run[-1])
            # A play that did not come to its end in time has not shown the events of the rest.
            complete |= {tick for tick in run[1:-1] if tick < replay.sessions[0].tick}
        missing = [tick for tick in wanted
                   if not {"state", "poses"} & set(past.facts[tick]) <= set(
                       replay.told.get(tick, {}))]
        totals["sought"] += len(missing)
        assert len(missing) <= SEEKS_MAX, f"the replay passed over {len(missing)} ticks"
        for tick in missing:
            await replay.seek(tick)
    finally:
        replay.close()
    return replay.told, complete


async def check(port, past, totals, failures):
    """Compares the facts from before the last crash with the past; reports differences once."""
    wanted = sorted(past.due)
    if not wanted:
        return
    past.checked |= past.due
    past.due = set()
    try:
        told, complete = await tell(port, past, wanted, totals)
    except Refused as refused:
        failures.add("ticks that the past lacks", f"{past.world}: ticks {wanted[0]} to "
                     f"{wanted[-1]} were shown, and the past says {refused}")
        return
    compare(past, wanted, complete, told, totals, failures)


def compare(past, wanted, complete, told, totals, failures):
    differing = {}
    for tick in wanted:
        there = told.get(tick, {})
        if tick in complete and "events" in past.facts[tick]:
            there.setdefault("events", {b"none"})
        for kind, is_same in past.compare(tick, there, ("state", "poses", "hash", "events")):
            totals[f"shown {kind}"] += 1
            if not is_same:
                differing.setdefault(kind, []).append(tick)
    for kind, ticks in differing.items():
        failures.add(f"shown {kind} that differ", f"{past.world}: {kind} of the shown ticks "
                     f"{ticks[0]} to {ticks[-1]} ({len(ticks)}) are not those of its past",
                     len(ticks))


__all__ = ["Gone", "check", "facts"]
