"""Variants of the statements on resting contact: Baraff 1989, ContactSim, towers and matrices."""
import math
from fractions import Fraction as F

import exact
from base import case, pick, rnd, number, numbers, RANDOM


def incline():
    for i in range(20):
        m, g, theta = pick(1e-3, 1e3), pick(0.1, 30), rnd(2, 85)
        s, c = math.sin(math.radians(theta)), math.cos(math.radians(theta))
        yield case("B-incline-v%d" % i, dict(m=m, g=g, theta_deg=theta),
                   dict(f=m * g * c, a_along=g * s, a_normal=0.0), rel=1e-12)


def fraction(low, high, parts=20):
    return F(RANDOM.randint(int(low * parts), int(high * parts)), parts)


def block():
    for i in range(24):
        m, w, h, g = fraction(1, 9), fraction(1, 5), fraction(1, 5), fraction(2, 12)
        com = fraction(-0.7, 0.7) * w if i % 2 else F(0)
        loads = [[fraction(-1, 1) * w, fraction(1, 60)] for _ in range(i % 4)]
        inertia = m * (w * w + h * h) / 12
        arm = [-w / 2 - com, w / 2 - com]
        A = [[1 / m + arm[p] * arm[q] / inertia for q in range(2)] for p in range(2)]
        push = m * g + sum(P for _, P in loads)
        turn = -sum(P * (x - com) for x, P in loads)
        b = [push / m - turn * r / inertia for r in arm]
        f, w_ = exact.lemke(A, b)
        a_y = (sum(f) - push) / m
        alpha = (turn + sum(x * r for x, r in zip(f, arm))) / inertia
        yield case("B-block-v%d" % i,
                   dict(m=number(m), w=number(w), h=number(h), g=number(g), com_x=number(com),
                        loads_x_P=[numbers(load) for load in loads], I_used=number(inertia)),
                   dict(A=[numbers(row) for row in A], b=numbers(b), f=numbers(f),
                        chi_ddot=numbers(w_), a_com=[0, number(a_y)], alpha=number(alpha)),
                   rel=1e-10)


def chain():
    for i in range(20):
        n, m, L, g = 1 + i % 12, fraction(1, 9), fraction(1, 5), fraction(2, 12)
        inertia = m * L * L / 12
        # Unknowns: alpha of each rod, then the pins' forces up; all rods are level and at rest.
        size = 2 * n
        rows, right = [], []
        for k in range(n):
            row = [F(0)] * size  # m a_y = pin_k - pin_(k+1) - m g
            for q in range(k):
                row[q] += m * L
            row[k] += m * L / 2
            row[n + k] -= 1
            if k + 1 < n:
                row[n + k + 1] += 1
            rows.append(row)
            right.append(-m * g)
            row = [F(0)] * size  # I alpha = -(pin_k + pin_(k+1)) L / 2
            row[k] += inertia
            row[n + k] += L / 2
            if k + 1 < n:
                row[n + k + 1] += L / 2
            rows.append(row)
            right.append(F(0))
        x = exact.solve(rows, right)
        a_y = [L * sum(x[:k]) + L / 2 * x[k] for k in range(n)]
        yield case("B-chain-N%d-v%d" % (n, i), dict(N=n, m=number(m), L=number(L), g=number(g)),
                   dict(alpha=numbers(x[:n]), a_com_y=numbers(a_y), pin_force_y=number(x[n])),
                   rel=1e-9)


def gram(rows):
    return [[sum(a * b for a, b in zip(p, q)) for q in rows] for p in rows]


def feasible(A, b, vanishing):
    """Whether f_V = 0, (A f)_V >= b_V, (A f)_C = b_C has a solution f >= 0."""
    n = len(b)
    keep = [j for j in range(n) if j not in vanishing]
    rows = []
    for i in range(n):
        slack = [F(-int(i == v)) for v in vanishing]
        rows.append([A[i][j] for j in keep] + slack)
    if not keep and not vanishing:
        return True
    return exact.Program(rows, b).feasible


