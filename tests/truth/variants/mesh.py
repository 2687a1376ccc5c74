"""Variants of the statements on mass properties, distances, and scenes whose size is a number."""
import math

from base import case, rnd, RANDOM


def torus(R, r, n, m):
    """Volume and moments about the origin of the mesh, by tetrahedra from the origin."""
    def vertex(i, j):
        a, b = 2 * math.pi * i / n, 2 * math.pi * j / m
        return [(R + r * math.cos(b)) * math.cos(a), (R + r * math.cos(b)) * math.sin(a),
                r * math.sin(b)]
    volume, square = 0.0, [0.0] * 3
    for i in range(n):
        for j in range(m):
            quad = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)]
            for a, b, c in ((quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])):
                det = (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                       + a[2] * (b[0] * c[1] - b[1] * c[0]))
                volume += det / 6
                for k in range(3):
                    square[k] += det / 60 * (a[k] ** 2 + b[k] ** 2 + c[k] ** 2 + a[k] * b[k]
                                             + b[k] * c[k] + c[k] * a[k])
    return volume, square


def solids():
    for i in range(20):
        R, r, n, m, density = rnd(0.5, 3), rnd(0.1, 0.4), RANDOM.randint(6, 40), \
            RANDOM.randint(5, 30), rnd(0.2, 9)
        volume, s = torus(R, r, n, m)
        yield case("G-torusmesh-v%d" % i,
                   dict(R=R, r=r, n_major=n, n_minor=m, triangles=2 * n * m, density=density),
                   dict(volume=volume, I_zz=density * (s[0] + s[1]), I_xx=density * (s[1] + s[2]),
                        smooth=dict(V=2 * math.pi ** 2 * R * r * r,
                                    I_zz_over_M=R * R + 0.75 * r * r,
                                    I_xx_over_M=0.5 * R * R + 0.625 * r * r)), rel=1e-10)
        yield case("G-Lshape-v%d" % i, dict(density=density),
                   dict(mass=4 * density, com=[1.25, 0.75, 0.5],
                        I_com=[[density * 17 / 12, density * 0.75, 0.0],
                               [density * 0.75, density * 41 / 12, 0.0],
                               [0.0, 0.0, density * 25 / 6]],
                        principal=[density * 7 / 6, density * 11 / 3, density * 25 / 6]),
                   rel=1e-12)
    for i in range(3):
        points = [[rnd(-1.4, 1.4), rnd(-1.4, 1.4), rnd(-0.6, 0.6)] for _ in range(3 + 4 * i)]
        boxes, rings = [], []
        for p in points:
            out = [abs(x) - h for x, h in zip(p, (1, 0.5, 0.25))]
            beyond = math.sqrt(sum(max(x, 0) ** 2 for x in out))
            boxes.append(beyond if beyond > 0 else max(out))
            rings.append(math.hypot(math.hypot(p[0], p[1]) - 1, p[2]) - 0.3)
        yield case("G-sdf-v%d" % i, dict(points=points), dict(box=boxes, torus=rings),
                   uniform_grid_abs="1.0*h",
                   octree_abs="1.0*h_finest near the surface, 1.0*h_local elsewhere",
                   normal_angle_near_surface_deg=5)


def properties():
    """Scenes of other sizes that must behave like the first one."""
    limits = dict(constraint_error_over_L=1e-6, penetration_over_size=1e-4,
                  energy_increase_rel=1e-6)
    for n in (2, 3, 5, 7, 8):
        yield case("B-demo-dominoes-v%d" % n, dict(n=n), dict(limits, fallen=n))
    for n in (6, 9, 16):
        yield case("B-demo-chain-pivot-v%d" % n, dict(n=n), dict(limits))
    for n in (3, 6, 14):
        yield case("G-stack-rest-v%d" % n, dict(n=n),
                   dict(max_drift=0.02, max_penetration=0.02, KE_final_per_mass=1e-4))
    for n in (8, 10, 15):
        yield case("G-domino-ring-v%d" % n, dict(n=n), dict(levels=1))
    for i in range(20):
        yield case("G-dt-limit-v%d" % i,
                   dict(v=rnd(10, 90), size=rnd(0.05, 0.5), plate=rnd(0.02, 0.3),
                        dt=RANDOM.choice([1 / 60, 1 / 30, 1 / 120])), dict(tunnel=False))
