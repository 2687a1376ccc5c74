"""Variants of Faure's statements: rounds of his figure 3, and bodies on a plane that turns."""
import math
from fractions import Fraction as F

import exact
from base import case, rnd, number, numbers, RANDOM


def figure3(A, b, round_max=40):
    """The rounds as printed, of least norm: (f, a, pulling, sinking) each."""
    n = len(b)
    K, f, rounds, seen = set(range(n)), [F(0)] * n, [], {}
    while len(rounds) < round_max:
        inside = sorted(K)
        outside = [x - y for x, y in zip(b, exact.times(A, f))]
        if inside:
            step = exact.least_squares([[A[i][j] for j in inside] for i in inside],
                                       [outside[i] for i in inside])
            for i, x in zip(inside, step):
                f[i] += x
        a = [x - y for x, y in zip(exact.times(A, f), b)]
        pulling = [i for i in inside if f[i] < 0]
        sinking = [i for i in range(n) if i not in K and a[i] < 0]
        rounds.append((list(f), a, pulling, sinking))
        if not pulling and not sinking:
            return rounds, None
        key = frozenset(K)
        if key in seen:
            return rounds, (seen[key], len(rounds) - 1 - seen[key])
        seen[key] = len(rounds) - 1
        for i in pulling:
            f[i] = F(0)
        K ^= set(pulling) | set(sinking)
    return rounds, None


def told(rounds):
    return [dict(f=[float(x) for x in f], a=[float(x) for x in a], negative_forces=p,
                 penetrating=s) for f, a, p, s in rounds]


def bars():
    count = 0
    while count < 20:
        n = RANDOM.randint(2, 7)
        x = sorted(RANDOM.sample(range(-8, 9), n))
        m, inertia = F(RANDOM.randint(1, 8), 2), F(RANDOM.randint(2, 60), 2)
        push, place = F(RANDOM.randint(1, 40), 2), F(RANDOM.randint(-20, 20), 2)
        A = [[1 / m + F(p * q) / inertia for q in x] for p in x]
        b = [push / m + push * place * q / inertia for q in x]
        rounds, cycle = figure3(A, b)
        if cycle is not None or len(rounds) > 6 or (count < 12 and len(rounds) == 1):
            continue
        f, a = rounds[-1][:2]
        # An answer near the limit is no test.
        if any(v != 0 and abs(v) < F(1, 1000) for r in rounds for v in r[0] + r[1]):
            continue
        active = [i for i in range(n) if f[i] > 0]
        sub = [[A[i][j] for j in active] for i in active]
        least = exact.least_squares(A, b) if len(active) == n else None
        if not active or (least is None and exact.rank(sub) < len(active)):
            continue
        yield case("F-bar-v%d" % count,
                   dict(m=number(m), I=number(inertia), contacts_x=x, F=number(push),
                        p=number(place)),
                   dict(acc_at_contacts=numbers(a), iterations=told(rounds), n_solves=len(rounds),
                        f_final=[float(v) for v in f]), abs=1e-8)
        count += 1


def cycles():
    count = 0
    while count < 20:
        rows = [[1, RANDOM.randint(-5, 5), RANDOM.randint(-5, 5)] for _ in range(3)]
        wrench = [RANDOM.choice([-1, 1]), RANDOM.randint(-7, 7), RANDOM.randint(-7, 7)]
        A = [[sum(p * q for p, q in zip(r, s)) for s in rows] for r in rows]
        b = [-sum(p * q for p, q in zip(r, wrench)) for r in rows]
        if exact.rank(A) < 3:
            continue
        rounds, cycle = figure3(A, b)
        if cycle is None:
            continue
        f, w = exact.lemke(A, b)
        yield case("F-cycle-3legs-v%d" % count, dict(rows=rows, wrench=wrench, A=A, b=b),
                   dict(cycle_start=cycle[0], cycle_period=cycle[1], trace=told(rounds),
                        acc_at_contacts=numbers(w), f_correct=numbers(f)), abs=1e-7)
        count += 1


def turned(w, r):
    return [-w * r[1], w * r[0]]


def least_norm(rows, right, weights):
    """Least sum of weights x^2 with rows x = right, in floats."""
    scaled = [[F(x) / F(math.sqrt(w)) for x, w in zip(row, weights)] for row in rows]
    y = exact.least_squares(scaled, [F(x) for x in right])
    return [float(x) / math.sqrt(w) for x, w in zip(y, weights)]