def heuristic_of(A, b):
    """The steps of 1989: None where the least sum of forces is not unique."""
    n = len(b)
    rows = [list(A[i]) + [F(-int(i == k)) for k in range(n)] for i in range(n)]
    program = exact.Program(rows, b)
    cost = [F(1)] * n + [F(0)] * n
    if not program.feasible:
        return None
    program.minimise(cost)
    if not program.is_unique(cost):
        return None
    f = program.x()[:n]
    rest = [x - y for x, y in zip(exact.times(A, f), b)]
    predicted = [i for i in range(n) if rest[i] > 0]
    empty = feasible(A, b, [])
    succeeds = empty or feasible(A, b, predicted)
    return dict(empty=empty, f=f, rest=rest, predicted=predicted, succeeds=succeeds,
                power=F(0) if succeeds else sum(x * y for x, y in zip(f, rest)))


def heuristic():
    count, fails = 0, 0
    while count < 24:
        n = RANDOM.randint(2, 5)
        rows = [[1, RANDOM.randint(-4, 4), RANDOM.randint(-4, 4)] for _ in range(n)]
        wrench = [-RANDOM.randint(1, 4), RANDOM.randint(-6, 6), RANDOM.randint(-6, 6)]
        A, b = gram(rows), [-sum(x * y for x, y in zip(row, wrench)) for row in rows]
        found = heuristic_of(A, b)
        # Half of the cases must fail the prediction; no case may be near the limit.
        if found is None or (count % 2 == 0 and found["succeeds"]):
            continue
        if found["empty"] and found["predicted"]:
            continue
        f, w = exact.lemke(A, b)
        unique = exact.rank(A) == n
        yield case("B-heur-v%d" % count, dict(rows=rows, wrench=wrench, A=A, b=b,
                                             rankA=exact.rank(A)),
                   dict(V_empty_feasible=found["empty"], minsum_f=numbers(found["f"]),
                        minsum_unique=True, residual=numbers(found["rest"]),
                        V_predicted=found["predicted"], heuristic_succeeds=found["succeeds"],
                        f_correct=numbers(f) if unique else "not unique",
                        chi_ddot=numbers(w), fallback_energy_sum=number(found["power"])),
                   abs=1e-9)
        count += 1


def infeasible():
    for i in range(24):
        n = RANDOM.randint(1, 4)
        m = n if i % 2 else RANDOM.randint(n, 6)
        rows = [[RANDOM.randint(-3, 3) for _ in range(n)] for _ in range(m)]
        if i % 2:  # symmetric, as in the solver, and often of less than full rank
            rows = gram([[RANDOM.randint(-2, 2) for _ in range(max(1, n - 1))] for _ in range(n)])
        b = [RANDOM.randint(-5, 5) for _ in range(m)]
        if i % 6 == 0:
            b = exact.times(rows, [RANDOM.randint(-2, 2) for _ in range(n)])  # consistent
        f = exact.least_squares(rows, b)
        rest = [x - y for x, y in zip(exact.times(rows, f), b)]
        wide = []
        for k, row in enumerate(rows):
            sides = [F(int(k == q)) for q in range(m)]
            wide.append([F(x) for x in row] + [-F(x) for x in row] + sides + [-x for x in sides])
        program = exact.Program(wide, b)
        least = program.minimise([F(0)] * (2 * n) + [F(1)] * (2 * m))
        yield case("B-infeasible-v%d" % i, dict(A=rows, b=b),
                   dict(f_ls_minnorm=numbers(f), resid2=math.sqrt(sum(x * x for x in rest)),
                        resid1_min=number(least)), abs=1e-9)


