"""folders.py: a data folder with worlds of every kind, made by a real daemon and real clients."""
import asyncio
import os
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e", "protocol"))
from daemon import PATIENCE, PREFIX, Client, Daemon, generate_protos, until

GENERATED = tempfile.TemporaryDirectory()
generate_protos(GENERATED.name)
from cairn.v1 import scene_pb2, wire_pb2

BOX = "shapes: [{box: {size: {x: 1, y: 1, z: 1}}, density: 2}]"
FLOOR = ("  - {name: floor, type: STATIC, position: {y: -0.5},\n"
         "     shapes: [{box: {size: {x: 40, y: 1, z: 40}}}]}\n")


def stack(name, count, world, more=""):
    """Boxes one on the other, each a little to the side."""
    boxes = "".join(f"  - {{name: box{i}, position: {{x: {0.05 * i}, y: {0.5 + i}}}, {BOX}}}\n"
                    for i in range(count))
    return (f"name: {name}\nworld: {world}\nmaterials: [{{name: all, friction: 0.5}}]\n"
            f"bodies:\n{FLOOR}{boxes}{more}")


SCENES = {
    # The exact solver, in the plane.
    "stack": stack("stack", 4, "{gravity: {y: -9.81}}"),
    # The production solver, in space: two stacks that sleep, and a body that flies without end.
    "pile": stack("pile", 5, "{dimension: SPATIAL, stepper: time, solver: impulse}",
                  f"  - {{name: flier, position: {{x: 9, y: 5}}, gravityScale: 0,\n"
                  f"     velocity: {{x: 0.25, z: -0.5}}, angularVelocity: {{y: 1}}, {BOX}}}\n"),
    # Joints with motors, limits and a spring.
    "machine": stack(
        "machine", 1, "{stepper: time, solver: impulse}",
        f"  - {{name: crank, position: {{x: 4, y: 6}}, {BOX}}}\n"
        f"  - {{name: bob, position: {{x: 5.5, y: 6}}, {BOX}}}\n"
        f"  - {{name: piston, position: {{x: -6, y: 4}}, {BOX}}}\n"
        "joints:\n"
        "  - {name: axle, hinge: {bodyB: crank, anchor: {x: 4, y: 6}, motor: {speed: 2}}}\n"
        "  - {name: pin, hinge: {bodyA: crank, bodyB: bob, anchor: {x: 4.8, y: 6}}}\n"
        "  - {name: cylinder, slider: {bodyB: piston, anchor: {x: -6, y: 4}, axis: {y: 1},\n"
        "     limit: {lower: -1, upper: 1}}}\n"),
    # An input is held when it ends.
    "pushed": stack("pushed", 2, "{stepper: time, solver: impulse, sleep: false}"),
    # Bodies and joints are made and removed.
    "changed": stack("changed", 3, "{stepper: time, solver: impulse}"),
    # A mesh.
    "hollow": ("name: hollow\nworld: {dimension: SPATIAL, stepper: time, solver: impulse}\n"
               "materials: [{name: all, friction: 0.5}]\n"
               "meshes: [{name: ell, file: ell.obj, scale: 0.5}]\n"
               f"bodies:\n{FLOOR}"
               "  - {name: ell, position: {y: 1.2}, shapes: [{mesh: {name: ell}, density: 9}]}\n"
               "  - {name: other, position: {x: 0.1, y: 2.4}, orientation: {w: 0.8, x: 0.6},\n"
               "     shapes: [{mesh: {name: ell}, density: 9}]}\n"),
    # A world that runs until it is at rest.
    "resting": stack("resting", 2, "{stepper: time, solver: impulse}"),
}


