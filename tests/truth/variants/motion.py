"""Variants of the classical statements and of those on friction in motion: closed forms."""
import math

from base import case, pick, rnd, RANDOM


def rk4(rate, state, end, steps):
    h = end / steps
    add = lambda a, b, s: [x + s * y for x, y in zip(a, b)]
    for _ in range(steps):
        k1 = rate(state)
        k2 = rate(add(state, k1, h / 2))
        k3 = rate(add(state, k2, h / 2))
        k4 = rate(add(state, k3, h))
        state = [s + h / 6 * (a + 2 * b + 2 * c + d)
                 for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


def quarter_period(k2):
    """Complete elliptic integral of the first kind, by the arithmetic and geometric mean."""
    a, b = 1.0, math.sqrt(1 - k2)
    for _ in range(12):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def rad(degrees):
    return math.radians(degrees)


def falls():
    for i in range(20):
        h, g, v0 = pick(0.05, 20), pick(0.5, 25), rnd(-3, 3)
        t = (v0 + math.sqrt(v0 * v0 + 2 * g * h)) / g
        yield case("B-toi-%d.0-v" % i, dict(h=h, g=g, v0=v0), dict(t=t, v_impact=v0 - g * t),
                   t_abs=1e-9)
        l, y0, omega = rnd(0.1, 0.8), rnd(0.9, 3), rnd(-8, 8)
        gap = lambda t: y0 - g * t * t / 2 - l * abs(math.sin(omega * t))
        t, step = 0.0, 1e-4
        while gap(t + step) > 0:
            t += step
        low, high = t, t + step
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if gap(middle) > 0 else (low, middle)
        yield case("B-toi-rod-v%d" % i, dict(l=l, y0=y0, omega=omega, g=g), dict(t=low), abs=1e-8)
        h, e, g = pick(0.2, 5), rnd(0.2, 0.85), rnd(1, 20)
        first = math.sqrt(2 * h / g)
        times = [first * (1 + 2 * sum(e ** k for k in range(1, n + 1))) for n in range(5)]
        yield case("C-bounce-v%d" % i, dict(h=h, e=e, g=g),
                   dict(apex=[h * e ** (2 * n) for n in range(1, 6)], impact_times=times,
                        t_total=first * (1 + e) / (1 - e)), rel=0.001)
        dts = [0.01, 0.001]
        wide = [3.4 * math.sqrt(2 * g / h) * dt for dt in dts]
        yield case("G-freeflight-v%d" % i, dict(h=h, e=1, g=g, dts=dts),
                   dict(h_rebound_over_h=[[1 - x, 1 + x] for x in wide]))


def inclines():
    for i in range(20):
        theta, g, v0 = rnd(5, 60), rnd(2, 20), rnd(0, 2)
        s, c = math.sin(rad(theta)), math.cos(rad(theta))
        steep = min(theta, 38)  # a cube tips over at 45 degrees, and where mu is near 1
        theta, s, c = steep, math.sin(rad(steep)), math.cos(rad(steep))
        mu = round(rnd(0.05, 0.8) * s / c, 4)
        a = g * (s - mu * c)
        t = [0.2 * k for k in range(5)]
        yield case("G-incline-acc-v%d" % i, dict(theta_deg=theta, mu=mu, v0=v0, g=g),
                   dict(a=a, t=t, x=[v0 * x + a * x * x / 2 for x in t],
                        v=[v0 + a * x for x in t]),
                   x_abs="0.5*a*dt*t*1.02 + 1e-9", x_minus_discrete_abs=1e-6)
        mu, v0 = min(round(rnd(1.1, 3) * s / c, 4), 0.85), rnd(0.5, 4)
        a = g * (s - mu * c)
        yield case("G-incline-dec-v%d" % i, dict(theta_deg=theta, mu=mu, v0=v0, g=g),
                   dict(a=a, t_stop=-v0 / a, x_stop=-v0 * v0 / (2 * a), drift_after_stop_10s=0.0),
                   x_abs="|a| dt t_stop + a dt^2", t_abs="2 dt", drift_abs=1e-9)
        dt = RANDOM.choice([1 / 60, 1 / 120, 1 / 50, 1 / 200])
        yield case("G-rest-e1-v%d" % i, dict(theta_deg=theta, mu=mu, e=RANDOM.choice([0, 0.5, 1]),
                                             g=g, dt=dt, steps=600),
                   dict(displacement=0.0, rotation=0.0,
                        control_displacement_min=0.4 * g * c * dt * dt * 30), abs=1e-8)
        steps = RANDOM.randint(20, 200)
        yield case("G-naive-control-v%d" % i, dict(g=g, dt=dt, steps=steps),
                   dict(x_after_1s=-math.ceil(steps / 2) * g * dt * dt, new_sequencing_x=0.0),
                   rel=1e-9)
        mu_s = rnd(0.2, 0.9)
        mu_d = round(mu_s * rnd(0.4, 1), 4)
        v0 = RANDOM.choice([0.0, rnd(0.05, 1)])
        holds = v0 == 0.0 and s / c <= mu_s
        if abs(s / c - mu_s) > 1e-3 and (holds or v0 == 0 or s / c > mu_d * 1.05):
            yield case("F-mus-mud-v%d" % i, dict(theta_deg=theta, mu_s=mu_s, mu_d=mu_d, v0=v0,
                                                 g=g),
                       dict(state="static" if holds else "sliding",
                            a=0.0 if holds else g * (s - mu_d * c),
                            f_t_over_mg=s if holds else mu_d * c), rel=1e-9)
        mu, bodies = rnd(0.05, 0.8), {}
        for name, b in (("solid_sphere", 0.4), ("solid_cylinder", 0.5), ("hollow_sphere", 2 / 3),
                        ("hoop", 1.0)):
            needed = s / c * b / (1 + b)
            rolls = mu >= needed
            bodies[name] = dict(mu_needed=needed, rolls=rolls,
                                a=g * s / (1 + b) if rolls else g * (s - mu * c),
                                alpha_R=g * s / (1 + b) if rolls else mu * g * c / b)
        yield case("C-rollincline-v%d" % i, dict(theta_deg=theta, mu=mu, g=g), bodies, rel=0.001)


def boxes():
    for i in range(20):
        W, H, mu, m, g = rnd(0.3, 2), rnd(0.5, 3), rnd(0.1, 1.2), pick(0.1, 20), rnd(2, 15)
        y = round(rnd(0.2, 0.95) * H, 4)
        if abs(mu - W / (2 * y)) > 0.05:
            yield case("C-tip-push-v%d" % i, dict(W=W, H=H, mu=mu, y=y, m=m, g=g),
                       dict(mode="slide" if mu < W / (2 * y) else "tip",
                            P_crit=min(mu, W / (2 * y)) * m * g), rel=1e-6)
        tip, slide = math.degrees(math.atan(W / H)), math.degrees(math.atan(mu))
        if abs(tip - slide) > 1:
            yield case("C-tip-incline-v%d" % i, dict(W=W, H=H, mu=mu),
                       dict(theta_tip_deg=tip, theta_slide_deg=slide, theta_crit_deg=min(tip, slide),
                            first="tip" if tip < slide else "slide"), bracket_deg=0.05)
        P = round(mu * g * rnd(0.3, 2), 4)
        friction = mu * g
        # About the centre: friction at -H/2, the push at y - H/2.
        turn = (friction * H / 2 + P * (y - H / 2))
        front = (g + 2 * turn / W) / 2
        if 0.05 * g < front < 0.95 * g:
            yield case("C-slidebox-v%d" % i, dict(W=W, H=H, mu=mu, P=P, y=y, g=g),
                       dict(a=P - friction, N_rear=g - front, N_front=front), rel=1e-8)
        # A push at rest that makes it slide, not tip.
        P = round(m * mu * g * rnd(1.1, 2), 4)
        turn = mu * m * g * H / 2 + P * (y - H / 2)
        right = (m * g + 2 * turn / W) / 2
        if 0.05 * m * g < right < 0.95 * m * g:
            yield case("F-onset-v%d" % i, dict(P=P, y=y, mu=mu, m=m, w=W, h=H, g=g),
                       dict(coulomb=dict(N=[m * g - right, right], a=P / m - mu * g,
                                         friction_total=-mu * m * g)), abs=1e-6)
        m1, m2, mu1, mu2 = pick(0.2, 10), pick(0.2, 10), rnd(0.02, 0.4), rnd(0.1, 0.8)
        slip = (mu1 + mu2) * (m1 + m2) * g
        pull = slip * rnd(1.1, 3)
        half = 0.5 * slip - mu1 * (m1 + m2) * g
        yield case("C-twoblocks-v%d" % i, dict(m1=m1, m2=m2, mu1=mu1, mu2=mu2, g=g, F_test=pull),
                   dict(F_slip=slip, a_together_at_half_F_slip=max(half, 0) / (m1 + m2),
                        a2_at_F_test=mu2 * g,
                        a1_at_F_test=(pull - mu2 * m2 * g - mu1 * (m1 + m2) * g) / m1), rel=1e-6)
        theta = [rnd(30, 80) for _ in range(1 + i % 5)]
        yield case("C-ladder-mu-v%d" % i, dict(theta_deg=theta),
                   dict(mu_min=[0.5 / math.tan(rad(x)) for x in theta]), bracket_rel=0.01)
        theta0, L = rnd(25, 80), pick(0.2, 8)
        low = math.asin(2 / 3 * math.sin(rad(theta0)))
        omega = math.sqrt(3 * g / L * (math.sin(rad(theta0)) - math.sin(low)))
        yield case("C-ladder-leaves-v%d" % i, dict(theta0_deg=theta0, L=L, g=g),
                   dict(theta_leave_deg=math.degrees(low), omega_leave=omega,
                        v_com_x=L / 2 * math.sin(low) * omega), theta_deg=0.2, rel=0.005)
        theta, load = [rnd(5, 40) for _ in range(3)], [rnd(0, 5) for _ in range(1 + i % 3)]
        yield case("C-cards-v%d" % i, dict(theta_deg=theta, Q_over_W=load),
                   dict(mu_min=[[math.tan(rad(x)) * (1 + q) / (2 + q) for q in load]
                                for x in theta],
                        apex_H_over_W=[[math.tan(rad(x)) * (1 + q) / 2 for q in load]
                                       for x in theta]), bracket_rel=0.02)
        R, mu = rnd(0.1, 3), rnd(0.1, 0.9)
        yield case("F-corotate-v%d" % i, dict(R=R, g=g, mu=mu),
                   dict(Omega_crit=math.sqrt(mu * g / R)), rel=0.001)


def rolling():
    for i in range(20):
        m, R, g, mu = pick(0.1, 10), rnd(0.03, 0.5), rnd(2, 20), rnd(0.1, 0.6)
        v0, spin = rnd(-4, 4), rnd(-60, 60)
        slip = v0 - R * spin
        t = 2 * abs(slip) / (7 * mu * g)
        v = (5 * v0 + 2 * R * spin) / 7
        yield case("C-slidroll-v%d" % i, dict(m=m, R=R, v0=v0, omega0=spin, mu=mu, g=g),
                   dict(v_roll=v, omega_roll=v / R, t=t, x=(v0 + v) / 2 * t,
                        KE_final=0.7 * m * v * v), rel=0.005)
        v0, n = rnd(0.8, 4), 2 + i % 7
        R = rnd(0.02, 0.1)
        yield case("G-billiard-v%d" % i, dict(n=n, v0=v0, mu=mu, R=R, g=g, cue="sliding"),
                   dict(v_after_impact=[0] * (n - 1) + [v0], last_ball_final_roll_speed=5 * v0 / 7,
                        t_roll=2 * v0 / (7 * mu * g), d_slide=12 * v0 * v0 / (49 * mu * g)),
                   rel=0.02)
        R, v0, mu_r = rnd(0.08, 0.5), rnd(0.3, 2), rnd(0.1, 1)
        slope = -mu_r * m * g
        t = v0 / R / -slope
        if 0.5 < t < 12:
            yield case("G-rollfric-v%d" % i, dict(m=m, R=R, v0=v0, mu_r=mu_r, g=g),
                       dict(domega_dt=slope, t_stop=t, x_stop=v0 * t / 2, v_over_omegaR=1.0),
                       rel=0.02)
        w0 = rnd(3, 30)
        if 0.5 < w0 / -slope < 12:
            yield case("G-spinfric-v%d" % i, dict(m=m, R=R, w0=w0, mu_s=mu_r, g=g),
                       dict(domega_dt=slope, t_stop=w0 / -slope, translation=0.0), rel=0.02)


def toppling():
    for i in range(20):
        b = rnd(0.05, 0.4)
        h, g, part = round(b * rnd(1.5, 6), 4), rnd(3, 15), rnd(0.2, 0.8)
        alpha, R = math.atan2(b, h), math.hypot(b, h)
        p2 = 3 * g / (4 * R)
        theta, omega, t, dt = part * alpha, 0.0, 0.0, 1e-4
        rate = lambda s: [s[1], -p2 * math.sin(alpha - s[0])]
        state = [theta, 0.0]
        while True:
            after = rk4(rate, state, dt, 1)
            if after[0] <= 0:
                break
            state, t = after, t + dt
        t += state[0] / -state[1]
        omega = math.sqrt(2 * p2 * (math.cos(alpha - theta) - math.cos(alpha)))
        ratio = 1 - 1.5 * math.sin(alpha) ** 2
        yield case("C-rocking-v%d" % i, dict(b=b, h=h, theta0_over_alpha=part, g=g,
                                             mu="large (no slip)"),
                   dict(alpha=alpha, R=R, p=math.sqrt(p2), t_quarter=t, omega_impact=omega,
                        omega_ratio=ratio, omega_after=ratio * omega, KE_ratio=ratio * ratio),
                   t_rel=0.002, ratio_rel=0.005)
        H = pick(0.02, 3)
        W = H * rnd(0.1, 0.4)
        square = H * H + W * W
        yield case("C-domino-single-v%d" % i, dict(H=H, W=W, g=g),
                   dict(omega_crit=math.sqrt(3 * g * (math.sqrt(square) - H) / square),
                        theta_balance_deg=math.degrees(math.atan2(W, H))), bracket_rel=0.01)


def swings():
    for i in range(20):
        L, g = pick(0.2, 5), rnd(2, 20)
        degrees = [rnd(3, 170) for _ in range(2)]
        K = [quarter_period(math.sin(rad(x) / 2) ** 2) for x in degrees]
        yield case("C-pendulum-v%d" % i, dict(theta0_deg=degrees, L=L, g=g),
                   dict(T=[4 * math.sqrt(L / g) * k for k in K],
                        T_rod_len1=[4 * math.sqrt(2 / (3 * g)) * k for k in K]), rel=1e-4)
        L, theta, T = rnd(0.5, 2), rnd(0.3, 1.5), rnd(0.5, 1.0)
        g = rnd(5, 12)
        end = rk4(lambda s: [s[1], -g / L * math.sin(s[0])], [theta, 0.0], T, 1000)
        if abs(end[1]) > 0.3:
            yield case("R-pendulum-order-v%d" % i,
                       dict(L=L, theta0=theta, T=T, g=g, dts=[T / 100, T / 200, T / 400]),
                       dict(theta_T=end[0], order=1.0, error_ratio_per_halving=[1.7, 2.3]))
        one, two, T = rnd(-1.8, 1.8), rnd(-1.8, 1.8), rnd(0.5, 1.6)

        def double(s):
            a, b, p, q = s
            d, c = math.sin(a - b), math.cos(a - b)
            under = 2 - c * c
            return [p, q,
                    (-g * (2 * math.sin(a) - c * math.sin(b)) - d * (q * q + c * p * p)) / under,
                    (2 * g * (c * math.sin(a) - math.sin(b)) + d * (2 * p * p + c * q * q)) / under]
        end = rk4(double, [one, two, 0.0, 0.0], T, 2000)
        E = -g * (2 * math.cos(one) + math.cos(two))
        yield case("C-doublependulum-v%d" % i, dict(theta1=one, theta2=two, T=T, g=g),
                   dict(theta=end[:2], omega=end[2:], E=E), abs=1e-5)
        n, L, w = 2 + i % 9, rnd(0.5, 1.5), rnd(2, 20)
        span = n * L * rnd(0.4, 0.85)
        low, high = 1e-6, 1e3

        def wide(H):
            return sum(L / math.hypot(1, (k - (n - 1) / 2) / H) for k in range(n))
        for _ in range(200):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if wide(middle) < span else (low, middle)
        x, y, joints = 0.0, 0.0, [[0, 0]]
        for k in range(n):
            tan = (k - (n - 1) / 2) / low
            x, y = x + L / math.hypot(1, tan), y + L * tan / math.hypot(1, tan)
            joints.append([x, y])
        yield case("C-catenary-v%d" % i, dict(N=n, L=L, span=span, w_per_rod=w),
                   dict(joints=joints, H_over_w=low, sag=min(p[1] for p in joints)),
                   abs=0.001, rel_H=0.001)
    for i in range(20):
        L, x0, g = rnd(1, 4), rnd(0.05, 0.3), rnd(3, 12)
        rate = math.sqrt(2 * g / L)
        last = math.acosh(0.35 * L / x0) / rate
        t = [round(last * part, 3) for part in (0.3, 0.6, 1)]
        yield case("C-chain-peg-v%d" % i, dict(L=L, x0=x0, g=g, t=t),
                   dict(x=[x0 * math.cosh(rate * x) for x in t]), rel=0.05)


def spins():
    for i in range(20):
        I = sorted([rnd(0.5, 1.5), rnd(1.7, 2.3), rnd(2.5, 3.2)])
        if I[2] > I[0] + I[1]:
            I[2] = round(I[0] + I[1] - 0.05, 4)
        order = RANDOM.sample(range(3), 3)
        w = [rnd(0.01, 0.2), rnd(1, 4), rnd(0.01, 0.2)]
        KE = sum(a * b * b for a, b in zip(I, w)) / 2
        L2 = sum((a * b) ** 2 for a, b in zip(I, w))
        # With L^2 > 2 E I_2 the spin circles the axis of I_3, else that of I_1.
        if L2 > 2 * KE * I[1]:
            a, b, c = I
        else:
            c, b, a = I
        speed = math.sqrt(abs((c - b) * (L2 - 2 * KE * a) / (a * b * c)))
        k2 = (b - a) * (2 * KE * c - L2) / ((c - b) * (L2 - 2 * KE * a))
        period = 4 * quarter_period(k2) / speed
        rate = lambda s: [(I[1] - I[2]) * s[1] * s[2] / I[0], (I[2] - I[0]) * s[2] * s[0] / I[1],
                          (I[0] - I[1]) * s[0] * s[1] / I[2]]
        t = [period * k / 4 for k in range(5)]
        omega, state = [w], w
        for _ in range(4):
            state = rk4(rate, state, period / 4, 2000)
            omega.append(state)
        # The axes in any order; a swap of two turns the sense of rotation, hence the signs.
        sign = 1 if order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]) else -1
        mixed = lambda v: [sign * v[k] for k in order]
        yield case("C-dzhanibekov-v%d" % i, dict(I=[I[k] for k in order], w0=mixed(w)),
                   dict(period=period, k2=k2, t=t, omega=[mixed(v) for v in omega], KE=KE,
                        L=math.sqrt(L2)), period_rel=0.002, E_rel=1e-6, L_rel=1e-6)
        I1, ratio, w3, across = rnd(0.5, 2), rnd(0.3, 1.9), rnd(1, 8), rnd(0.2, 3)
        yield case("C-freeprecession-v%d" % i, dict(I1=I1, I3=I1 * ratio, w3=w3, w_perp=across),
                   dict(Omega_body=(ratio - 1) * w3,
                        Omega_space=math.hypot(across, ratio * w3)), rel=0.001)
        m, l, g = rnd(0.3, 2), rnd(0.05, 0.2), rnd(5, 12)
        I1 = m * l * l * rnd(1.15, 1.6)
        I3 = (I1 - m * l * l) * rnd(0.3, 1.8)
        theta = rnd(10, 60)
        c = math.cos(rad(theta))
        threshold = math.sqrt(4 * m * g * l * I1) / I3
        w3 = threshold * rnd(1.1, 1.6)
        root = math.sqrt((I3 * w3) ** 2 - 4 * I1 * c * m * g * l)
        yield case("C-top-v%d" % i, dict(m=m, l=l, I1_about_tip=I1, I3=I3, w3=w3, theta_deg=theta,
                                         g=g),
                   dict(Omega_slow=(I3 * w3 - root) / (2 * I1 * c),
                        Omega_fast=(I3 * w3 + root) / (2 * I1 * c),
                        gyroscopic_approx=m * g * l / (I3 * w3), sleeping_threshold_w3=threshold,
                        theta_dev_deg_max=0.05), rel=0.002)