def legs():
    count = 0
    while count < 20:
        n = 3 + count % 6
        xy = [[RANDOM.randint(-20, 20) / 10, RANDOM.randint(-20, 20) / 10] for _ in range(n)]
        weight = RANDOM.randint(1, 900)
        share = [RANDOM.random() for _ in range(n)]
        com = [round(sum(s * p[k] for s, p in zip(share, xy)) / sum(share), 2) for k in range(2)]
        rows = [[F(1)] * n, [F(str(p[0])) for p in xy], [F(str(p[1])) for p in xy]]
        right = [F(weight), weight * F(str(com[0])), weight * F(str(com[1]))]
        if exact.rank(rows) < 3 or not exact.Program(rows, right).feasible:
            continue
        f = exact.least_squares(rows, right)
        if min(f) < 0:
            continue
        ranges = []
        for i in range(n):
            unit = [F(int(i == k)) for k in range(n)]
            low = exact.Program(rows, right).minimise(unit)
            high = -exact.Program(rows, right).minimise([-x for x in unit])
            ranges.append([number(low), number(high)])
        yield case("B-legs-v%d" % count, dict(legs_xy=xy, weight=weight, com_xy=com),
                   dict(minnorm_f=numbers(f), leg_range=ranges, sum=weight), abs=1e-9)
        count += 1


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def turned(w, r):
    return [-w * r[1], w * r[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rows_of_contacts():
    for i in range(20):
        angle = rnd(0, 6.28)
        n = [math.cos(angle), math.sin(angle)]
        vector = lambda size: [rnd(-size, size), rnd(-size, size)]
        w1, w2, alpha1, alpha2 = rnd(-3, 3), rnd(-3, 3), rnd(-4, 4), rnd(-4, 4)
        r1, r2, v1, v2, a1, a2 = (vector(1), vector(1), vector(2), vector(2), vector(10),
                                  vector(10))
        p1 = [x + y for x, y in zip(v1, turned(w1, r1))]
        p2 = [x + y for x, y in zip(v2, turned(w2, r2))]
        u = [x - y for x, y in zip(p1, p2)]
        coriolis = 2 * dot(turned(w2, n), u)
        point = lambda a, alpha, w, r: [a[k] + turned(alpha, r)[k] - w * w * r[k]
                                        for k in range(2)]
        accel = dot(n, [x - y for x, y in zip(point(a1, alpha1, w1, r1),
                                              point(a2, alpha2, w2, r2))])
        given = dict(n=n, w1=w1, r1=r1, v1=v1, w2=w2, r2=r2, v2=v2)
        yield case("M-eq10-v%d" % i, given, dict(term=coriolis), abs=1e-12)
        given = dict(given, a1_free=a1, alpha1_free=alpha1, a2_free=a2, alpha2_free=alpha2)
        yield case("M-bvec-v%d" % i, given, dict(coriolis_term=coriolis, accel_term=accel,
                                                 b=coriolis + accel, ddot=dot(n, u)), abs=1e-12)
        other = rnd(0, 6.28)
        nj, rj, m, inertia = [math.cos(other), math.sin(other)], vector(1), pick(0.2, 5), \
            pick(0.1, 3)
        turn = cross(rj, nj) / inertia
        moved = [x / m + y for x, y in zip(nj, turned(turn, r1))]
        yield case("M-eq9-v%d" % i, dict(m=m, I=inertia, n_i=n, r_1=r1, n_j=nj, r_j=rj),
                   dict(a_ij=dot(n, moved)), abs=1e-13)


def small():
    for i in range(20):
        m, g, a1, a2 = pick(1e-2, 1e2), rnd(1, 20), rnd(5, 80), rnd(5, 80)
        if a1 + a2 > 150:
            a2 = 150 - a1
        s = math.sin(math.radians(a1 + a2))
        yield case("M-vgroove-v%d" % i, dict(m=m, g=g, a1_deg=a1, a2_deg=a2),
                   dict(N_left=m * g * math.sin(math.radians(a2)) / s,
                        N_right=m * g * math.sin(math.radians(a1)) / s), rel=1e-10)
        masses, T = [rnd(0.2, 6) for _ in range(2 + i % 9)], rnd(0.1, 30)
        yield case("M-thrust-v%d" % i, dict(T=T, m=masses), dict(wall=T, between=T, acc=0),
                   abs=1e-9)
        m, g = rnd(0.1, 20), rnd(1, 20)
        yield case("B-degenerate-vv-v%d" % i, dict(m=m, g=g), dict(n=[0, 1], f=m * g), abs=1e-9)
        k, masses = rnd(100, 5000), [rnd(0.1, 20) for _ in range(1 + i % 4)]
        yield case("B-penalty-v%d" % i, dict(m=masses, k=k, g=g),
                   dict(depth_penalty=[m * g / k for m in masses], depth_analytic=0.0), abs=1e-9)
        m, M, theta = pick(0.1, 10), pick(0.1, 10), rnd(8, 70)
        s, c = math.sin(math.radians(theta)), math.cos(math.radians(theta))
        N = m * g * c / (1 + m * s * s / M)
        yield case("C-wedge-v%d" % i, dict(m=m, M=M, theta_deg=theta, g=g),
                   dict(N=N, a_wedge=N * s / M, N_floor=(m + M) * g - m * a_down(N, m, g, s, c, M),
                        a_rel=g * s + N * s / M * c), rel=1e-9)
        box = pick(0.3, 3)
        yield case("B-contact-reduction-v%d" % i, dict(box=box, rot_deg=45),
                   dict(n_points_face_face=8, n_points_edge_face=2,
                        octagon_circumradius=0.5 * box / math.cos(math.pi / 8)), abs=1e-9)


def a_down(N, m, g, s, c, M):
    """How fast the block on the wedge accelerates downwards."""
    return g - N * c / m


def matrix_entry(name, kind, A, b, solvable=True, f=None, w=None, unique=True):
    data = dict(id=name, cls=kind, A=[numbers(r) for r in A], b=numbers(b), solvable=solvable)
    if solvable:
        data.update(w=numbers(w), f=numbers(f), f_unique=unique)
    return data


def matrices():
    """For the section "lcp"."""
    for i in range(12):
        n = 2 + i
        rows = [[RANDOM.randint(-4, 4) for _ in range(n + 1)] for _ in range(n)]
        A = gram(rows)
        if exact.rank(A) == n:
            b = [RANDOM.randint(-9, 9) for _ in range(n)]
            f, w = exact.lemke(A, b)
            yield matrix_entry("L-pd-v%d" % i, "symmetric PD", A, b, True, f, w)
    for i in range(10):
        n = 4 + i
        rows = [[RANDOM.randint(-4, 4) for _ in range(max(2, n // 2))] for _ in range(n)]
        A = gram(rows)
        push = [RANDOM.randint(-5, 5) for _ in rows[0]]
        b = exact.times(rows, push)
        f, w = exact.lemke(A, b)
        yield matrix_entry("L-psd-v%d" % i, "PSD, b in range(J)", A, b, True, f, w, False)
    for i in range(6):
        n = 2 + i  # A f >= b with a vector y >= 0, A y = 0, b y > 0: closing walls
        rows = [[RANDOM.randint(-3, 3) for _ in range(3)] for _ in range(n - 1)]
        rows.append([-sum(row[k] for row in rows) for k in range(3)])
        b = [RANDOM.randint(1, 4) for _ in range(n)]
        yield matrix_entry("L-infeas-v%d" % i, "PSD infeasible: closing walls", gram(rows), b,
                           False)
        yield matrix_entry("L-painleve-none-v%d" % i, "no solution",
                           [[F(-RANDOM.randint(1, 9), 10)]], [RANDOM.randint(1, 9)], False)
    for n in range(2, 9):
        A = [[F(1) if i == j else F(2) if j > i else F(0) for j in range(n)] for i in range(n)]
        f, w = exact.lemke(A, [F(1)] * n)
        yield matrix_entry("L-murty-v%d" % n, "Murty 1978", A, [F(1)] * n, True, f, w)
        A = exact.product(transpose_of(A), A)
        f, w = exact.lemke(A, [F(1)] * n)
        yield matrix_entry("L-fathi-v%d" % n, "Fathi 1979", A, [F(1)] * n, True, f, w)


def transpose_of(A):
    return exact.transpose(A)
