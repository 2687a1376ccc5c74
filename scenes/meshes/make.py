#!/usr/bin/env python3
"""make.py: writes the meshes of the bundled scenes, as OBJ, into the folder it stands in.

All of them are closed, run counter-clockwise from outside, and are in metres with y up.

usage: python3 scenes/meshes/make.py
"""
import math
import os


def lathe(profile, around, stretch=lambda x, r: (1.0, 1.0)):
    """Turns a profile of (height, radius) about the y axis, from below to above; both its ends are
    on the axis.  stretch gives the factors of x and z."""
    vertices = [(0.0, profile[0][0], 0.0)]
    faces = []
    for height, radius in profile[1:-1]:
        in_x, in_z = stretch(height, radius)
        for i in range(around):
            a = 2.0 * math.pi * i / around
            vertices.append(
                (radius * in_x * math.cos(a), height, -radius * in_z * math.sin(a)))
    vertices.append((0.0, profile[-1][0], 0.0))
    last = len(vertices) - 1
    rings = len(profile) - 2
    for i in range(around):
        k = (i + 1) % around
        faces.append((0, 1 + k, 1 + i))
        for ring in range(rings - 1):
            low, high = 1 + ring * around, 1 + (ring + 1) * around
            faces.append((low + i, low + k, high + k, high + i))
        top = 1 + (rings - 1) * around
        faces.append((top + i, top + k, last))
    return vertices, faces


def ring(section, path):
    """Carries a closed section along a closed path; path gives a point and two axes for each place,
    of which the section takes the first outward."""
    vertices = []
    faces = []
    for center, out, up in path:
        for x, y in section:
            vertices.append(tuple(c + x * o + y * u for c, o, u in zip(center, out, up)))
    count, n = len(path), len(section)
    for i in range(count):
        for j in range(n):
            a, b = i * n + j, (i + 1) % count * n + j
            c, d = (i + 1) % count * n + (j + 1) % n, i * n + (j + 1) % n
            faces.append((a, b, c, d))
    return vertices, faces


def circle(radius, count):
    return [(radius * math.cos(2.0 * math.pi * i / count),
             radius * math.sin(2.0 * math.pi * i / count)) for i in range(count)]


def between(points, steps):
    """A line through all points, each part of it in so many steps."""
    out = []
    for (a, b), n in zip(zip(points, points[1:]), steps):
        out += [tuple(p + (q - p) * i / n for p, q in zip(a, b)) for i in range(n)]
    return out + [points[-1]]


def bone():
    """A shaft with two knobs, each hollow at its end and wider than deep: 3,264 triangles."""
    half = [(0.62, 0.0), (0.66, 0.05), (0.71, 0.10), (0.75, 0.15), (0.765, 0.19), (0.76, 0.225),
            (0.735, 0.25), (0.69, 0.262), (0.64, 0.255), (0.58, 0.23), (0.52, 0.195),
            (0.46, 0.16), (0.40, 0.135), (0.33, 0.118), (0.25, 0.108), (0.17, 0.103),
            (0.09, 0.1), (0.03, 0.1)]
    profile = [(-h, r) for h, r in half] + list(reversed(half))

    def stretch(height, _):
        knob = min(max((abs(height) - 0.25) / 0.4, 0.0), 1.0)
        return 1.0 + 0.35 * knob * knob * (3.0 - 2.0 * knob), 1.0 - 0.15 * knob
    return lathe(profile, 48, stretch)


def pole():
    """A post with a round head and a flat foot, 4 m high: 880 triangles."""
    radius, height = 0.25, 4.0
    profile = [(0.0, 0.0)]
    profile += [((height - radius) * i / 15, radius) for i in range(15)]
    profile += [(height - radius + radius * math.sin(a), radius * math.cos(a))
                for a in (math.pi * i / 14 for i in range(7))]
    return lathe(profile + [(height, 0.0)], 20)


def funnel():
    """A cone above a spout, with walls of 0.4 m: open above and below."""
    inner = between([(1.3, -1.5), (1.3, 0.0), (5.0, 5.0)], [2, 6])
    outer = between([(5.5, 5.0), (1.7, -0.2), (1.7, -1.5)], [6, 2])
    axis = [(2.0 * math.pi * i / 48) for i in range(48)]
    path = [((0.0, 0.0, 0.0), (math.cos(a), 0.0, -math.sin(a)), (0.0, 1.0, 0.0)) for a in axis]
    return ring(list(reversed(inner + outer)), path)


def ell():
    """[0,3] x [0,1] x [0,1] and [0,1] x [1,2] x [0,1]: two faces of six corners."""
    outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]
    vertices = [(x, y, z) for z in (0, 1) for x, y in outline]
    faces = [(5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11)]
    faces += [(i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6) for i in range(6)]
    return vertices, faces


def jack():
    """Six arms across each other, thinner at their tips: 108 triangles."""
    lines = (-1.0, -0.6, -0.2, 0.2, 0.6, 1.0)
    cells = {(2, 2, 2)}
    for axis in range(3):
        for at in (0, 1, 3, 4):
            cells.add(tuple(at if k == axis else 2 for k in range(3)))
    index, vertices, faces = {}, [], []

    def corner(place):
        if place not in index:
            index[place] = len(vertices)
            at = [lines[p] for p in place]
            reach = max(abs(x) for x in at)
            thin = 1.0 - 0.25 * (reach - 0.2) / 0.8
            vertices.append(tuple(x if abs(x) > 0.2 else x * thin for x in at))
        return index[place]

    for cell in sorted(cells):
        for axis in range(3):
            for side in (0, 1):
                other = tuple(c + (2 * side - 1) * (k == axis) for k, c in enumerate(cell))
                if other in cells:
                    continue
                one, two = (axis + 1) % 3, (axis + 2) % 3
                places = []
                for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    place = list(cell)
                    place[axis] += side
                    place[one] += u
                    place[two] += v
                    places.append(corner(tuple(place)))
                faces.append(tuple(places if side else reversed(places)))
    return vertices, faces


def link():
    """A link of a chain: a wire of 0.1 m along two half circles and two straight lines."""
    path = []
    for side in (1, -1):
        for i in range(12):
            a = math.pi * i / 12 - (0.0 if side > 0 else math.pi)
            out = (math.cos(a), math.sin(a), 0.0)
            center = (0.3 * out[0], 0.3 * out[1] + side * 0.25, 0.0)
            path.append((center, out, (0.0, 0.0, 1.0)))
        out = (-side, 0.0, 0.0)
        for y in (0.25, 0.0):
            path.append(((-side * 0.3, side * y, 0.0), out, (0.0, 0.0, 1.0)))
    return ring(circle(0.1, 10), path)


def write(folder, name, mesh):
    vertices, faces = mesh
    with open(os.path.join(folder, name + '.obj'), 'w', encoding='ascii') as file:
        file.write('# written by make.py\n')
        for vertex in vertices:
            file.write('v ' + ' '.join('%g' % (round(x, 5) + 0.0) for x in vertex) + '\n')
        for face in faces:
            file.write('f ' + ' '.join(str(i + 1) for i in face) + '\n')


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    for make in (bone, pole, funnel, ell, jack, link):
        write(folder, make.__name__, make())


if __name__ == '__main__':
    main()
