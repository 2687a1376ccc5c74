#!/usr/bin/env python3
"""scenes.py: writes the five scenes of the long matrix, which together use every part of the
production pipeline.  Each is so large that eight workers share its work.

usage: tests/determinism/scenes.py FOLDER

    plane-heap   every shape of the plane: rolling, a conveyor, a sensor, sleep, overlap at the start
    space-heap   boxes, balls, capsules and hulls in space, rolling and spinning friction, a plane
    joints       chains, hinges with limits, motors and springs, sliders, rods, ropes that break
    rings        three dozen rings fall on poles: meshes with meshes
    rain         ragdolls, bullets at 300 m/s, a blade; bodies made and removed while it runs
"""
import json
import os
import sys

SEED = 12345


class Noise:
    """A small generator of its own, so that every version of Python writes the same scenes."""

    def __init__(self):
        self.state = SEED

    def between(self, low, high):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return round(low + (high - low) * self.state / 2**31, 4)


def at(x, y, z=0):
    return {"x": round(x, 4), "y": round(y, 4), "z": round(z, 4)}


def scene(name, dimension, bodies, sleep=True, **more):
    world = {"dimension": dimension, "stepper": "time", "solver": "impulse", "sleep": sleep}
    materials = [
        {"name": "stone", "friction": 0.5},
        {"name": "rubber", "friction": 0.8, "restitution": 0.6, "rollingFriction": 0.05,
         "spinningFriction": 0.05},
        {"name": "belt", "friction": 0.9, "surfaceVelocity": at(2, 0)}]
    return {"name": name, "world": world, "materials": materials, "bodies": bodies, **more}


def walls(bodies, half, height):
    for side in (-1, 1):
        bodies.append({"type": "STATIC", "position": at(side * half, height / 2),
                       "shapes": [{"box": {"size": at(0.5, height)}}]})


def plane_shape(kind, noise):
    size = noise.between(0.3, 0.6)
    half = round(size / 2, 4)
    if kind == 0:
        return {"box": {"size": at(size, 0.4)}}
    if kind == 1:
        return {"circle": {"radius": half}, "material": "rubber"}
    if kind == 2:
        return {"capsule": {"radius": 0.15, "length": size}}
    if kind == 3:
        return {"polygon": {"vertices": [at(-half, -half), at(half, -half), at(0.05, half)]}}
    return {"outline": {"points": [{"x": -half, "y": -half}, {"x": half, "y": -half},
                                   {"x": half, "y": 0}, {"x": 0, "y": 0},
                                   {"x": 0, "y": half}, {"x": -half, "y": half}]}}


