"""folder.py: one data folder, and the lives of the daemons that use it one after the other."""
import asyncio
import os
import random
import signal
import subprocess
import tempfile

import past as past_check
from actors import (BODIES, GUARDED_BODY, HOLD_TICKS, KEPT_BODIES, LEASED_BODIES, PLAIN_BODIES,
                    Actor, Bouncer, Kept, Plain, Still, Watcher)
from daemon import Daemon, bounce_scene, small_scene, tally_scene
from model import Orders, Past, Pushes
from orders import RESETS, Maker, Orderer, observe, play, start
from wire import Gone, Refused, fetch

CAIRN = os.environ.get("CAIRN", os.path.join(os.getcwd(), "cairn"))
SETTLE_TICKS = HOLD_TICKS + 4  # after this many ticks every sent input has acted
STILL_WORLDS = ("still", "orders", "switch")
SCENES = [tally_scene("tally"), tally_scene("still"), bounce_scene("bounce"),
          small_scene("orders", 2), small_scene("switch", 3)]
WORLDS = [scene["name"] for scene in SCENES]
KINDS = {"orders": ("gravity", "damping", "step", "step", "reset", "load", "add", "drop"),
         "switch": ("pause", "resume", "gravity", "damping")}
TRIGGERS = ("durable plain", "durable kept", "durable still", "done kept", "done orders",
            "done switch", "done maker", "joined", "tick", "events", "none")
TRAFFIC_MAX_S = {True: 0.9, False: 3.0}  # until the kill, without its event


class Burner:
    """A push that lasts until it is released: while it is on, every tick adds one unit."""

    def __init__(self):
        self.forget()

    def forget(self):
        # is_on: the last request.  is_sure: the state of the counted inputs.  pending: (number, is
        # on) of inputs that are not counted yet.
        self.is_on, self.is_sure, self.pending, self.last = False, False, [], None
        self.story = []  # the last pictures: life, tick, units, the number counted, is it on

    def ask(self, seq, is_on):
        self.pending.append((seq, is_on))
        self.is_on = is_on

    def count(self, seq, is_all=False):
        """The inputs up to `seq` act.  is_all: the others are lost."""
        if is_all and self.pending:
            self.last = None  # the tick of the change is not known
        while self.pending and self.pending[0][0] <= seq:
            self.is_sure = self.pending.pop(0)[1]
        if is_all:
            self.pending, self.is_on = [], self.is_sure

    def show(self, life, tick, units, counted):
        was_certain, was_on = not self.pending, self.is_sure
        self.count(counted)
        self.story = [*self.story[-5:], (life.number, tick, units, counted, was_certain, was_on)]
        if self.last is not None and was_certain:
            last_tick, last_units = self.last
            due = last_units + (tick - last_tick if self.is_sure else 0)
            life.folder.totals["pictures of a hold"] += self.is_sure
            if units != due:
                life.fail("holds let go", f"tally: a push without an end, which is "
                          f"{'on' if self.is_sure else 'off'}, moves its body at {units} units at "
                          f"tick {tick}, after {last_units} at tick {last_tick}: {self.story}")
        self.last = (tick, units)


class Leases(Orders):
    """The bodies that the kept session holds."""

    def __init__(self):
        super().__init__(lambda state, order: {**state, order[0]: order[1]}, {})
        self.forget()

    def forget(self):
        self._settle({"tick": 0, GUARDED_BODY: False, **dict.fromkeys(LEASED_BODIES, False)})
        self.places = {}

    def give(self, request, body, is_taken):
        self.places[request] = super().give((body, is_taken))

    def answer(self, request):
        if request in self.places:
            super().answer(self.places[request])

    def judge_state(self, state, session):
        held = {row.body for row in state.held if row.session == session} if state else set()
        observed = {"tick": 0, **{body: body in held for body in (*LEASED_BODIES, GUARDED_BODY)}}
        self.places = {}
        return self.judge(observed)