def painleve():
    for i in range(20):
        mu = sorted(rnd(1.36, 3.5) for _ in range(2))
        angles = []
        for x in mu:
            root = math.sqrt(9 * x * x - 16)
            angles.append([math.degrees(math.atan((3 * x - root) / 2)),
                           math.degrees(math.atan((3 * x + root) / 2))])
        yield case("C-painleve-%d-v" % i, dict(mu=mu, mu_crit={"q": "4/3", "v": 4 / 3},
                                               tan_theta_at_crit=2),
                   dict(theta_paradox_deg=angles), abs=1e-9)
        l, m, g, states, results = pick(0.2, 3), pick(0.2, 5), rnd(3, 15), [], []
        for mu, theta, part in ((1.8, 60, 0), (1.8, 60, 1.5), (1.7, 40, 0.5), (0.5, 62, 0.7)):
            theta, mu = theta + rnd(-2, 2), mu + rnd(-0.05, 0.05)
            s, c = math.sin(rad(theta)), math.cos(rad(theta))
            omega = round(part * math.sqrt(g / (l * s)), 6)
            p, b = (1 + 3 * c * c - 3 * mu * s * c) / m, l * omega ** 2 * s - g
            f = [0.0, -b / p] if p < 0 < b else [-b / p] if p > 0 > b else [] if p < 0 else [0.0]
            states.append([mu, theta, omega])
            results.append(dict(p=p, b=b, n_solutions=len(f), f=f))
        yield case("C-painleve-states-v%d" % i, dict(mu_thetadeg_omega=states, l=l, m=m, g=g),
                   dict(results=results), rel=1e-9)


