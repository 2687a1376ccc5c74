"""Variants of the statements on frameworks of points and on brick towers (Rote and others)."""
import math
from fractions import Fraction as F

import exact
from base import case, rnd, number, numbers, RANDOM


def solve_float(matrix, right):
    n = len(right)
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    for k in range(n):
        best = max(range(k, n), key=lambda r: abs(rows[r][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for r in range(k + 1, n):
            factor = rows[r][k] / rows[k][k]
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][c] * x[c] for c in range(k + 1, n))) / rows[k][k]
    return x


def area2(a, b, c):
    """The determinant of three points with a row of ones."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def frame_rows(points, bars, contact):
    """J of the bars, |d|^2 / 2, and of the contact, the determinant."""
    rows = []
    for i, j in bars:
        row = [0.0] * (2 * len(points))
        for k in range(2):
            row[2 * i + k] = points[i][k] - points[j][k]
            row[2 * j + k] = -row[2 * i + k]
        rows.append(row)
    if contact:
        i, j, k = contact
        a, b, c = points[i], points[j], points[k]
        row = [0.0] * (2 * len(points))
        row[2 * i:2 * i + 2] = [b[1] - c[1], c[0] - b[0]]
        row[2 * j:2 * j + 2] = [c[1] - a[1], a[0] - c[0]]
        row[2 * k:2 * k + 2] = [a[1] - b[1], b[0] - a[0]]
        rows.append(row)
    return rows


def constrained(masses, free, rows, right):
    """x nearest to free in the metric of the masses with rows x = right, and the multipliers."""
    inverse = [1 / m for m in masses for _ in range(2)]
    A = [[sum(a * w * b for a, w, b in zip(p, inverse, q)) for q in rows] for p in rows]
    f = solve_float(A, [r - sum(a * b for a, b in zip(p, free)) for p, r in zip(rows, right)])
    return [x + w * sum(p[c] * fi for p, fi in zip(rows, f))
            for c, (x, w) in enumerate(zip(free, inverse))], f


def theorem51():
    for i in range(20):
        angle, length, alpha = rnd(-0.8, 0.8), rnd(1, 3), rnd(0.1, 0.9)
        p0 = [rnd(-1, 1), rnd(-1, 1)]
        p1 = [p0[0] + length * math.cos(angle), p0[1] + length * math.sin(angle)]
        p2 = [alpha * b + (1 - alpha) * a for a, b in zip(p0, p1)]
        lean = angle + math.pi / 2 + rnd(-0.6, 0.6)
        reach = rnd(0.6, 2)
        p3 = [p2[0] + reach * math.cos(lean), p2[1] + reach * math.sin(lean)]
        points, bars, contact = [p0, p1, p2, p3], [[0, 1], [2, 3]], [0, 1, 2]
        masses, g, dt = [rnd(0.3, 3) for _ in range(4)], [rnd(-2, 2), rnd(-12, -2)], \
            RANDOM.choice([0.02, 0.01, 0.005, 0.002])
        rows = frame_rows(points, bars, contact)
        v, _ = constrained(masses, [rnd(-1, 1) for _ in range(8)], rows, [0.0] * 3)
        v = [v[2 * k:2 * k + 2] for k in range(4)]
        right = [-sum((v[a][k] - v[b][k]) ** 2 for k in range(2)) for a, b in bars]
        right.append(-2 * area2(v[0], v[1], v[2]))
        a, f = constrained(masses, g * 4, rows, right)
        a = [a[2 * k:2 * k + 2] for k in range(4)]
        after = [[p + w * dt + x * dt * dt for p, w, x in zip(*at)]
                 for at in zip(points, v, a)]
        yield case("R-equiv-v%d" % i,
                   dict(points=points, masses=masses, bars=bars,
                        contact=dict(i=0, j=1, k=2, alpha=alpha), v=v, g=g, dt=dt),
                   dict(acc=a, p_next=after, contact_active_pushing=f[2] > 0), abs=1e-11)


def theorem71():
    for i in range(20):
        side, angle, omega = rnd(0.5, 2), rnd(0.1, 0.7), RANDOM.choice([0.0, rnd(-3, 3)])
        corners = [[-side / 2, -side / 2], [side / 2, -side / 2], [side / 2, side / 2],
                   [-side / 2, side / 2]]
        s, c = math.sin(angle), math.cos(angle)
        points = [[c * x - s * y, s * x + c * y] for x, y in corners]
        low = min(p[1] for p in points)
        center = [0.0, -low]
        arms = points
        points = [[x, y - low] for x, y in points]
        v = [rnd(-1, 1), -rnd(3.5, 6)]
        old = [[v[0] - omega * r[1], v[1] + omega * r[0]] for r in arms]
        vertex = min(range(4), key=lambda k: points[k][1])
        points[vertex][1] = 0.0
        inertia = sum(x * x + y * y for x, y in arms)
        r = arms[vertex]
        J = -old[vertex][1] / (0.25 + r[0] * r[0] / inertia)
        spin, rise = omega + r[0] * J / inertia, v[1] + J / 4
        star = [[v[0] - spin * q[1], rise + spin * q[0]] for q in arms]
        bars = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]
        dts, deviations = [0.1, 0.01, 0.001, 0.0001], []
        ground = 4  # a point far to the left and one to the right that can not move
        for dt in dts:
            rows = frame_rows(points, bars, None)
            floor = [0.0] * 8
            floor[2 * vertex + 1] = 1.0
            right = [-dt * dt * sum((old[a][k] - old[b][k]) ** 2 for k in range(2))
                     for a, b in bars]
            free = [x * dt for p in old for x in p]
            step, f = constrained([1.0] * 4, free, rows + [floor], right + [0.0])
            assert f[-1] > 0
            deviations.append(max(abs(step[2 * k + q] / dt - star[k][q])
                                  for k in range(4) for q in range(2)))
        if omega == 0.0:
            deviations = [0.0] * 4
        yield case("R-thm71-v%d" % i,
                   dict(points=points, v_old=old, low_vertex=vertex, omega=omega, dts=dts),
                   dict(v_Qstar=star, max_dev_per_dt=deviations), rel=1e-6)


def masses():
    for i in range(20):
        a, b, m = F(RANDOM.randint(1, 20), 5), F(RANDOM.randint(1, 20), 5), \
            F(RANDOM.randint(1, 30), 5)
        yield case("R-ninemass-v%d" % i, dict(a=number(a), b=number(b), m=number(m)),
                   dict(corner=number(m / 36), edge_mid=number(m / 9), centre=number(4 * m / 9),
                        moments={"1": number(m), "x2": number(m * a * a / 12),
                                 "y2": number(m * b * b / 12), "xy": 0},
                        I=number(m * (a * a + b * b) / 12)), rel=1e-13)
        yield case("R-fourmass-v%d" % i, dict(w=number(a), h=number(b), m=number(m)),
                   dict(I=number(m * (a * a + b * b) / 4),
                        I_homog=number(m * (a * a + b * b) / 12)), rel=1e-13)
        omega, dt, T, L = rnd(0.5, 3), RANDOM.choice([0.01, 0.005, 0.0025]), \
            RANDOM.choice([0.5, 1.0]), rnd(0.5, 2)
        yield case("R-drift-v%d" % i, dict(omega0=omega, dt=dt, T=T, L0=L),
                   dict(L_Lprime=L * (1 - 2 * omega ** 2 * dt * T) ** 0.25,
                        L_Lsecond=L / math.cos(math.atan(omega * dt))), rel=0.003)


# ---- towers: bricks by rows, h = 1/4 unless said otherwise ----

def supports(rows, w, table):
    """(brick, below or None, x) of every contact, bricks counted row by row."""
    found, base = [], 0
    for r, row in enumerate(rows):
        below_base = base - (len(rows[r - 1]) if r else 0)
        for i, x in enumerate(row):
            spans = []
            if r == 0:
                left, right = x - w / 2, x + w / 2
                spans.append((None, left, min(right, F(0)) if table else right))
            else:
                for k, below in enumerate(rows[r - 1]):
                    spans.append((below_base + k, max(x, below) - w / 2, min(x, below) + w / 2))
            for below, left, right in spans:
                if right > left:
                    found += [(base + i, below, left), (base + i, below, right)]
                elif right == left:
                    found.append((base + i, below, left))
        base += len(row)
    return found


def sides(rows, w, h):
    found, base = [], 0
    for r, row in enumerate(rows):
        for i in range(len(row) - 1):
            if row[i + 1] - row[i] == w:
                for y in (r * h, (r + 1) * h):
                    found.append((base + i, base + i + 1, row[i] + w / 2, y))
        base += len(row)
    return found


def tower_motion(rows, w, h, inertia, g, table, with_sides):
    flat = [(x, (r + F(1, 2)) * h) for r, row in enumerate(rows) for x in row]
    lines = []
    for brick, below, x in supports(rows, w, table):
        line = {}
        for body, sign in ((brick, 1), (below, -1)):
            if body is not None:
                line[body] = (F(0), F(sign), sign * (x - flat[body][0]))
        lines.append(line)
    for left, right, x, y in sides(rows, w, h) if with_sides else []:
        line = {}
        for body, sign in ((right, 1), (left, -1)):
            line[body] = (F(sign), F(0), -sign * (y - flat[body][1]))
        lines.append(line)
    A = [[F(0)] * len(lines) for _ in lines]
    for i, p in enumerate(lines):
        for k, q in enumerate(lines):
            for body in p.keys() & q.keys():
                a, b = p[body], q[body]
                A[i][k] += a[0] * b[0] + a[1] * b[1] + a[2] * b[2] / inertia
    b = [g * sum(q[1] for q in line.values()) for line in lines]
    f, opening = exact.lemke(A, b)
    motion = [[F(0), -F(g), F(0)] for _ in flat]
    for force, line in zip(f, lines):
        for body, (x, y, turn) in line.items():
            motion[body][0] += force * x
            motion[body][1] += force * y
            motion[body][2] += force * turn / inertia
    return motion, sum(w > 0 for w in opening)


def margin(rows, w, g, table):
    """The largest t for which forces of at least t balance the bricks."""
    flat = [x for row in rows for x in row]
    contacts = supports(rows, w, table)
    n = len(contacts)
    lines, right = [], []
    for body, center in enumerate(flat):
        for turn in (False, True):
            row = [F(0)] * (n + 2)
            for c, (brick, below, x) in enumerate(contacts):
                sign = 1 if brick == body else -1 if below == body else 0
                row[c] = F(sign) * (x - center if turn else 1)
            total = sum(row)
            row[n], row[n + 1] = total, -total  # forces are t more than their variables
            lines.append(row)
            right.append(F(0) if turn else F(g))
    program = exact.Program(lines, right)
    least = program.minimise([F(0)] * n + [F(-1), F(1)])
    return None if least is None else -least


def by_rows(rows, motion):
    nested, at = [], 0
    for row in rows:
        nested.append([numbers(motion[at + i]) for i in range(len(row))])
        at += len(row)
    return nested


def tower(name, rows, w=F(1), h=F(1, 4), g=F(1), table=False, corner=False):
    inertia = (w * w + h * h) / (4 if corner else 12)
    t = margin(rows, w, g, table)
    if t is None:
        return None
    expect = dict(t_star=number(t), critical=t == 0, stable=t >= 0)
    if t < 0:
        motion, lifting = tower_motion(rows, w, h, inertia, g, table, False)
        expect.update(acc_without_side_contacts=by_rows(rows, motion), lifting_contacts=lifting)
        if sides(rows, w, h):
            motion, lifting = tower_motion(rows, w, h, inertia, g, table, True)
            expect.update(acc_with_side_contacts=by_rows(rows, motion),
                          lifting_contacts_side=lifting)
    brick = dict(w=number(w), h=number(h), m=1,
                 inertia="4 corner masses" if corner else "m(w^2+h^2)/12")
    return dict(id=name, brick=brick, g=number(g), n=sum(len(row) for row in rows),
                ground="table top x<=0 at y=0" if table else "plane y=0",
                rows_center_x=[numbers(row) for row in rows], expect=expect)


def towers():
    count = 0
    while count < 24:  # random rows; every brick rests on something
        rows = [[F(0)]] if count % 3 else [[F(0), F(RANDOM.randint(20, 30), 20)]]
        while sum(len(row) for row in rows) < 4 + count % 5:
            below = rows[-1]
            x = RANDOM.choice(below) + F(RANDOM.randint(-14, 14), 20)
            row = [x]
            if RANDOM.random() < 0.5:
                other = x + F(RANDOM.randint(20, 26), 20)
                if any(abs(other - b) < 1 for b in below):
                    row.append(other)
            rows.append(row)
        w, h, g = F(1), F(RANDOM.randint(4, 20), 20), F(RANDOM.randint(1, 10))
        data = tower("T-rnd-v%d" % count, rows, w, h, g, False, count % 4 == 3)
        if data:
            yield data
            count += 1
    for n in range(2, 6):
        for shift in (F(0), F(1, 1000), F(-1, 1000)):
            edge, rows = F(0), []
            for k in range(n):
                edge += F(1, 2 * (n - k))
                rows.append([edge - F(1, 2)])
            rows[-1][0] += shift
            yield tower("T-harm%d%+d-v" % (n, shift * 1000), rows, table=True)
    for n in (2, 3, 4):
        rows = [[F(2 * i - r, 2) for i in range(r + 1)] for r in range(n)]
        yield tower("T-tri%d-v" % n, rows, h=F(1, 3), g=F(2))


def overbalanced(heuristic_of):
    count = 0
    while count < 20:
        n, offset, h = 2 + count % 5, F(RANDOM.randint(5, 45), 100), F(RANDOM.randint(3, 15), 20)
        w, g = F(1), F(RANDOM.randint(1, 10))
        rows = [[k * offset] for k in range(n)]
        if margin(rows, w, g, False) >= 0:
            offset, rows = F(2, 5), [[k * F(2, 5)] for k in range(n)]
            if margin(rows, w, g, False) >= 0:
                count += 1
                continue
        inertia = (w * w + h * h) / 12
        motion, _ = tower_motion(rows, w, h, inertia, g, False, False)
        lines = supports(rows, w, False)
        J = []
        for brick, below, x in lines:
            row = [F(0)] * (2 * n)
            for body, sign in ((brick, 1), (below, -1)):
                if body is not None:
                    row[2 * body] = F(sign)
                    row[2 * body + 1] = sign * (x - rows[body][0])
            J.append(row)
        A = [[sum(a * b / (inertia if c % 2 else 1) for c, (a, b) in enumerate(zip(p, q)))
              for q in J] for p in J]
        found = heuristic_of(A, [g * sum(row[0::2]) for row in J])
        count += 1
        if found is None:
            continue
        yield case("B-overbalanced-v%d" % count,
                   dict(n=n, offset=number(offset), brick=[number(w), number(h)], m=1,
                        g=number(g), ground="plane y=0"),
                   dict(stable=False, acc_xy_alpha=[numbers(a) for a in motion],
                        heuristic_V0_feasible=found["empty"],
                        heuristic_succeeds=found["succeeds"]), abs=1e-9)
