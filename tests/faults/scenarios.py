"""scenarios.py: six uses of the programs, and the conditions that must hold for each after a fault.

A scenario runs once with a Watch and returns `survived` or `refused`, or raises Wrong.
"""
import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e", "protocol"))
import daemon as protocol
from daemon import PREFIX, PROGRAM, Client, Daemon, websockets
from shim import ASAN_STATUS, Watch

TOP = os.path.abspath(os.path.join(HERE, "..", ".."))
CAIRN = os.environ.get("CAIRN", os.path.join(os.path.dirname(PROGRAM), "cairn"))
LOOK = os.environ.get("KILL_LOOK", os.path.join(os.getcwd(), "tests", "kill", "look"))
PAGE = os.path.join(HERE, "page")
BALL_FILE = os.path.join(HERE, "ball.yaml")
REFUSALS = {2, 3, 71, 73, 74, 78}  # documented exit statuses
TURNS_MAX = 8
# Seconds that anything may take on a busy machine; after that it counts as hanging.  If a lock of
# SQLite was not released, SQLite tries to begin reading a hundred times, ten seconds in total; then
# the store fails with a message.
PATIENCE = protocol.PATIENCE = 120


class Wrong(Exception):
    """A condition that does not hold."""


class Refused(Exception):
    """A request was answered with an error, or its connection has ended."""


def scene_path(name):
    return os.path.join(TOP, "scenes", name + ".yaml")


# ---- programs that end by themselves ----

class Command:
    """cairn with arguments: the same output, or a documented status and a reason."""

    def __init__(self, name, arguments, statuses=(0,)):
        self.name, self.arguments, self.statuses = name, arguments, statuses
        self.program, self.output, self.is_left = CAIRN, None, False

    def prepare(self, folder):
        pass

    def run(self, folder, watch, is_strict):
        try:
            done = subprocess.run([CAIRN, *self.arguments], env=watch.environment, timeout=PATIENCE,
                                  capture_output=True)
        except subprocess.TimeoutExpired:
            raise Wrong("does not end")
        if self.output is None:
            self.output = done.stdout
        if done.returncode in self.statuses:
            if done.stdout != self.output:
                raise Wrong(f"other output, and exit status {done.returncode}")
            return "survived"
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode not in REFUSALS or is_strict:
            raise Wrong(f"exit status {done.returncode}: {said[-300:]}")
        if len(said) < 10:
            raise Wrong(f"exit status {done.returncode} and not a word")
        return "refused"


# ---- daemons ----