def plane_heap():
    noise, bodies = Noise(), []
    points = [{"x": 9 - 18 * k / 12, "y": 0.2 * (k % 3)} for k in range(13)]
    bodies.append({"type": "STATIC", "shapes": [
        {"box": {"size": at(40, 1)}, "position": at(0, -0.8)},
        {"chain": {"points": points}, "material": "belt"}]})
    bodies.append({"type": "STATIC", "position": at(0, 4), "shapes": [
        {"box": {"size": at(6, 1)}, "sensor": True}]})
    walls(bodies, 9, 30)
    for i in range(600):
        shape = {**plane_shape(i % 5, noise), "density": noise.between(1, 4)}
        shape["contactEvents"] = i % 7 == 0
        shape["hitEvents"] = i % 11 == 0
        bodies.append({"position": at(-8 + 16.0 * (i % 30) / 29, 0.9 + 0.52 * (i // 30)),
                       "angle": noise.between(-1, 1), "shapes": [shape]})
    return scene("plane-heap", "PLANAR", bodies)


def space_shape(kind, noise):
    size = noise.between(0.3, 0.6)
    if kind == 0:
        return {"box": {"size": at(size, 0.4, 0.5)}}
    if kind == 1:
        return {"sphere": {"radius": round(size / 2, 4)}, "material": "rubber"}
    if kind == 2:
        return {"capsule": {"radius": 0.15, "length": size}}
    points = [at(noise.between(-0.35, 0.35), noise.between(-0.35, 0.35),
                 noise.between(-0.35, 0.35)) for _ in range(8)]
    return {"hull": {"vertices": points + [at(0.3, 0, 0), at(0, 0.3, 0), at(0, 0, 0.3),
                                           at(-0.3, -0.3, -0.3)]}}


def space_heap():
    noise = Noise()
    bodies = [{"type": "STATIC", "shapes": [{"plane": {"normal": at(0, 1)}}]}]
    for i in range(320):
        x, z, y = i % 8, i // 8 % 8, i // 64
        bodies.append({"position": at(0.62 * x + 0.1 * (y % 2), 0.4 + 0.62 * y, 0.62 * z),
                       "angularVelocity": at(noise.between(-5, 5), noise.between(-5, 5)),
                       "shapes": [{**space_shape(i % 4, noise), "density": 1000}]})
    return scene("space-heap", "SPATIAL", bodies, sleep=False)


def chain(bodies, joints, first, count, origin, noise):
    """Links from the ceiling on ball joints, every third on a hinge with a limit or a spring."""
    for k in range(count):
        name = f"link{first + k}"
        below = f"link{first + k - 1}" if k > 0 else "ceiling"
        anchor = at(origin[0] + 0.5 * k, origin[1], origin[2])
        bodies.append({"name": name, "position": at(origin[0] + 0.5 * k + 0.25, origin[1],
                                                    origin[2]),
                       "shapes": [{"capsule": {"radius": 0.08, "length": 0.2},
                                   "density": 500}]})
        ends = {"bodyA": below, "bodyB": name, "anchor": anchor}
        if k % 3 == 1:
            spring = {"stiffness": 20, "damping": 0.5}
            joints.append({"hinge": {**ends, "axis": at(0.1, noise.between(0, 0.2), 1),
                                     "limit": {"lower": -0.5, "upper": 0.7}, "spring": spring}})
        else:
            joints.append({"ball": ends, **({"breakForce": 60} if k == count - 1 else {})})


def machine(bodies, joints, i):
    """A driven wheel, a slider with a motor and limits, a rod and a rope on it, a fixed pair."""
    x, z, names = 2.5 * (i % 8), -3 - 2.0 * (i // 8), [f"{part}{i}" for part in "abcde"]
    for k, name in enumerate(names):
        bodies.append({"name": name, "position": at(x + 0.45 * k, 2 - 0.02 * k, z), "shapes": [
            {"box": {"size": at(0.3, 0.2, 0.2)}, "density": 300}]})
    joints.append({"hinge": {"bodyA": "ceiling", "bodyB": names[0], "anchor": at(x, 2, z),
                             "motor": {"speed": 3 + i, "forceMax": 40}}})
    joints.append({"slider": {"bodyA": names[0], "bodyB": names[1], "anchor": at(x + 0.45, 2, z),
                              "limit": {"lower": -0.1, "upper": 0.2},
                              "motor": {"speed": -0.5, "forceMax": 30}}})
    joints.append({"distance": {"bodyA": names[1], "bodyB": names[2],
                                "anchorA": at(x + 0.45, 2, z), "anchorB": at(x + 0.9, 2, z)}})
    joints.append({"rope": {"bodyA": names[2], "bodyB": names[3], "anchorA": at(x + 0.9, 2, z),
                            "anchorB": at(x + 1.35, 2, z), "length": 0.6}})
    joints.append({"fixed": {"bodyA": names[3], "bodyB": names[4],
                             "anchor": at(x + 1.6, 2, z)}, "breakForce": 400})


def joints_in_space():
    noise, joints = Noise(), []
    bodies = [{"type": "STATIC", "shapes": [{"plane": {"normal": at(0, 1)}}]},
              {"name": "ceiling", "type": "STATIC", "position": at(0, 20)}]
    for c in range(12):
        chain(bodies, joints, 20 * c, 20, (0.3 * c, 3 + 0.25 * c, 0.5 * c), noise)
    for i in range(16):
        machine(bodies, joints, i)
    return scene("joints", "SPATIAL", bodies, joints=joints)


def rings():
    noise = Noise()
    bodies = [{"type": "STATIC", "shapes": [{"plane": {"normal": at(0, 1)}}]}]
    for x in (-2, 2):
        bodies.append({"type": "STATIC", "position": at(x, 1.5), "shapes": [
            {"capsule": {"radius": 0.2, "length": 3}}]})
    for i in range(36):
        turn = {"w": noise.between(0.6, 1), "x": noise.between(-1, 1),
                "y": noise.between(-0.3, 0.3), "z": noise.between(-0.3, 0.3)}
        bodies.append({"position": at(-2 + 4 * (i % 2) + noise.between(-0.2, 0.2),
                                      0.9 + 0.8 * (i // 2), noise.between(-0.2, 0.2)),
                       "orientation": turn, "velocity": at(0, -3),
                       "shapes": [{"mesh": {"name": "ring"}, "density": 1000}]})
    torus = {"radius": 0.7, "tubeRadius": 0.25, "majorCount": 16, "minorCount": 8}
    return scene("rings", "SPATIAL", bodies,
                 meshes=[{"name": "ring", "torus": torus, "resolution": 24}])


def ragdoll(bodies, joints, i, x, y):
    parts = [("head", 0, 0.55, {"circle": {"radius": 0.15}}),
             ("chest", 0, 0.1, {"box": {"size": at(0.35, 0.55)}}),
             ("left", -0.32, 0.1, {"capsule": {"radius": 0.07, "length": 0.3}}),
             ("right", 0.32, 0.1, {"capsule": {"radius": 0.07, "length": 0.3}})]
    for part, dx, dy, shape in parts:
        bodies.append({"name": f"{part}{i}", "position": at(x + dx, y + dy),
                       "shapes": [{**shape, "density": 2}]})
    for part, dx, dy in (("head", 0, 0.38), ("left", -0.3, 0.3), ("right", 0.3, 0.3)):
        joints.append({"hinge": {"bodyA": f"chest{i}", "bodyB": f"{part}{i}",
                                 "anchor": at(x + dx, y + dy),
                                 "limit": {"lower": -0.6, "upper": 0.6}}})


def rain():
    noise, bodies, joints = Noise(), [], []
    bodies.append({"type": "STATIC", "shapes": [
        {"box": {"size": at(60, 1)}, "position": at(0, -0.5)}]})
    walls(bodies, 14, 12)
    bodies.append({"name": "blade", "type": "KINEMATIC", "position": at(0, 2),
                   "angularVelocity": at(0, 0, 2), "shapes": [{"box": {"size": at(3, 0.2)}}]})
    for i in range(60):
        ragdoll(bodies, joints, i, -12 + 24 * (i % 12) / 11, 2.5 + 1.5 * (i // 12))
    for i in range(24):
        bodies.append({"position": at(-13 + noise.between(0, 1), 1 + 0.4 * i), "bullet": i % 2 == 0,
                       "velocity": at(300, noise.between(-20, 20)),
                       "shapes": [{"box": {"size": at(0.1, 0.1)}, "density": 20}]})
    for i in range(200):
        bodies.append({"position": at(-13 + 1.1 * (i % 25), 0.25 + 0.5 * (i // 25)),
                       "shapes": [{"box": {"size": at(0.5, 0.5)}, "density": 1}]})
    return scene("rain", "PLANAR", bodies, joints=joints)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: scenes.py FOLDER")
    for make in (plane_heap, space_heap, joints_in_space, rings, rain):
        made = make()
        path = os.path.join(sys.argv[1], made["name"] + ".json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(made, file)


if __name__ == "__main__":
    main()
