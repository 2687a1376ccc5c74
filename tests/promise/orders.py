"""orders.py: clients that give orders: to a world, by WebSocket or HTTP, and about worlds.

Every order has an effect that the status or the scene of a world shows.  So after a crash a test
can check whether the answered orders are in force.
"""
import asyncio

from actors import Actor
from daemon import small_scene
from wire import Gone, fetch

RESETS = ("reset", "load")  # after these, ticks count from 0


def start(world, count):
    """The first state of a world of small_scene(world, count)."""
    names = tuple(f"{world}-{i}" for i in range(count))
    return {"gravity": 0.0, "damping": 0.0, "tick": 0, "paused": False, "bodies": names,
            "scene": names}


def play(state, order):
    """The state of a world after an order, as WIRE.md says."""
    name, *value = order
    state = dict(state)
    if name in ("gravity", "damping"):
        state[name] = value[0]
    elif name in ("pause", "resume"):
        state["paused"] = name == "pause"
    elif name == "step":
        state["tick"] += value[0]
    elif name == "reset":
        state.update(tick=0, bodies=state["scene"])
    elif name == "load":
        count = value[0]
        names = tuple(f"{load_name(count)}-{i}" for i in range(count))
        state.update(tick=0, gravity=0.0, damping=0.0, bodies=names, scene=names)
    elif name == "add":
        state["bodies"] = tuple(sorted({*state["bodies"], value[0]}))
    elif name == "drop":
        state["bodies"] = tuple(sorted({*state["bodies"]} - {value[0]}))
    return state


def load_name(count):
    return f"scene{count}"


def observe(port, world, has_tick):
    """The same state, from the daemon's status and scene of a world."""
    _, status = fetch(port, "GET", f"/v1/worlds/{world}")
    _, scene = fetch(port, "GET", f"/v1/worlds/{world}/scene")
    settings = status["settings"]
    names = tuple(sorted(body["name"] for body in scene["bodies"] if body.get("name")))
    return {"gravity": settings["gravity"].get("y", 0), "damping": settings["linearDamping"],
            "tick": int(status["tick"]) if has_tick else 0, "paused": status["state"] == "PAUSED",
            "bodies": names}


class Orderer(Actor):
    """Gives orders to one world, one after the other or all at once."""

    has_settings = True

    def __init__(self, life, name, world, kinds):
        super().__init__(life, name, world)
        self.kinds, self.book = kinds, life.folder.books[world]
        self.is_http = life.chance.random() < 0.4
        self.places, self.resets = {}, 0

    def choose(self):
        chance, kind = self.life.chance, self.life.chance.choice(self.kinds)
        bodies = self.latest()["bodies"]
        if kind == "gravity":
            return kind, -chance.randrange(1, 800) / 8
        if kind == "damping":
            return kind, chance.randrange(1, 80) / 8
        if kind == "step":
            return kind, chance.randrange(1, 12)
        if kind == "load":
            return kind, chance.randrange(1, 6)
        if kind == "add" and len(bodies) < 12:
            return kind, f"x{self.life.number}-{len(self.book.given)}"
        if kind == "drop" and len(bodies) > 2:
            return kind, chance.choice(bodies)
        return ("gravity", -chance.randrange(1, 800) / 8) if kind in ("add", "drop") else (kind,)

    def latest(self):
        state = self.book.state
        for order in self.book.given:
            state = play(state, order)
        return state

    async def live(self):
        while True:
            order = self.choose()
            place = self.book.give(order)
            self.resets += order[0] in RESETS
            if self.is_http:
                await asyncio.to_thread(self.order_by_http, order)
                self.book.answer(place)
                self.life.folder.totals["answered orders"] += 1
                self.life.daemon.happened(f"done {self.name}")
            else:
                request = self.ask("control", **self.control(order))
                self.places[request] = place
                if not self.life.is_burst or place % 4 == 0:
                    await self.until(lambda request=request: request in self.answers)
            await asyncio.sleep(self.life.chance.uniform(0, 0.02))

    def hear(self, session, kind, value):
        if kind == "control_done" and value.request in self.places:
            self.book.answer(self.places[value.request])
            self.life.folder.totals["answered orders"] += 1
        elif kind == "rejected" and value.request in self.places:
            # Directly after a load or reset, a change may name the scene before it.
            assert value.error.code == "STATE", value.error
            self.book.refuse(self.places[value.request])
        super().hear(session, kind, value)

    def control(self, order):
        from cairn.v1 import world_pb2
        wire, (name, *value) = self.wire, order
        if name == "gravity":
            return {"settings": world_pb2.Settings(gravity=self.scene.Vec3(y=value[0]))}
        if name == "damping":
            return {"settings": world_pb2.Settings(linear_damping=value[0])}
        if name == "step":
            return {"step": wire.Control.Step(ticks=value[0])}
        if name == "load":
            from google.protobuf import json_format
            scene = small_scene(load_name(value[0]), value[0])
            return {"load": world_pb2.LoadScene(
                scene=json_format.ParseDict(scene, self.scene.Scene()))}
        if name == "add":
            body = self.scene.Body(name=value[0], position=self.scene.Vec3(x=50), shapes=[
                self.scene.Shape(circle=self.scene.Shape.Circle(radius=0.5))])
            return {"change": world_pb2.Change(bodies=[body])}
        if name == "drop":
            return {"change": world_pb2.Change(remove=[value[0]])}
        return {name: getattr(wire.Control, name.capitalize())()}

    def order_by_http(self, order):
        name, *value = order
        path = f"/v1/worlds/{self.world}"
        if name == "gravity":
            request = "PATCH", path + "/settings", {"gravity": {"y": value[0]}}
        elif name == "damping":
            request = "PATCH", path + "/settings", {"linearDamping": value[0]}
        elif name == "step":
            request = "POST", path + "/step", {"ticks": value[0]}
        elif name == "load":
            request = "POST", path + "/load", {"scene": small_scene(load_name(value[0]), value[0])}
        elif name == "add":
            request = "POST", path + "/bodies", {"bodies": [
                {"name": value[0], "position": {"x": 50},
                 "shapes": [{"circle": {"radius": 0.5}}]}]}
        elif name == "drop":
            request = "DELETE", path + "/bodies/" + value[0], None
        else:
            request = "POST", f"{path}/{name}", {}
        status, answer = fetch(self.port, *request)
        if status == 503:
            raise Gone("the daemon ends")
        assert status in (200, 204), f"{request}: {status} {answer}"


