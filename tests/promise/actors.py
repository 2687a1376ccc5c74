"""actors.py: the clients of one life, each with work of its own.

An actor works until the connection ends.  Everything that it is shown goes into the models at the
moment of its arrival.
"""
import asyncio
import struct

from daemon import BODIES, UNIT_N
from model import UNIT_M_S
from past import QUANTISED, RAW, facts
from wire import Gone, Refused, Session

HOLD_TICKS = 48          # longer than recovery may be ahead of the shown ticks
OUTSTANDING_MAX = 60     # inputs of a session that no tick has counted yet
SLOTS = 64               # of inputs that last a tick
HOLD_SLOT, HOLD_SLOTS = 100, 12
BURNER_SLOT = 200
FIRST_TICKS = 6          # ticks of a life that are written down before there is traffic
PLAIN_BODIES = range(0, 6)
KEPT_BODIES = range(6, 14)
GUARDED_BODY, BURNER_BODY = 14, 15
LEASED_BODIES = (10, 11, 12, 13)


def velocities(raw):
    """Units of each body of a tally world; None where a velocity is no whole number of them."""
    count = raw.count
    values = struct.unpack(f"<{count}f", raw.columns[4 * count * 4:4 * count * 5])
    units = [value / UNIT_M_S for value in values]
    return [int(unit) if unit == int(unit) else None for unit in units]


class Actor(Session):
    """A session that writes down what it is shown of a world."""

    mode, contacts = RAW, False
    has_settings = False     # settings are changed in this world, and are part of its hash

    def __init__(self, life, name, world):
        super().__init__(life.daemon.port, name, self.hear)
        self.life, self.world, self.past = life, world, life.folder.pasts.get(world)
        self.observed, self.observed_tick = None, -1
        self.durable_seen, self.tick_count = 0, 0
        # is_fresh: the world has just made this tick, and no input has acted since the one before.
        self.place, self.is_fresh = (-1, 0), False

    async def enter(self, **more):
        """Says Hello and joins, except when the session is resumed."""
        await self.open()
        welcome = await self.hello(**more)
        self.subscribe(self.mode, self.contacts)
        if welcome.resumed:
            await self.until(lambda: self.joined_count > 0, "the Joined of a session that goes on")
        else:
            await self.join(self.world)
        self.life.daemon.happened("joined")

    def hear(self, session, kind, value):
        daemon = self.life.daemon
        if self.past is not None:
            if kind == "joined" and self.joined_count > 1:
                self.past.begin_anew()
                self.place = (-1, 0)
            elif kind == "changed":
                self.place = (-1, 0)
            elif kind == "tick":
                self.past.reach(value.tick, getattr(value, "durable_tick", 0))
                self.life.folder.totals["shown ticks"] += 1
                self.tick_count += 1
                place = (value.tick, value.applied_seq)
                self.is_fresh = place[0] > self.place[0] >= 0 and place[1] == self.place[1]
                self.place = place
                daemon.happened("tick")
            is_kept = self.life.is_settled or self.tick_count <= FIRST_TICKS
            for tick, what, fact in facts(self, kind, value) if is_kept else ():
                if self.past.is_still and (not self.is_fresh or (
                        what == "hash" and self.has_settings)):
                    continue  # it may have been changed after that tick began
                if what == "hash" and self.tick_count == 1:
                    continue  # for the same reason: without members it was paused
                words = self.past.show(tick, what, fact)
                if words:
                    self.life.fail("ticks shown twice, with other contents", words)
                if what == "events":
                    daemon.happened("events")
        if kind == "raw" and value.generation == self.generation:
            self.observed, self.observed_tick = velocities(value), value.tick
        if kind == "tick" and value.durable_seq > self.durable_seen:
            self.durable_seen = value.durable_seq
            daemon.happened(f"durable {self.name}")
        elif kind == "control_done":
            daemon.happened(f"done {self.name}")

    def acknowledged(self):
        """The last input that may not be lost: durable ones, with TICK also shown ones."""
        return max(self.applied, self.durable) if self.life.folder.is_tick_safe else self.durable

    async def pause(self):
        """Waits between two messages; not in a burst."""
        while self.seq - self.applied >= OUTSTANDING_MAX and not self.socket.ended.done():
            await asyncio.sleep(0.002)
        if self.socket.ended.done():
            raise Gone("the connection has ended")
        await asyncio.sleep(0 if self.life.is_burst else self.life.chance.uniform(0.001, 0.008))


class Watcher(Actor):
    """Is shown poses, and sends nothing."""

    mode = QUANTISED

    async def live(self):
        await self.ended()