def turntables():
    count = 0
    while count < 44:
        four, static = count % 2 == 0, count % 4 >= 2
        turn = rnd(0, 6.28) if not (four and static) else 0.0
        if four:
            arms = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]]
            inertia, m = 2.016, 4
        else:
            arms = [[0.6 * math.cos(math.pi / 2 + 2 * math.pi * k / 3 + turn),
                     0.6 * math.sin(math.pi / 2 + 2 * math.pi * k / 3 + turn)] for k in range(3)]
            inertia, m = 1.092, 3
        n = len(arms)
        h, g, Omega, com = rnd(0.05, 0.15), rnd(5, 12), rnd(0.4, 2.5), [rnd(0.3, 2), rnd(-1, 1)]
        mu = [rnd(0.6, 0.9)] + [rnd(0.1, 0.3)] * (n - 1)
        omega = rnd(-1, 1) if static else 0.0
        R = [[c + x for c, x in zip(com, arm)] for arm in arms]
        v = [0.0, 0.0]
        if static:
            v = [x - y for x, y in zip(turned(Omega, R[0]), turned(omega, arms[0]))]
        slips = []
        for arm, far in zip(arms, R):
            u = [a + b - c for a, b, c in zip(v, turned(omega, arm), turned(Omega, far))]
            slips.append(u)
        size = [math.hypot(*u) for u in slips]
        if min(size[1 if static else 0:]) < 0.05:
            continue
        d = [[-x / s for x in u] if s > 1e-9 else [0.0, 0.0] for u, s in zip(slips, size)]
        if static:
            d[0] = [0.0, 0.0]
        # Unknown: N of every ball, then the friction of the one that sticks.
        unknown = n + (2 if static else 0)
        rows, right = [[1.0] * n + [0.0] * (unknown - n)], [m * g]
        # Moments about the centre of mass: r x F, r = (x, y, -h).
        mx, my = [0.0] * unknown, [0.0] * unknown
        for k, arm in enumerate(arms):
            mx[k] = arm[1] + h * mu[k] * d[k][1]
            my[k] = -h * mu[k] * d[k][0] - arm[0]
        if static:
            mx[n + 1], my[n] = h, -h
        rows += [mx, my]
        right += [0.0, 0.0]
        if static:
            for k in range(2):
                row = [0.0] * unknown
                for q in range(n):
                    moment = arms[q][0] * mu[q] * d[q][1] - arms[q][1] * mu[q] * d[q][0]
                    row[q] = mu[q] * d[q][k] / m + moment / inertia * turned(1, arms[0])[k]
                moment = [-arms[0][1], arms[0][0]]
                for q in range(2):
                    row[n + q] = (1 / m if q == k else 0) + moment[q] / inertia * turned(
                        1, arms[0])[k]
                rows.append(row)
                right.append(omega * omega * arms[0][k] - Omega * Omega * R[0][k])

        def answer(x):
            force = [[mu[k] * x[k] * d[k][q] for q in range(2)] for k in range(n)]
            if static:
                force[0] = x[n:]
            a = [sum(p[q] for p in force) / m for q in range(2)]
            alpha = sum(r[0] * p[1] - r[1] * p[0] for r, p in zip(arms, force)) / inertia
            torque = sum(r[0] * p[1] - r[1] * p[0] for r, p in zip(R, force))
            return dict(N=x[:n], a=a, alpha=alpha, torque=torque), force
        weights = [1 + (mu[k] ** 2 if d[k] != [0.0, 0.0] else 0) for k in range(n)]
        weights += [1.0] * (unknown - n)
        found, force = answer(least_norm(rows, right, weights))
        if min(found["N"]) < 0.5:
            continue
        given = dict(Omega=Omega, com_xy=com, mu=mu, g=g, contacts_rel_com=arms, h_com=h,
                     I_zz=inertia, m=m)
        if static:
            ratio = math.hypot(*force[0]) / found["N"][0]
            if ratio > 0.9 * mu[0]:
                continue
            expect = dict(found, v=v, ft0=force[0], ratio=ratio)
            yield case("F-fig5-1static-v%d" % count, dict(given, omega=omega), expect, rel=1e-8)
        elif four:
            normal, _ = answer(least_norm(rows, right, [1.0] * 4))
            # One direction is free: both ends of the range with N >= 0.
            base = found["N"]
            null = [x - y for x, y in zip(least_norm(rows, right, [1, 2, 3, 4]), base)]
            steps = [-x / y for x, y in zip(base, null)]
            ends = [max(s for s, y in zip(steps, null) if y > 0),
                    min(s for s, y in zip(steps, null) if y < 0)]
            torques = sorted(answer([x + s * y for x, y in zip(base, null)])[0]["torque"]
                             for s in ends)
            yield case("F-fig5-4sliding-v%d" % count, given,
                       dict(minnorm_all=found, minnorm_normal=normal, torque_range=torques),
                       rel=1e-8)
        else:
            yield case("F-fig5-3sliding-v%d" % count, given, found, rel=1e-8)
        count += 1