class Maker(Actor):
    """Makes, forks and removes worlds."""

    async def live(self):
        chance, made = self.life.chance, self.life.folder.made
        for number in range(12):
            there = [name for name, one in made.items() if one["made"] and not one["removing"]]
            name = f"made-{self.life.number}-{number}"
            if there and chance.random() < 0.4:
                await self.remove(chance.choice(there))
            elif chance.random() < 0.5:
                made[name] = {"made": False, "removing": False, "removed": False, "tick": None}
                await self.create(name)
                made[name]["made"] = True
            else:
                made[name] = {"made": False, "removing": False, "removed": False, "tick": None}
                made[name]["tick"] = await self.fork(name)
                made[name]["made"] = True
            self.life.folder.totals["answered worlds"] += 1
            await asyncio.sleep(chance.uniform(0, 0.03))
        await self.ended()

    async def by_http(self, method, path, body=None):
        status, answer = await asyncio.to_thread(fetch, self.port, method, path, body)
        if status == 503:
            raise Gone("the daemon ends")
        assert status in (200, 201, 204), f"{method} {path}: {status} {answer}"
        self.life.daemon.happened(f"done {self.name}")
        return answer

    async def create(self, name):
        from google.protobuf import json_format
        from cairn.v1 import world_pb2
        scene = small_scene(name, 2)
        if self.life.chance.random() < 0.5:
            await self.by_http("POST", "/v1/worlds", {"id": name, "scene": scene})
        else:
            await self.answer(self.ask("control", create=world_pb2.CreateWorld(
                id=name, scene=json_format.ParseDict(scene, self.scene.Scene()))))

    async def remove(self, name):
        self.life.folder.made[name]["removing"] = True
        if self.life.chance.random() < 0.5:
            await self.by_http("DELETE", f"/v1/worlds/{name}")
        else:
            await self.answer(self.ask("control", remove=name))
        self.life.folder.made[name]["removed"] = True

    async def fork(self, name):
        if self.life.chance.random() < 0.5:
            answer = await self.by_http("POST", "/v1/worlds/tally/fork",
                                        {"id": name, "paused": True})
            return int(answer["originTick"])
        answer = await self.answer(self.ask("fork", world="tally", id=name, paused=True))
        self.life.daemon.happened(f"done {self.name}")
        return answer.tick