class Folder:
    """The facts about one folder that outlive its daemons."""

    def __init__(self, durability, seed, totals, failures, folder):
        self.durability, self.totals, self.failures = durability, totals, failures
        self.is_tick_safe = durability == "tick"
        self.chance, self.path, self.number = random.Random(seed), folder, 0
        self.pasts = {world: Past(world, world in STILL_WORLDS) for world in WORLDS}
        self.due = dict.fromkeys(WORLDS, 0)  # ticks at which worlds must come back, or later
        self.books = {world: Orders(play, start(world, count))
                      for world, count in (("orders", 2), ("switch", 3))}
        self.ends = []         # ends of the last lives, in words
        self.made, self.burner, self.leases = {}, Burner(), Leases()
        self.plain, self.kept, self.still = None, None, None  # pushes that are not judged yet
        self.tokens = {}       # of kept sessions: name: (token, session)
        self.still_picture, self.caps_n = None, {None}
        self.still_is_kept = self.chance.random() < 0.5

    async def run(self, kills):
        while self.totals["kills"] < kills:
            self.number += 1
            await Life(self).run()
        await Life(self).run(is_last=True)


class Life:
    """One daemon, from its start to its end."""

    def __init__(self, folder):
        self.folder, self.chance, self.number = folder, folder.chance, folder.number
        self.is_burst = self.chance.random() < 0.4
        self.is_settled, self.is_guarded = False, False
        self.daemon, self.actors, self.still = None, [], None

    def fail(self, kind, text, count=1):
        self.folder.failures.add(kind, f"life {self.number} (before: "
                                 f"{', '.join(self.folder.ends)}): {text}", count)

    async def run(self, is_last=False):
        folder, chance = self.folder, self.chance
        options = ["--durability", folder.durability]
        options += ["--keep-running"] if chance.random() < 0.3 else []
        self.daemon = Daemon(folder.path, SCENES, options, chance)
        how = signal.SIGTERM if chance.random() < 0.06 else signal.SIGKILL
        kind = "whole" if is_last or self.number < 2 else chance.choices(
            ("whole", "early", "glance"), (0.8, 0.1, 0.1))[0]
        try:
            if kind == "early":
                asyncio.get_running_loop().call_later(chance.uniform(0, 0.12), self.daemon.kill)
            tasks = []
            try:
                tasks = await self.go(kind, how, is_last)
            except Gone:
                assert self.daemon.is_dying, "a connection ended:\n" + self.daemon.log_text()
            await self.daemon.wait()
            await self.drain(tasks)
        finally:
            for actor in self.actors:
                actor.close()
            self.daemon.finish()
        if not is_last:
            folder.totals["kills" if how == signal.SIGKILL or kind != "whole" else "stops"] += 1
            folder.totals["kills at their event"] += self.daemon.triggered
            folder.ends = [*folder.ends[-2:], f"{kind}, {self.daemon.story()}"]
            self.crash()

    async def go(self, kind, how, is_last):
        """Everything before the end; returns the tasks that the end stops."""
        if await self.daemon.ready() is None:
            return []
        await self.check_worlds()
        if kind == "early":
            return []
        await self.enter()
        if kind == "glance":
            self.daemon.kill_at("none", 1, self.chance.uniform(0, 0.3))
            return []
        await asyncio.gather(self.settle_tally(), self.settle_still(), *(
            past_check.check(self.daemon.port, past, self.folder.totals, self.folder.failures)
            for past in self.folder.pasts.values()))
        await self.check_made()
        if is_last:
            await self.check_folder()
            return []
        return await self.traffic(how)

    async def traffic(self, how):
        chance, folder = self.chance, self.folder
        actors = [self.plain, self.kept, self.still]
        if chance.random() < 0.5:
            actors.append(await self.add(Bouncer(self, "bouncer", "bounce")))
        for world in ("orders", "switch"):
            if chance.random() < 0.6:
                actors.append(await self.add(Orderer(self, world, world, KINDS[world])))
        if chance.random() < 0.4:
            actors.append(await self.add(Maker(self, "maker", "bounce")))
        trigger = chance.choice(TRIGGERS)
        names = {actor.name for actor in actors}
        if trigger.split()[-1] not in names and trigger.startswith(("done", "durable")):
            trigger = chance.choice(("durable plain", "durable kept", "durable still"))
        limit = TRAFFIC_MAX_S[folder.is_tick_safe]
        count = chance.randrange(1, 4 if folder.is_tick_safe else 2)
        self.daemon.kill_at(trigger, count, limit * chance.uniform(0.5, 1), how)
        self.is_settled = True
        return [asyncio.create_task(actor.live()) for actor in actors]

    async def add(self, actor, **more):
        self.actors.append(actor)
        await actor.enter(**more)
        return actor

    async def drain(self, tasks):
        """Reads the messages that were on their way, and ends all actors."""
        for actor in self.actors:
            await actor.ended()
        for task in tasks:
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception) and not isinstance(result, (Gone, Refused)):
                raise result
            if isinstance(result, Refused) and result.code not in ("STOPPING", "STATE"):
                raise result

    def crash(self):
        """The daemon has died: drops the facts that it may take back."""
        folder = self.folder
        resets = [order for order in folder.books["orders"].given if order[0] in RESETS]
        seen = sum(actor.joined_count - 1 for actor in self.actors if actor.name == "orders")
        if len(resets) > seen:
            folder.pasts["orders"].begin_anew()
        for world, past in folder.pasts.items():
            folder.due[world] = past.crash(folder.is_tick_safe)
        folder.still_picture = None
        if isinstance(self.still, Still):
            folder.still_picture = self.still.settled_picture()
        if not folder.is_tick_safe:
            folder.burner.last = None
        for actor in self.actors:
            if actor.welcome and actor.welcome.resume and actor.joined:
                folder.tokens[actor.name] = (actor.welcome.resume, actor.welcome.session)

    async def check_worlds(self):
        """Every world is back, at the last shown tick or a later one; orders are in force."""
        folder, port = self.folder, self.daemon.port
        status, listed = await asyncio.to_thread(fetch, port, "GET", "/v1/worlds")
        assert status == 200, listed
        there = {world["id"]: world for world in listed["worlds"]}
        for world in WORLDS:
            one = there.get(world)
            if one is None or one["state"] == "FAILED":
                self.fail("worlds lost", f"{world}: {one and one['failure']}")
                raise AssertionError("a world is lost; there is nothing to go on with")
            folder.totals["restarts of a world"] += 1
            if int(one["tick"]) < folder.due[world]:
                self.fail("ticks taken back", f"{world}: back at tick {one['tick']} after tick "
                          f"{folder.due[world]} was shown", folder.due[world] - int(one["tick"]))
                folder.pasts[world].newest = int(one["tick"])
            folder.due[world] = max(folder.due[world], int(one["tick"]))
        for world in folder.books:
            await self.check_orders(world)
        self.check_list(there)

    async def check_orders(self, world):
        book, has_tick = self.folder.books[world], world == "orders"
        if has_tick and self.number == 1:
            path = f"/v1/worlds/{world}/pause"
            await asyncio.to_thread(fetch, self.daemon.port, "POST", path, {})
        observed = await asyncio.to_thread(observe, self.daemon.port, world, has_tick)
        while has_tick:  # a step without an answer may continue
            await asyncio.sleep(0.03)
            again = await asyncio.to_thread(observe, self.daemon.port, world, has_tick)
            if again == observed:
                break
            observed = again
        words = book.judge(observed)
        if words and self.number > 1:
            self.fail("orders undone", f"{world}: {words}")

    def check_list(self, there):
        made = self.folder.made
        for name, one in list(made.items()):
            if one["made"] and not one["removing"] and name not in there:
                self.fail("worlds undone", f"{name} was made, and is not there")
            if one["removed"] and name in there:
                self.fail("worlds undone", f"{name} was removed, and is there")
            if name not in there or (one["removed"] and name in there):
                del made[name]
                continue
            one["made"], one["removing"] = True, False
            status = there[name]
            if one["tick"] is not None and int(status["originTick"]) != one["tick"]:
                self.fail("worlds undone", f"{name} is a fork of tick {status['originTick']} and "
                          f"was answered to be of {one['tick']}")

    async def check_made(self):
        """Forks contain the shown state of their origin at their tick; then removes old worlds."""
        made, past = self.folder.made, self.folder.pasts["tally"]
        for name, one in list(made.items()):
            states = past.facts.get(one["tick"], {}).get("state") if one["tick"] else None
            if states:
                visitor = await self.add(Actor(self, "visitor", name))
                heard = []
                visitor.heard = lambda session, kind, value: kind == "raw" and heard.append(
                    bytes(value.columns))
                await visitor.join(name)
                await visitor.until(lambda: heard, "a picture of a fork")
                self.folder.totals["forks compared"] += 1
                if heard[0] not in states:
                    self.fail("worlds undone", f"{name} does not hold what tally showed at tick "
                              f"{one['tick']}")
                visitor.close()
            if len(made) > 6 or one["tick"]:
                await asyncio.to_thread(fetch, self.daemon.port, "DELETE", f"/v1/worlds/{name}")
                del made[name]

    async def enter(self):
        """New sessions join, and kept ones are resumed."""
        folder = self.folder
        self.plain = await self.add(Plain(self, "plain", "tally"))
        if "kept" in folder.tokens:
            await self.plain.until(lambda: self.plain.observed_tick >= 0, "a picture")
            words = folder.leases.judge_state(self.plain.leases, folder.tokens["kept"][1])
            folder.totals["restarts of leases"] += 1
            if words:
                self.fail("leases lost", f"tally, before their holder is back: {words}")
        self.kept = await self.come_back(Kept(self, "kept", "tally"), True)
        self.still = await self.come_back(Still(self, "still", "still"), folder.still_is_kept)
        await self.add(Watcher(self, "watcher", "tally"))
        if not folder.leases.state[GUARDED_BODY]:
            await self.kept.answer(self.kept.ask("lease", body=GUARDED_BODY,
                                                 acquire=self.kept.wire.Lease.Acquire()))
            folder.leases.state[GUARDED_BODY] = True
        await self.check_cap(self.plain.leases)
        self.is_guarded = True

    async def check_cap(self, leases):
        """The caps that an instructor gave for a body are in force."""
        folder = self.folder
        caps = {row.body: row.caps.force for row in leases.capped} if leases else {}
        if caps.get(GUARDED_BODY) not in folder.caps_n:
            self.fail("caps lost", f"tally: body {GUARDED_BODY} has the caps {caps} where one of "
                      f"{folder.caps_n} was answered or asked for")
        cap_n = float(self.chance.randrange(100, 1000))
        folder.caps_n = {caps.get(GUARDED_BODY), cap_n}
        await self.kept.answer(self.kept.ask("lease", body=GUARDED_BODY,
                                             cap=self.kept.scene.Caps(force=cap_n)))
        folder.caps_n = {cap_n}

    async def come_back(self, actor, is_kept):
        folder, name = self.folder, actor.name
        token, session = folder.tokens.get(name, (b"", 0))
        pushes = getattr(folder, name)
        await self.add(actor, keep=is_kept, resume=token)
        is_back = actor.welcome.resumed
        if token:
            folder.totals["sessions that come back"] += 1
            if not is_back or actor.welcome.session != session:
                self.fail("sessions lost", f"{actor.world}: session {session} asked to be kept, "
                          "and its token is worth nothing after the restart")
                if name == "kept":
                    folder.leases.forget()
                    folder.burner.forget()
            elif pushes is not None:
                counted = actor.welcome.next_seq - 1
                if not pushes.acknowledged <= counted <= pushes.sent:
                    self.fail("numbers lost", f"{actor.world}: session {session} goes on with "
                              f"input {counted + 1}, of {pushes.sent} sent and "
                              f"{pushes.acknowledged} acknowledged")
        actor.counted = actor.welcome.next_seq - 1 if is_back else None
        return actor

    async def settle_tally(self):
        """Waits until all sent inputs have acted, and judges them."""
        folder, plain = self.folder, self.plain
        first = plain.joined.status.tick
        await plain.until(lambda: plain.observed_tick >= first + SETTLE_TICKS, "ticks")
        observed = plain.observed
        self.judge("tally", folder.plain, observed)
        folder.plain = plain.pushes = Pushes(PLAIN_BODIES, observed)
        if observed[GUARDED_BODY] != 0:
            self.fail("leases without effect", "tally: a leased body was pushed by somebody else")
        self.kept.pushes = folder.kept = self.go_on(
            "tally", self.kept, folder.kept, observed, KEPT_BODIES)
        if self.kept.counted is not None:
            folder.burner.count(self.kept.counted, is_all=True)

    async def settle_still(self):
        folder, still = self.folder, self.still
        if still.joined.status.state != still.joined.status.PAUSED:
            if folder.still is not None:
                self.fail("orders undone", "still: it was paused and goes on")
            await still.answer(still.ask("control", pause=still.wire.Control.Pause()))
        else:
            self.compare_still(still)
        first = still.joined.status.tick
        await still.step(SETTLE_TICKS)
        await still.until(lambda: still.observed_tick >= first + SETTLE_TICKS, "a step")
        folder.still = still.pushes = self.go_on(
            "still", still, folder.still, still.observed, range(BODIES))

    def compare_still(self, still):
        """A paused world shows the same hash as before, with the same held inputs."""
        last, first = self.folder.still_picture, still.first
        if last is None or first is None or last[0] != first[0]:
            return
        self.folder.totals["shown hash"] += 1
        if last[1] != first[1]:
            self.fail("shown hash that differ", f"still: tick {last[0]} was shown with the hash "
                      f"{last[1]:016x} and is shown with {first[1]:016x}")

    def go_on(self, world, actor, pushes, observed, bodies):
        """The pushes of a resumed session, or of a new one."""
        counted = self.judge(world, pushes, observed, actor.counted)
        if actor.counted is None or pushes is None:
            return Pushes(bodies, observed)
        pushes.settle(actor.counted if counted is None else counted, observed)
        return pushes

    def judge(self, world, pushes, observed, exactly=None):
        if pushes is None:
            return None
        count, lost, doubled, words = pushes.judge(observed, exactly)
        self.folder.totals["tallies"] += 1
        if words:
            kind = "inputs without effect" if lost else (
                "inputs that acted twice" if doubled else "inputs out of order")
            self.fail(kind, f"{world}: {words}", lost or doubled or 1)
        return count

    async def check_folder(self):
        """The last daemon ends in order; then `cairn verify` replays everything that is stored."""
        self.daemon.kill(signal.SIGTERM)
        await self.daemon.wait()
        done = await asyncio.to_thread(
            subprocess.run, [CAIRN, "verify", os.path.join(self.folder.path, "data")],
            capture_output=True, text=True)
        self.folder.totals["folders verified"] += 1
        if done.returncode != 0:
            self.fail("folders that differ", f"cairn verify: {done.stdout}{done.stderr}")


def run_folder(durability, seed, kills, totals, failures):
    with tempfile.TemporaryDirectory(prefix="cairn-promise-") as path:
        asyncio.run(Folder(durability, seed, totals, failures, path).run(kills))
