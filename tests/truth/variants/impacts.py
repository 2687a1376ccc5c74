"""Variants of the statements on impacts and on impulses that pass from pair to pair."""
import math
from fractions import Fraction as F

import exact
from base import case, pick, rnd, number, numbers, RANDOM


def row_of_balls():
    for i in range(24):
        n = 2 + i % 11
        k = RANDOM.randint(1, n - 1)
        e = F(RANDOM.randint(0, 10), 10)
        v = F(RANDOM.randint(5, 80), 10)
        masses = [F(RANDOM.randint(1, 30), 5) for _ in range(n)]
        before = [v if j < k else F(0) for j in range(n)]
        A = [[F(0)] * (n - 1) for _ in range(n - 1)]
        for j in range(n - 1):
            A[j][j] = 1 / masses[j] + 1 / masses[j + 1]
            if j:
                A[j][j - 1] = A[j - 1][j] = -1 / masses[j]
        b = [-(1 + e) * (before[j + 1] - before[j]) for j in range(n - 1)]
        J, _ = exact.lemke(A, b)
        after = list(before)
        for j in range(n - 1):
            after[j] -= J[j] / masses[j]
            after[j + 1] += J[j] / masses[j + 1]
        energy = lambda u: sum(m * x * x for m, x in zip(masses, u))
        yield case("B-simul-v%d" % i, dict(n=n, k=k, e=number(e), masses=numbers(masses),
                                           v=number(v)),
                   dict(J=numbers(J), v_after=numbers(after),
                        KE_ratio=number(energy(after) / energy(before))), abs=1e-11)
    for i in range(20):
        v = rnd(0.3, 9)
        ns = [RANDOM.randint(2, 9) for _ in range(3)]
        ks = [RANDOM.randint(1, n - 1) for n in ns]
        yield case("B-propag-v%d" % i, dict(n=ns, k=ks, v=v),
                   dict(v_after=[[0] * (n - k) + [v] * k for n, k in zip(ns, ks)]), abs=1e-10)
        n = 3 + i % 6
        yield case("C-cradle-v%d" % i, dict(n=n, k=list(range(1, n)), v=v),
                   dict(v_after=[[0] * (n - k) + [v] * k for k in range(1, n)]), abs=1e-9)


def blocks():
    for i in range(20):
        bottom, top, v = rnd(0.2, 9), rnd(0.2, 9), -rnd(0.5, 6)
        part = top / (top + bottom)
        yield case("B-ballstack-v%d" % i, dict(m_bottom=bottom, m_top=top, v_top=v, e=0),
                   dict(simultaneous=dict(v=[0, 0], J_floor=-top * v, J_between=-top * v,
                                          iterations=1),
                        propagation=dict(v_top_after_n=[-v * part ** n for n in range(11)])),
                   abs=1e-11)
        mA, mC, vC, e = rnd(0.3, 6), rnd(0.3, 6), rnd(0.5, 6), rnd(0, 1)
        J = (1 + e) * vC * mA * mC / (mA + mC)
        yield case("B-fig13-v%d" % i, dict(mA=mA, mC=mC, vC=vC, e=e),
                   dict(J_AB=0, J_AC=J, vA_after=J / mA, v_AB_plus=J / mA, vC_after=vC - J / mC),
                   abs=1e-11)
        m, w, h = F(RANDOM.randint(2, 30), 5), F(RANDOM.randint(4, 20), 5), \
            F(RANDOM.randint(2, 30), 5)
        e, v = F(RANDOM.randint(0, 10), 10), -F(RANDOM.randint(10, 50), 10)
        omega = 2 * abs(v) / w * F(RANDOM.choice([-1, 1]) * RANDOM.choice([0, 3, 7, 10]), 10)
        inertia = m * (w * w + h * h) / 12
        arm = [-w / 2, w / 2]
        A = [[1 / m + a * b / inertia for b in arm] for a in arm]
        minus = [v + omega * a for a in arm]
        J, _ = exact.lemke(A, [-(1 + e) * u for u in minus])
        v_after, w_after = v + sum(J) / m, omega + exact.times([arm], J)[0] / inertia
        yield case("B-blockimpact-v%d" % i,
                   dict(m=number(m), w=number(w), h=number(h), v_com_y=number(v),
                        omega=number(omega), e=number(e), I=number(inertia)),
                   dict(v_minus=numbers(minus), J=numbers(J), v_com_y_after=number(v_after),
                        v_plus=numbers([v_after + w_after * a for a in arm]),
                        omega_after=number(w_after)), abs=1e-11)
        m, u, e = [rnd(0.2, 9), rnd(0.2, 9)], [rnd(1, 6), -rnd(0, 3)], 0
        common = (m[0] * u[0] + m[1] * u[1]) / sum(m)
        yield case("R-inelastic-v%d" % i, dict(m=m, v=u),
                   dict(c0=[common] * 2, c1=[2 * common - u[0], 2 * common - u[1]]), abs=1e-11)
        m, l, v, theta, e = pick(0.1, 10), pick(0.1, 3), rnd(0.5, 6), rnd(5, 80), rnd(0, 1)
        c = math.cos(math.radians(theta))
        J = (1 + e) * m * v / (1 + 3 * c * c)
        yield case("C-rodimpact-v%d" % i, dict(m=m, l=l, v=v, theta_deg=theta, e=e),
                   dict(J=J, omega=3 * J * c / (m * l), v_after=J / m - v), rel=1e-10)
        pairs = [[[rnd(0, 1), rnd(0, 1)], [rnd(0, 1), rnd(0, 1)]] for _ in range(3)]
        yield case("G-combine-v%d" % i, dict(pairs=pairs, order="[e,mu]"),
                   dict(e=[min(a[0], b[0]) for a, b in pairs],
                        mu=[max(a[1], b[1]) for a, b in pairs]), abs=0)