def arches():
    """The least thickness of an arch: a line of thrust within every joint; endless friction."""
    def stands(n, beta, t):
        inner, outer = 1 - t / 2, 1 + t / 2
        half = beta / n / 2
        area = (outer ** 2 - inner ** 2) * half
        center = 2 / 3 * math.sin(half) / half * (outer ** 3 - inner ** 3) / (
            outer ** 2 - inner ** 2)
        lines = []  # a H + b M >= c, thrust H level at the top, M its moment about the centre
        for k in range(n // 2 + 1):
            # Of the stones right of the joint at angle phi from the top, for n odd from the
            # middle of the key stone, which is cut in two by symmetry.
            phi = (k if n % 2 == 0 else k + 0.5) * beta / n
            weight, moment = 0.0, 0.0
            if n % 2 == 0:
                centers = [((q + 0.5) * beta / n, area, center) for q in range(k)]
            else:
                quarter = half / 2
                middle = 2 / 3 * math.sin(quarter) / quarter * (outer ** 3 - inner ** 3) / (
                    outer ** 2 - inner ** 2)
                centers = [(quarter, area / 2, middle)]
                centers += [((q + 1) * beta / n, area, center) for q in range(k)]
            for angle, a, r in centers:
                weight += a
                moment += a * r * math.sin(angle)
            # Moment about the point (r sin phi, r cos phi) of the joint.
            for r, sign in ((inner, 1), (outer, -1)):
                x, y = r * math.sin(phi), r * math.cos(phi)
                lines.append((-sign * y, sign, sign * (weight * x - moment)))
        points = []  # H and M at the corners of all pairs of lines
        for p in range(len(lines)):
            for q in range(p):
                a, b, c = lines[p]
                d, e, f = lines[q]
                det = a * e - b * d
                if abs(det) > 1e-12:
                    points.append(((c * e - b * f) / det, (a * f - c * d) / det))
        return any(all(a * H + b * M >= c - 1e-9 for a, b, c in lines) for H, M in points)
    for i in range(20):
        n = [4 + i, 5 + 2 * i] if i < 10 else [4 + 2 * (i - 10)]
        beta = 180 if i % 3 else 120
        least = []
        for k in n:
            low, high = 1e-4, 0.6
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (low, middle) if stands(k, rad(beta), middle) else (middle, high)
            least.append(high)
        yield case("C-arch-n-v%d" % i, dict(n=n, beta_deg=beta), dict(t_over_R_min=least),
                   abs=1e-4)
