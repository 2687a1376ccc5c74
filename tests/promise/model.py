"""model.py: the data that clients were shown, and the facts that follow for the time after a crash.

Pushes: the inputs that have acted.  A world without gravity adds up its pushes: an input of one
tick adds a known number of units to the velocity of one body, so the velocities are a tally of the
inputs that have acted.  The inputs of a session act in the order of their numbers.  So the
velocities after a crash must be the sum of the first P of them.  P is at least the last
acknowledged one and at most the last sent one.  A smaller sum is a loss; in a larger one an input
acted twice.

Orders: the same for orders, which change a small state that the daemon's status shows.

Past: the shown facts of each tick of a world.  The world's past must contain each of them.
"""

UNIT_M_S = 1 / 256  # velocity of one unit of push: exact in binary, as are its sums


class Failures:
    """The data that was taken back: counted by kind, and printed in words."""

    WORDS_MAX = 40  # lines that one run prints

    def __init__(self, say):
        self.counts, self.say, self.told = {}, say, 0

    def add(self, kind, text, count=1):
        self.counts[kind] = self.counts.get(kind, 0) + count
        self.told += 1
        if self.told <= self.WORDS_MAX:
            self.say(f"TAKEN BACK ({kind}): {text}")


class Pushes:
    """The pushes of one session on bodies that no other session pushes."""

    def __init__(self, bodies, base):
        self.bodies = list(bodies)
        self.base = {body: base[body] for body in self.bodies}
        self.first, self.effects = 0, []  # effects[i]: (body or None, units) of input first+i+1
        self.acknowledged = 0

    @property
    def sent(self):
        return self.first + len(self.effects)

    def add(self, seq, body, units):
        assert seq == self.sent + 1, f"input {seq} follows {self.sent}"
        self.effects.append((body, units))

    def acknowledge(self, seq):
        """The number of newly acknowledged inputs."""
        more = max(0, min(seq, self.sent) - max(self.acknowledged, self.first))
        self.acknowledged = max(self.acknowledged, seq)
        return more

    def total(self, count):
        """Units of each body after the inputs up to number `count` have acted."""
        units = dict(self.base)
        for body, more in self.effects[:max(0, count - self.first)]:
            if body is not None:
                units[body] += more
        return units

    def judge(self, observed, exactly=None):
        """(number of inputs that have acted or None, number of lost ones, units too many, text)."""
        there = {body: observed[body] for body in self.bodies}
        least = max(self.acknowledged, self.first)
        counts = range(least, self.sent + 1) if exactly is None else [exactly]
        for count in counts:
            if self.total(count) == there:
                return count, 0, 0, ""
        return (None, *self._blame(there, least))

    def _blame(self, there, least):
        at_least, at_most, lost, doubled, words = self.total(least), self.total(self.sent), 0, 0, []
        for body in self.bodies:
            missing = at_least[body] - there[body]
            if missing > 0:
                words.append(f"body {body} moves at {there[body]} units where "
                             f"{at_least[body]} were acknowledged")
            for other, units in reversed(self.effects[:least - self.first]):
                if missing > 0 and other == body:
                    missing -= units
                    lost += 1
            if there[body] > at_most[body]:
                doubled += there[body] - at_most[body]
                words.append(f"body {body} moves at {there[body]} units where only "
                             f"{at_most[body]} were ever asked for")
        if not words:
            words.append("inputs acted out of their order: "
                         f"{there} is the sum of no first part of them")
        return lost, doubled, (f"of the inputs {self.first + 1} to {self.sent}, acknowledged up to "
                               f"{least}: " + "; ".join(words))

    def settle(self, count, observed):
        """`count` inputs have acted; the later ones have not."""
        self.base = {body: observed[body] for body in self.bodies}
        self.effects = self.effects[count - self.first:]
        self.first = self.acknowledged = count


class Orders:
    """Orders of one world in the order in which they were given, and the state that they make.

    `play(state, order)` returns the state after the order.  A state is a dict.  "tick" is a number;
    a step without an answer may have brought it part of the way.
    """

    def __init__(self, play, state):
        self.play, self.state = play, state
        self.given, self.answered = [], 0

    def give(self, order):
        self.given.append(order)
        return len(self.given)

    def answer(self, count):
        self.answered = max(self.answered, count)

    def refuse(self, count):
        """The order has no effect."""
        self.given[count - 1] = ("none",)
        self.answer(count)

    def judge(self, observed):
        """None when the observed state follows from the answered orders, or some more; else words.

        The observed state is then the new state, with the members that cannot be observed.
        """
        states = [self.state]
        for order in self.given:
            states.append(self.play(states[-1], order))
        due, given, answered = states[self.answered], self.given, self.answered
        for count in range(answered, len(states)):
            if self._fits(observed, states, count):
                self._settle({**states[count], **observed})
                return None
        self._settle({**due, **observed})
        words = [f"{name} is {value} and was {due[name]} when the last order was answered"
                 for name, value in observed.items() if due[name] != value]
        return (f"{'; '.join(words) or observed} (orders, of which {answered} were answered: "
                f"{given})")

    def _fits(self, observed, states, count):
        now = states[count]
        if any(now[name] != value for name, value in observed.items() if name != "tick"):
            return False
        until = now["tick"]
        if count < len(self.given) and self.given[count][0] == "step":
            until = states[count + 1]["tick"]
        return now["tick"] <= observed["tick"] <= until

    def _settle(self, state):
        self.state, self.given, self.answered = state, [], 0


class Past:
    """The shown facts of each tick of a world since its last reset or load.

    A tick has facts by kind: "state" (every number of every body, as Raw has it), "poses" (the
    columns of a Snapshot), "hash" and "events".  In a running world each has one value.  In a
    paused one a tick may be shown again when something in it has changed.
    """

    def __init__(self, world, is_still):
        self.world, self.is_still = world, is_still
        self.begin_anew()

    def begin_anew(self):
        self.facts = {}          # tick: {kind: {value}}
        self.due = set()         # ticks that were shown before a crash, and must be checked
        self.checked = set()
        self.newest, self.durable_tick = 0, 0

    def reach(self, tick, durable_tick):
        self.newest = max(self.newest, tick)
        self.durable_tick = max(self.durable_tick, durable_tick)

    def show(self, tick, kind, value):
        """None, or in words how this contradicts an earlier value of that tick."""
        values = self.facts.setdefault(tick, {}).setdefault(kind, set())
        is_new = value not in values
        values.add(value)
        if is_new and len(values) > 1 and not self.is_still:
            return f"{self.world}: tick {tick} was shown twice, with another {kind} the second time"
        return None

    def crash(self, is_tick_safe):
        """With SECOND, ticks after the durable one may be taken back.  Returns the tick at which
        the world must come back, or later."""
        if not is_tick_safe:
            self.facts = {tick: facts for tick, facts in self.facts.items()
                          if tick <= self.durable_tick}
            self.newest = self.durable_tick
        self.due = {tick for tick in self.facts if tick not in self.checked}
        return self.newest

    def compare(self, tick, told, kinds):
        """Compares the facts of a tick with its past; yields (kind, whether they are equal)."""
        for kind, values in self.facts[tick].items():
            if kind in kinds and told.get(kind):
                yield kind, bool(values & told[kind])