class Life(Daemon):
    """A daemon on a folder that outlives it."""

    def __init__(self, program, data, scenes=()):
        self.folder = tempfile.TemporaryDirectory()
        if not scenes:  # without a scene it would host the bundled ones
            scenes = [os.path.join(self.folder.name, "stack.yaml")]
            with open(scenes[0], "w") as out:
                out.write(SCENES["stack"])
        self.log = open(os.path.join(self.folder.name, "log"), "w+")
        options = [option for scene in scenes for option in ("--scene", scene)]
        self.process = subprocess.Popen(
            [*PREFIX, program, "--data", data, "--listen", "127.0.0.1:0", "--load-max", "100",
             *options], stderr=self.log)
        Daemon.all.append(self)
        self.port = self._find_port()

    def end(self, is_killed=False):
        self.process.send_signal(signal.SIGKILL if is_killed else signal.SIGTERM)
        status = self.process.wait(timeout=PATIENCE)
        assert is_killed or status == 0, f"it ended with {status}:\n{self.log_text()}"
        text = self.log_text()
        Daemon.all.remove(self)
        self.log.close()
        self.folder.cleanup()
        return text

    def ask(self, method, path, body=None, expected=(200, 201, 204)):
        status, _, answer = self.request(method, path, body)
        assert status in expected, f"{method} {path}: {status} {answer}"
        return answer

    def step(self, world, ticks):
        self.ask("POST", f"/v1/worlds/{world}/pause")
        self.ask("POST", f"/v1/worlds/{world}/step", {"ticks": ticks})

    def hashes(self):
        """The exact hash of each world that does not move, by its id."""
        worlds = self.ask("GET", "/v1/worlds")["worlds"]
        return {world["id"]: self.ask("POST", f"/v1/worlds/{world['id']}/pause")["hash"]
                for world in worlds if world.get("state") == "PAUSED"}


async def push(daemon, client):
    """Two forces are held: one without an end, and one for 500 ticks."""
    await client.open()
    await client.hello()
    await client.join("pushed")
    await client.input(slot=1, force=wire_pb2.Input.Force(
        body=1, frame=wire_pb2.Input.WORLD, force=scene_pb2.Vec3(x=3.0)))
    await client.input(slot=2, hold_ticks=500, force=wire_pb2.Input.Force(
        body=2, frame=wire_pb2.Input.WORLD, force=scene_pb2.Vec3(x=-1.0)))
    await client.receive("tick", lambda tick: tick.durable_seq >= 2)


def make(program, data, is_killed):
    """Makes the folder; returns the last exact hashes of its worlds."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(HERE, "..", "..", "scenes", "meshes", "ell.obj")) as source:
            mesh = source.read()
        with open(os.path.join(folder, "ell.obj"), "w") as target:
            target.write(mesh)
        files = []
        for name, text in SCENES.items():
            files.append(os.path.join(folder, f"{name}.yaml"))
            with open(files[-1], "w") as target:
                target.write(text)
        daemon = Life(program, data, files)
        daemon.step("stack", 90)
        daemon.step("pile", 300)
        daemon.step("machine", 120)
        daemon.step("hollow", 90)
        daemon.ask("PATCH", "/v1/worlds/pushed/settings",
                   {"gravity": {"x": 0.5, "y": -8}, "timeRate": 0.5})
        daemon.step("pushed", 30)
        daemon.step("changed", 30)
        daemon.ask("POST", "/v1/worlds/changed/bodies", {
            "bodies": [{"name": "one", "position": {"x": 5, "y": 3},
                        "shapes": [{"circle": {"radius": 0.4}, "density": 1}]},
                       {"name": "two", "position": {"x": 6, "y": 3},
                        "shapes": [{"polygon": {"vertices": [
                            {"x": -0.5, "y": -0.4}, {"x": 0.5, "y": -0.4}, {"y": 0.6}]},
                            "density": 1}]}],
            "joints": [{"name": "link", "hinge": {
                "bodyA": "one", "bodyB": "two", "anchor": {"x": 5.5, "y": 3}}}]})
        daemon.ask("DELETE", "/v1/worlds/changed/bodies/box1")
        daemon.step("changed", 20)
        daemon.ask("POST", "/v1/worlds/changed/bodies", {"bodies": [
            {"name": "late", "position": {"x": -4, "y": 2},
             "shapes": [{"capsule": {"radius": 0.3, "length": 0.5}, "density": 1}]}]})
        daemon.step("changed", 15)
        daemon.ask("POST", "/v1/worlds/changed/fork", {"id": "forked", "paused": True})
        daemon.step("resting", 200)
        daemon.ask("POST", "/v1/worlds/resting/resume")

        async def end():
            client = Client(daemon, "ann")
            await push(daemon, client)
            hashes = daemon.hashes()
            daemon.end(is_killed)
            return hashes
        return asyncio.run(end())