class Life(Daemon):
    """A daemon on a folder; `port` is None when it has ended before it listened."""

    def __init__(self, folder, options, environment=None):
        self.data = os.path.join(folder, "data")
        self.log = open(os.path.join(folder, "log"), "w+")
        # Other programs on the machine may make a worker seem too busy for a world.
        self.process = subprocess.Popen(
            [*PREFIX, PROGRAM, "--data", self.data, "--listen", "127.0.0.1:0", "--workers", "1",
             "--load-max", "100", "--page", PAGE, "--scene", BALL_FILE, "--keep-running", *options],
            stderr=self.log, env=environment)
        self.port, end = None, time.monotonic() + PATIENCE
        while self.process.poll() is None:
            found = re.search(r"listening at http://127\.0\.0\.1:(\d+)/", self.log_text())
            if found:
                self.port = int(found.group(1))
                return
            if time.monotonic() > end:
                self.kill()
                raise Wrong("neither listens nor ends:\n" + self.log_text()[-300:])
            time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """The exit status, after SIGTERM if necessary."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Wrong("does not stop:\n" + self.log_text()[-300:])
        finally:
            self.log.close()

    def ask(self, method, path, body=None, expected=(200,)):
        try:
            status, _, answer = self.request(method, path, body)
        except TimeoutError:
            raise Wrong(f"{method} {path} has no answer:\n{self.log_text()[-400:]}")
        except (OSError, ValueError, protocol.http.client.HTTPException) as error:
            raise Refused(f"{method} {path}: {error!r}")
        if status in expected:
            return answer
        if (status, answer) == (500, ""):
            raise Refused(f"{method} {path}: no memory for words")
        if status >= 500 or status == 429:
            if not isinstance(answer, dict) or not answer.get("code"):
                raise Wrong(f"{method} {path}: {status} without a code: {answer!r}")
            raise Refused(f"{method} {path}: {status} {answer}")
        raise Wrong(f"{method} {path}: {status} {answer}")


def check_end(status, said, is_strict):
    """`refused` for a documented failure, None for an end in order."""
    if status == 0:
        return None
    has_said_why = any("cairnd: info" not in line for line in said.splitlines() if line)
    if status not in REFUSALS or is_strict or not has_said_why:
        raise Wrong(f"exit status {status}: {said[-400:]}")
    return "refused"


class Service:
    """A daemon that is started, used, stopped, and started again without faults."""

    def __init__(self, name, use, options=(), counts_from_start=True, template=None):
        self.name, self.use, self.options = name, use, list(options)
        self.counts_from_start, self.template = counts_from_start, template
        self.program, self.is_left = PROGRAM, False

    def prepare(self, folder):
        if self.template is not None:
            self.known = self.template(folder)

    def run(self, folder, watch, is_strict):
        place = os.path.join(folder, "life")
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        known = State()
        if self.template is not None:
            shutil.copytree(os.path.join(folder, "template"), os.path.join(place, "data"))
            known = self.known.copy()
        watch.count_calls(self.counts_from_start)
        life = Life(place, self.options, watch.environment)
        try:
            results = self.live(life, known, watch, is_strict)
        finally:
            if life.process.poll() is None:
                life.kill()
        self.live_again(place, known)
        return "refused" if "refused" in results else "survived"

    def live(self, life, known, watch, is_strict):
        results = []
        watch.count_calls(True)
        # After the fault everything has to work, once the daemon has checked the disk again.
        for turn in range(TURNS_MAX):
            has_failed = watch.has_failed()
            if life.port is None or life.process.poll() is not None:
                break
            try:
                self.use(life, known, f"w{turn}")
                if watch.fault is None or has_failed or not watch.has_failed():
                    break
            except Refused as refused:
                if is_strict or (turn == TURNS_MAX - 1 and not has_stopped(life)):
                    raise Wrong(f"is refused later: {refused}\n{life_text(life)[-400:]}")
                results.append("refused")
                time.sleep(0.2 * turn * turn)
        status, said = life.end(), life_text(life)
        # libwebsockets did not stop; the daemon has reported that, and ended without it.
        self.is_left = "a connection does not end and is abandoned" in said
        if self.is_left and status == ASAN_STATUS and "ERROR: AddressSanitizer" not in said:
            status = 0
        results.append(check_end(status, said, is_strict))
        return results

    def live_again(self, place, known):
        """Acknowledged data is there, and a daemon without faults runs on the folder."""
        known.check_inputs(place)
        life = Life(place, self.options)
        if life.port is None:
            raise Wrong("the next one does not start: " + life.log_text()[-400:])
        try:
            known.check(life)
        except Refused as refused:
            raise Wrong(f"the next one refuses: {refused}")
        finally:
            status = life.end()
        if status != 0:
            raise Wrong(f"the next one ends with {status}")


def has_stopped(life):
    """Whether it has ended, or stops now; a search for leaks takes a while."""
    try:
        life.process.wait(timeout=PATIENCE if "; stopping" in life_text(life) else 0)
    except subprocess.TimeoutExpired:
        return False
    return True


def life_text(life):
    with open(life.log.name) as log:
        return log.read()


class State:
    """The data that a daemon has acknowledged."""

    def __init__(self):
        self.there, self.gone, self.durable = set(), set(), {}

    def copy(self):
        other = State()
        other.there, other.gone = set(self.there), set(self.gone)
        other.durable = dict(self.durable)
        return other

    def made(self, world):
        self.there.add(world)

    def maybe_gone(self, world):
        self.there.discard(world)

    def removed(self, world):
        self.there.discard(world)
        self.gone.add(world)

    def check(self, life):
        worlds = {world["id"]: world for world in life.ask("GET", "/v1/worlds")["worlds"]}
        if not self.there <= set(worlds):
            raise Wrong(f"lost worlds: {sorted(self.there - set(worlds))}")
        if self.gone & set(worlds):
            raise Wrong(f"removed worlds are back: {sorted(self.gone & set(worlds))}")
        for name, world in worlds.items():
            if world.get("failure"):
                raise Wrong(f"{name} has failed: {world['failure']}")

    def check_inputs(self, place):
        if not self.durable:
            return
        copy = os.path.join(place, "copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(os.path.join(place, "data"), copy,
                        ignore=shutil.ignore_patterns("reserve", "LOCK"))
        out = subprocess.run([LOOK, copy], capture_output=True, text=True, timeout=PATIENCE)
        if out.returncode != 0:
            raise Wrong(f"the folder can not be read: {out.stderr[-300:]}")
        stored = {}
        for line in out.stdout.splitlines():
            kind, *rest = line.split()
            if kind == "settled":
                stored[int(rest[2])] = int(rest[3])
        for session, seq in self.durable.items():
            # An end in order leaves a checkpoint, which settles everything before it.
            if stored and stored.get(session, seq) < seq:
                raise Wrong(f"lost inputs: {seq} acknowledged, {stored.get(session)} stored")


# ---- uses of a daemon ----

BALL = {"name": "ball", "mass": 1, "position": {"y": 2}, "shapes": [{"circle": {"radius": 0.3}}]}
FLOOR = {"name": "floor", "type": "STATIC", "position": {"y": -0.5},
         "shapes": [{"box": {"size": {"x": 20, "y": 1, "z": 1}}}]}
WALL = {"name": "wall", "world": {"stepper": "time", "solver": "impulse"}, "bodies": [FLOOR, BALL]}
TETRAHEDRON = {
    "name": "tetrahedron",
    "obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"}
MESHES = {
    "name": "meshes", "meshes": [TETRAHEDRON],
    "world": {"stepper": "time", "solver": "impulse", "dimension": "SPATIAL"},
    "bodies": [{"name": "stone", "mass": 1, "position": {"y": 2},
                "shapes": [{"mesh": {"name": "tetrahedron"}}]}]}


def make_world(life, known, world, scene=None):
    life.ask("POST", "/v1/worlds", {"id": world, "scene": scene or WALL}, (201,))
    known.made(world)


def remove_world(life, known, world):
    known.maybe_gone(world)
    life.ask("DELETE", f"/v1/worlds/{world}", None, (204,))
    known.removed(world)


def use_worlds(life, known, world):
    make_world(life, known, world)
    life.ask("GET", "/v1/worlds")
    life.ask("POST", f"/v1/worlds/{world}/pause")
    life.ask("PATCH", f"/v1/worlds/{world}/settings", {"gravity": {"y": -3}})
    life.ask("POST", f"/v1/worlds/{world}/bodies", {"bodies": [{**BALL, "name": "more"}]})
    life.ask("GET", f"/v1/worlds/{world}/scene")
    make_world(life, known, world + "b")
    remove_world(life, known, world + "b")
    life.ask("GET", "/metrics")


class Visitor(Client):
    """Joins, subscribes in every mode, pushes, leaves."""

    async def see(self, known, world):
        wire = sys.modules["cairn.v1.wire_pb2"]
        await self.open()
        await self.hello()
        await self.join(world)
        modes = (("snapshot", wire.Subscribe.QUANTISED), ("delta", wire.Subscribe.DELTA),
                 ("raw", wire.Subscribe.RAW))
        for kind, mode in modes:
            await self.send(subscribe=wire.Subscribe(mode=mode, contacts=True, energy=True))
            await self.push(3)
            await self.receive(kind)
        await self.send(subscribe=wire.Subscribe())
        await self.control(list=True)
        await self.receive("worlds")
        await self.push(3)
        await self.receive("tick", lambda tick: tick.durable_seq >= self.seq)
        await self.send(leave=wire.Leave())
        await self.socket.close()

    async def push(self, count):
        wire = sys.modules["cairn.v1.wire_pb2"]
        for _ in range(count):
            await self.input(drag=wire.Input.Drag(
                body=1, target={"x": 1, "y": 2}, stiffness=10.0, damping=1.0))

    def note(self, known):
        ticks = [m.tick for m in self.kept if m.WhichOneof("message") == "tick"]
        if ticks and hasattr(self, "welcome"):
            known.durable[self.welcome.session] = max(tick.durable_seq for tick in ticks)

    def refusals(self):
        return [m.rejected for m in self.kept if m.WhichOneof("message") == "rejected"]


def use_sessions(life, known, world):
    if world not in known.there:
        make_world(life, known, world)
    visitor = Visitor(life, "ann")
    try:
        asyncio.run(asyncio.wait_for(visitor.see(known, world), PATIENCE))
    except (websockets.ConnectionClosed, websockets.InvalidHandshake, OSError, EOFError) as error:
        raise Refused(f"session: {error!r}")
    except asyncio.TimeoutError:
        if not visitor.refusals():
            raise Wrong("a session hears nothing, and is not refused by name")
        raise Refused(f"session: {visitor.refusals()[0].code}")
    finally:
        visitor.note(known)


def make_stored(folder):
    """Leaves a folder as a killed daemon does, with worlds and inputs, and returns its contents."""
    known = State()
    place = os.path.join(folder, "first")
    os.makedirs(place)
    life = Life(place, [])
    try:
        use_worlds(life, known, "a")
        make_world(life, known, "m", MESHES)
        use_sessions(life, known, "b")
    finally:
        life.kill()
    shutil.copytree(os.path.join(place, "data"), os.path.join(folder, "template"),
                    ignore=shutil.ignore_patterns("reserve", "LOCK"))
    return known


def use_little(life, known, world):
    known.check(life)
    make_world(life, known, world)


def use_keeper(life, known, world):
    """Loads make checkpoints, and remove older ones; the keeper checks every second."""
    make_world(life, known, world)
    for _ in range(3):
        life.ask("POST", f"/v1/worlds/{world}/load", {"scene": WALL})
        time.sleep(0.4)
    life.ask("GET", f"/v1/worlds/{world}")


def use_meshes(life, known, world):
    make_world(life, known, world, MESHES)
    torn = json.loads(json.dumps(MESHES))
    torn["meshes"][0]["obj"] = "v 0 0 0\nf 1 2 3\n"
    life.ask("POST", "/v1/worlds", {"id": world + "x", "scene": torn}, (400, 422))
    life.ask("POST", "/v1/worlds", {"id": world + "y", "scene": {"bodys": 1}}, (400,))
    life.ask("POST", "/v1/check", {"scene": WALL})


def scenarios():
    return [
        Command("run-joints", ["run", scene_path("machines-in-space"), "--ticks", "4"]),
        Command("run-exact", ["run", scene_path("newtons-cradle"), "--ticks", "40"]),
        Command("run-meshes", ["run", scene_path("bones"), "--ticks", "2", "--workers", "2"]),
        Service("worlds", use_worlds),
        Service("sessions", use_sessions, counts_from_start=False),
        Service("recovery", use_little, template=make_stored),
        Service("keeper", use_keeper, ["--history", "0"], counts_from_start=False),
        Service("meshes", use_meshes, counts_from_start=False),
        Command("check", ["check", scene_path("card-house")], (0, 1)),
        Command("validate", ["validate", scene_path("incline"), os.path.join(HERE, "bad.yaml")],
                (2,)),
    ]