class Pusher(Actor):
    """Pushes bodies of a tally world.  `pushes` are the inputs that it has sent."""

    pushes = None
    is_exact = False         # every input lasts a tick: pictures contain the inputs that they count

    def __init__(self, life, name, world):
        super().__init__(life, name, world)
        self.held_at = {}    # slot: the tick at which a long push in it was sent
        # Inputs that the last picture counted, and those of the picture of the tick before.
        self.pictured_tick, self.picturing, self.pictured = 0, 0, 0

    def hear(self, session, kind, value):
        super().hear(session, kind, value)
        if self.pushes is None or kind not in ("tick", "raw"):
            return
        self.life.folder.totals["acknowledged inputs"] += self.pushes.acknowledge(
            self.acknowledged())
        if kind == "raw" and self.is_exact and self.life.is_settled:
            self.compare_picture(value.tick)

    def compare_picture(self, tick):
        """A picture must contain the inputs that it counts.  While the world's clock waits for the
        disk, the same tick may be shown again; it then counts newer inputs, which act next."""
        there = {body: self.observed[body] for body in self.pushes.bodies}
        if tick > self.pictured_tick:
            self.pictured_tick, self.pictured, self.picturing = tick, self.picturing, 0
        counts = range(self.applied, self.pictured - 1, -1)
        if not any(self.pushes.total(count) == there for count in counts):
            self.life.fail("pictures without what they count", f"{self.world}: tick {tick} counts "
                           f"input {self.applied} and shows {there} instead of "
                           f"{self.pushes.total(self.applied)}")
        self.picturing = self.applied

    def give(self, body, units, hold, at_tick=0):
        """Sends an input of `units` a tick for `hold` ticks; False when no slot is free for it."""
        slot = self.seq % SLOTS
        if hold > 1:
            free = [slot for slot in range(HOLD_SLOT, HOLD_SLOT + HOLD_SLOTS)
                    if self.tick - self.held_at.get(slot, -1000) > 2 * HOLD_TICKS]
            if not free:
                return False
            slot = free[0]
            self.held_at[slot] = self.tick
        seq = self.push(body, units * UNIT_N, hold, slot, at_tick)
        self.pushes.add(seq, body, units * hold)
        return True

    async def resend(self):
        """Sends inputs again that were never counted, as a client does that resumes."""
        pending, self.pushes.effects = self.pushes.effects, []
        for body, units in pending:
            if body is not None:
                hold = HOLD_TICKS if units >= HOLD_TICKS else 1
                self.give(body, units // hold, hold)
                await self.pause()


class Plain(Pusher):
    """A session of one life: inputs of one tick, some of them for a later tick."""

    is_exact = True

    async def live(self):
        chance = self.life.chance
        for number in range(300):
            if number % 16 == 7 and self.life.is_guarded:
                seq = self.push(GUARDED_BODY, UNIT_N, 1, self.seq % SLOTS)  # not its own
                self.pushes.add(seq, None, 0)
            else:
                at_tick = self.tick + chance.randrange(1, 6) if chance.random() < 0.1 else 0
                self.give(chance.choice(self.pushes.bodies), chance.randrange(1, 4), 1, at_tick)
            await self.pause()
        await self.ended()


class Kept(Pusher):
    """A session that outlives the daemon: its inputs, held inputs, and leases."""

    async def live(self):
        chance = self.life.chance
        await self.resend()
        for number in range(250):
            if number % 10 == 3:
                self.give(chance.choice(self.pushes.bodies), 1, HOLD_TICKS)
            elif number % 25 == 9:
                self.lease(chance.choice(LEASED_BODIES), chance.random() < 0.6)
            elif number == 60 and chance.random() < 0.5:
                self.burn(not self.life.folder.burner.is_on)
            else:
                self.give(chance.choice(self.pushes.bodies), chance.randrange(1, 4), 1)
            await self.pause()
        await self.ended()

    def lease(self, body, is_taken):
        action = ({"acquire": self.wire.Lease.Acquire()} if is_taken else
                  {"release": self.wire.Lease.Release()})
        request = self.ask("lease", body=body, **action)
        self.life.folder.leases.give(request, body, is_taken)

    def burn(self, is_on):
        """Pushes until a release."""
        burner = self.life.folder.burner
        if is_on:
            seq = self.push(BURNER_BODY, UNIT_N, 0, BURNER_SLOT)
        else:
            seq = self.release(BURNER_SLOT)
        self.pushes.add(seq, None, 0)
        burner.ask(seq, is_on)

    def hear(self, session, kind, value):
        super().hear(session, kind, value)
        if kind == "control_done":
            self.life.folder.leases.answer(value.request)
            self.life.folder.totals["answered leases"] += 1
        elif kind == "raw" and self.pushes is not None:
            self.life.folder.burner.show(self.life, value.tick, self.observed[BURNER_BODY],
                                         self.acknowledged())


class Still(Pusher):
    """Pushes in a paused world, and steps it now and then."""

    last = None              # (tick, hash, applied) of the last picture
    first = None             # the first picture

    def hear(self, session, kind, value):
        super().hear(session, kind, value)
        if kind == "raw" and value.generation == self.generation and value.state_hash:
            self.last = (value.tick, value.state_hash, self.applied)
            self.first = self.first or self.last

    def settled_picture(self):
        """The last picture, when it contains all sent inputs."""
        is_quiet = self.last is not None and self.request == len(self.answers)
        return self.last[:2] if is_quiet and self.last[2] == self.seq == self.durable else None

    async def live(self):
        chance = self.life.chance
        if self.pushes.effects:
            await self.resend()
            await self.step(1)  # the inputs have acted, and their slots are free again
        for number in range(40):
            self.give(chance.randrange(BODIES), chance.randrange(1, 4), 1)
            if number % 13 == 12:
                self.ask("control", step=self.wire.Control.Step(ticks=chance.randrange(1, 5)))
            await asyncio.sleep(0 if self.life.is_burst else 0.01)
        await self.ended()

    async def step(self, ticks):
        await self.answer(self.ask("control", step=self.wire.Control.Step(ticks=ticks)))


class Bouncer(Actor):
    """Pushes discs about, so that contacts begin and end."""

    contacts = True

    async def live(self):
        chance = self.life.chance
        while True:
            self.push(chance.randrange(6), chance.uniform(-300, 300), chance.randrange(1, 9),
                      self.seq % 8)
            await self.pause()
            await asyncio.sleep(0.01)


__all__ = ["Bouncer", "Gone", "Kept", "Plain", "Refused", "Still", "Watcher", "BODIES"]
