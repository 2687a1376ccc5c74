"""daemon.py: a cairnd that is killed at a random moment, and the scenes that it hosts."""
import asyncio
import json
import os
import re
import signal
import subprocess
import time

from model import UNIT_M_S
from wire import PATIENCE_S

PROGRAM = os.environ.get("CAIRND", os.path.join(os.getcwd(), "cairnd"))
PREFIX = os.environ.get("CAIRND_PREFIX", "").split()
TICK_RATE = 64           # a tick's duration is exact in binary, and so is the effect of a push
BODIES = 16
UNIT_N = UNIT_M_S * TICK_RATE  # the force that gives a kilogram one unit in one tick
DELAY_MAX_S = 0.4        # from the chosen event to the kill
LATE_CHANCE = 0.5        # the other kills come at once


def tally_scene(name, more=None):
    """Bodies of a kilogram, far apart, that only pushes move."""
    return {"name": name,
            "world": {"gravity": {"y": 0}, "tickRate": TICK_RATE, "stepper": "event",
                      "solver": "baraff94", **(more or {})},
            "bodies": [{"name": f"b{i}", "mass": 1, "position": {"y": 4 * i},
                        "shapes": [{"circle": {"radius": 0.5}}]} for i in range(BODIES)]}


def bounce_scene(name):
    """Discs between walls: contacts begin and end with every push."""
    walls = [("floor", 0, -0.5, 20, 1), ("top", 0, 8.5, 20, 1), ("left", -6.5, 4, 1, 10),
             ("right", 6.5, 4, 1, 10)]
    return {"name": name,
            "world": {"gravity": {"y": -2}, "tickRate": TICK_RATE, "stepper": "time",
                      "solver": "impulse"},
            "materials": [{"name": "rubber", "restitution": 0.9}],
            "bodies": [{"name": f"d{i}", "mass": 1, "position": {"x": i - 3, "y": 1 + i},
                        "velocity": {"x": 3 - i, "y": i},
                        "shapes": [{"circle": {"radius": 0.4}, "contactEvents": True}]}
                       for i in range(6)] +
                      [{"name": wall, "type": "STATIC", "position": {"x": x, "y": y},
                        "shapes": [{"box": {"size": {"x": width, "y": height, "z": 1}}}]}
                       for wall, x, y, width, height in walls]}


def small_scene(name, count, gravity=0.0, more=None):
    return {"name": name,
            "world": {"gravity": {"y": gravity}, "tickRate": TICK_RATE, **(more or {})},
            "bodies": [{"name": f"{name}-{i}", "mass": 1, "position": {"y": 3 * i},
                        "shapes": [{"circle": {"radius": 0.5}}]} for i in range(count)]}


class Daemon:
    """A running cairnd on a folder that earlier daemons have used."""

    def __init__(self, folder, scenes, options, chance):
        self.chance, self.is_dying = chance, False
        self.trigger, self.trigger_count, self.triggered = None, 0, False
        self.how = signal.SIGKILL
        files = []
        for scene in scenes:
            path = os.path.join(folder, scene["name"] + ".yaml")
            if not os.path.exists(path):
                with open(path, "w") as file:
                    json.dump(scene, file)
            files += ["--scene", path]
        self.log = open(os.path.join(folder, "log"), "w+")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*PREFIX, PROGRAM, "--data", os.path.join(folder, "data"), "--listen", "127.0.0.1:0",
             "--load-max", "100", *options, *files], stderr=self.log)
        self.ended = asyncio.get_running_loop().create_future()
        self.port = None

    async def ready(self):
        """The port at which it listens, or None when it was killed before."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and not self.is_dying:
            found = re.search(r"listening at http://127\.0\.0\.1:(\d+)/", self.log_text())
            if found:
                self.port = int(found.group(1))
                return self.port
            assert self.process.poll() is None, "cairnd does not start:\n" + self.log_text()
            await asyncio.sleep(0.003)
        assert self.is_dying, "cairnd does not listen:\n" + self.log_text()
        return None

    def log_text(self):
        with open(self.log.name) as log:
            return log.read()

    def kill(self, how=signal.SIGKILL):
        if not self.is_dying:
            self.is_dying = True
            self.process.send_signal(how)
            if not self.ended.done():
                self.ended.set_result(None)

    def kill_at(self, trigger, count, fallback_s, how=signal.SIGKILL):
        """Ends it after the event `trigger` has come `count` times, or after fallback_s."""
        self.trigger, self.trigger_count, self.how = trigger, count, how
        asyncio.get_running_loop().call_later(fallback_s, self.kill, how)

    def happened(self, event):
        """An actor reports an event; at the trigger the daemon is killed."""
        if event != self.trigger or self.is_dying:
            return
        self.trigger_count -= 1
        if self.trigger_count == 0:
            self.triggered = True
            if self.chance.random() < LATE_CHANCE:
                asyncio.get_running_loop().call_later(
                    self.chance.uniform(0, DELAY_MAX_S), self.kill, self.how)
            else:
                self.kill(self.how)

    def story(self):
        """How it ended, in words."""
        how = "stopped" if self.how == signal.SIGTERM else "killed"
        return f"{how} at {self.trigger}" if self.triggered else how

    async def wait(self):
        """Waits until the process has ended."""
        await self.ended
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "cairnd does not end:\n" + self.log_text()
            await asyncio.sleep(0.002)
        self.log.close()

    def finish(self):
        """Kills the process if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()