# ---- one contact, vectors as lists ----

def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def plus(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def inverse3(K):
    a, b, c = K
    d = dot(a, cross(b, c))
    return exact.transpose([[x / d for x in cross(b, c)], [x / d for x in cross(c, a)],
                            [x / d for x in cross(a, b)]])


def response(m, inertia, r):
    """The columns are the changes of velocity there by unit impulses at r; symmetric."""
    columns = []
    for k in range(3):
        unit = [float(k == q) for q in range(3)]
        turn = [x / y for x, y in zip(cross(r, unit), inertia)]
        columns.append(plus([x / m for x in unit], cross(turn, r)))
    return exact.transpose(columns)


def strike(bodies, normal, e, mu):
    """bodies: (m, I, r, v, w) or None, the first gets +j. Sections 6 and 7 as printed."""
    length = math.sqrt(dot(normal, normal))
    N = [x / length for x in normal]
    K, u = [[0.0] * 3 for _ in range(3)], [0.0] * 3
    for sign, body in zip((1, -1), bodies):
        if body is not None:
            m, inertia, r, v, w = body
            K = [plus(p, q) for p, q in zip(K, response(m, inertia, r))]
            u = plus(u, plus(v, cross(w, r)), sign)
    un = dot(u, N)
    target = [-e * un * x for x in N]
    trial = exact.times(inverse3(K), plus(target, u, -1))
    along = dot(trial, N)
    across = plus(trial, N, -along)
    ratio = math.sqrt(dot(across, across)) / along if along > 0 else math.inf
    j, kind = trial, "stick"
    if along <= 0 or ratio > mu:
        ut = plus(u, N, -un)
        size = math.sqrt(dot(ut, ut))
        direction = plus(N, [x / size for x in ut], -mu)
        divisor = dot(N, exact.times(K, direction))
        if divisor <= 0:
            return None
        j, kind = [-(1 + e) * un / divisor * x for x in direction], "slide"
    energy, after, total, total_after = 0.0, [], 0.0, 0.0
    for sign, body in zip((1, -1), bodies):
        if body is None:
            after.append(None)
            continue
        m, inertia, r, v, w = body
        v1 = plus(v, j, sign / m)
        w1 = plus(w, [x / y for x, y in zip(cross(r, j), inertia)], sign)
        energy = lambda v, w: 0.5 * (m * dot(v, v) + sum(a * b * b for a, b in zip(inertia, w)))
        total += energy(v, w)
        total_after += energy(v1, w1)
        after.append((v1, w1))
    return dict(kind=kind, u=u, K=K, j=j, after=after, before_KE=total, after_KE=total_after,
                u_after=plus(u, exact.times(K, j)), un=un, ratio=ratio)


def vector(size):
    return [rnd(-size, size) for _ in range(3)]


def collide():
    count = 0
    while count < 24:
        bodies = []
        for k in range(2):
            moves = k == 0 or count % 2 == 0
            bodies.append((rnd(0.2, 5), [rnd(0.05, 1) for _ in range(3)], vector(0.8), vector(2),
                           vector(2)) if moves else None)
        e, mu, normal = rnd(0, 1), rnd(0, 1.2), vector(1)
        if dot(normal, normal) < 0.05:
            continue
        found = strike(bodies, normal, e, mu)
        if (found is None or found["un"] > -0.1 or found["after_KE"] > 0.98 * found["before_KE"]
                or abs(found["ratio"] - mu) < 1e-3 or found["kind"] == ("slide", "stick")[
                    count // 2 % 2]):
            continue
        one, two = bodies
        given = dict(m1=one[0], I1_diag=one[1], r1=one[2], v1=one[3], w1=one[4],
                     m2=two and two[0], I2_diag=two and two[1], r2=two[2] if two else [0, 0, 0],
                     v2=two[3] if two else [0, 0, 0], w2=two[4] if two else [0, 0, 0], N=normal,
                     e=e, mu=mu)
        expect = dict(kind=found["kind"], u_rel=found["u"], K_T=found["K"], j=found["j"],
                      u_rel_after=found["u_after"], v1=found["after"][0][0],
                      w1=found["after"][0][1], KE_before=found["before_KE"],
                      KE_after=found["after_KE"])
        if two:
            expect.update(v2=found["after"][1][0], w2=found["after"][1][1])
        yield case("G-collide-v%d" % count, given, expect, rel=1e-11)
        count += 1


def gains():
    count = 0
    while count < 20:
        m, inertia, r, v = rnd(0.3, 3), [rnd(0.03, 1) for _ in range(3)], vector(2), vector(0.5)
        e, mu = RANDOM.choice([0, 0, 0.5, 1]), rnd(0.2, 1.6)
        found = strike([(m, inertia, r, v, [0, 0, 0]), None], [0, 0, 1], e, mu)
        if found is None or found["un"] > -0.02 or found["kind"] != "slide" or \
                found["after_KE"] < 1.02 * found["before_KE"]:
            continue
        yield case("G-energy-gain-v%d" % count,
                   dict(m=m, I_diag=inertia, r=r, v=v, omega=[0, 0, 0], N=[0, 0, 1], e=e, mu=mu),
                   dict(kind="slide", j=found["j"], KE_before=found["before_KE"],
                        KE_after=found["after_KE"], u_rel_after=found["u_after"]), rel=1e-9)
        count += 1
    for i in range(20):
        theta = rnd(57, 69)
        s, c = math.sin(math.radians(theta)), math.cos(math.radians(theta))
        critical = (1 + 3 * c * c) / (3 * s * c)
        mu = round(critical * (1.02 + 0.03 * i), 6)
        yield case("G-pitfall-den-v%d" % i, dict(theta_deg=theta, mu=mu),
                   dict(K_nn=1 + 3 * c * c, K_nt_abs=3 * s * c, den=1 + 3 * c * c - mu * 3 * s * c,
                        mu_crit=critical), rel=1e-12)


def sweeps():
    for i in range(20):
        n, v0 = 2 + i % 15, -F(RANDOM.randint(1, 40), 10)
        v, rows = [v0] * n, []
        for _ in range(3):
            for k in range(n):
                if k == 0:
                    v[0] = F(0) if v[0] < 0 else v[0]
                elif v[k] < v[k - 1]:
                    v[k] = v[k - 1] = (v[k] + v[k - 1]) / 2
            rows.append(numbers(v))
        factor = math.cos(math.pi / (2 * n)) ** 2
        yield case("G-stack-gs-v%d" % i, dict(n=n, v0=number(v0)),
                   dict(v_after_sweeps=rows, asymptotic_factor=factor,
                        sweeps_for_1e_3=math.ceil(math.log(1e-3) / math.log(factor)),
                        shock_one_sweep=[0] * n), abs=1e-12)
        n, v = 2 + i, -F(RANDOM.randint(1, 40), 10)
        e_seq, after = [], []
        for k in range(n):
            e_seq.append(-F(n - 1 - k, n))
            v = -e_seq[-1] * v
            after.append(v)
        yield case("G-gradual-e-v%d" % i, dict(v=number(after[0] / -e_seq[0]), n_iter=n),
                   dict(e_seq=numbers(e_seq), v_after=numbers(after)), abs=1e-13)
        p, q, r = F(RANDOM.randint(6, 30), 10), F(RANDOM.randint(6, 30), 10), \
            F(RANDOM.randint(-4, 8), 10)
        if r * r >= p * q * F(9, 10):
            r = F(1, 5)
        A, start = [[p, r], [r, q]], [-F(RANDOM.randint(5, 30), 10) for _ in range(2)]

        def push(v, J, k, e):
            if v[k] < 0:
                j = -(1 + e) * v[k] / A[k][k]
                J[k] += j
                v[0] += A[0][k] * j
                v[1] += A[1][k] * j
        results = []
        for steps in ([F(0)], [-F(9 - k, 10) for k in range(10)]):
            v, J = list(start), [F(0), F(0)]
            for e in steps:
                push(v, J, 0, e)
                push(v, J, 1, e)
            results.append(dict(J=[float(x) for x in J], v=[float(x) for x in v]))
        J, w = exact.lemke(A, [-x for x in start])
        yield case("G-overimpulse-v%d" % i, dict(A=[numbers(x) for x in A], v=numbers(start)),
                   dict(e0_single_pass=results[0], gradual10_one_pass_each=results[1],
                        simultaneous=dict(J=numbers(J), v=numbers(w))), abs=1e-9)


def seesaw():
    count = 0
    while count < 20:
        M, L, t, s, g = rnd(0.5, 4), rnd(3, 6), rnd(0.05, 0.2), rnd(0.3, 0.8), rnd(3, 12)
        x = [-rnd(0.5, L / 2 - s / 2), rnd(0.5, L / 2 - s / 2)]
        m = [rnd(0.5, 5), rnd(0.5, 5)]
        torque = -g * (m[0] * x[0] + m[1] * x[1])
        if abs(torque) < 2:
            continue
        height = 0.5 * (t + s)
        for sticks in (True, False):
            inertia = M * (L * L + t * t) / 12
            for mi, xi in zip(m, x):
                inertia += mi * (s * s / 6 + xi * xi + (height * height if sticks else 0))
            alpha = torque / inertia
            corners = []
            for mi, xi in zip(m, x):
                Ft = -mi * alpha * height if sticks else 0.0
                both = mi * (g + alpha * xi)
                apart = (mi * s * s / 6 * alpha - Ft * s / 2) * 2 / s
                corners.append([(both - apart) / 2, (both + apart) / 2, Ft])
            if min(min(c[:2]) for c in corners) < 0.05 * g or \
                    max(abs(c[2]) / (c[0] + c[1]) for c in corners) > 1.5:
                break
        # The bound is the part of alpha that ten iterations of the paper reach.  It holds for
        # blocks not much heavier than the plank, as in its figure: heavy ones converge slowly.
            if max(m) > 2.2 * M or min(m) < 0.2 * M:
                break
            name = "G-seesaw-%s-v%d" % ("stick" if sticks else "frictionless", count)
            yield case(name, dict(plank_m=M, plank_L=L, plank_t=t, block_x=x, block_m=m,
                                  cube_side=s, g=g, friction="infinite" if sticks else 0),
                       dict(alpha=alpha, I_total=inertia, corner_forces_left_right_Ft=corners,
                            shock_only_alpha_upper=0.02 * abs(alpha)), rel=1e-6,
                       first_steps_rel=0.1)
        else:
            count += 1
