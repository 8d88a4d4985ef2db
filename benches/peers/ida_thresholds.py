"""Slider-cranks A1 to A3 and the car axis C1 with SUNDIALS IDA through scikit-sundae.

Formulation of Gear, Gupta and Leimkuhler (stabilised index 2), M constant:

    q' = v - G^T mu,  M v' = f + G^T lambda,  0 = g(t, q),  0 = G v + g_t

Two sets of coordinates for the slider-crank: `absolute`, two planar bodies (the slider is
part of the rod, its point mass at the end) with five constraints, 22 unknowns; `natural`, the
points P (x, y) and Q (x) with two constraints, 10 unknowns. Jacobians are given. Multipliers
do not take part in the error test. Time: the whole call of `solve`, which includes the calls
back into Python; `ida_thresholds.cpp` measures the same without Python.
"""

import math
import sys

import numpy as np
import sksundae
from cases import CASES, GRAVITY, adaptive, cpu, end_error, eps_t, ladder

PROGRAM = f"SUNDIALS {sksundae.SUNDIALS_VERSION} IDA, GGL, Python"


class Absolute:
    """Planar bodies: q = (x1, y1, th1, x2, y2, th2) at the mass centres."""

    name, n, rows = "absolute", 6, 5

    def __init__(self, d):
        self.d, self.l1 = d, d.L1 / 2
        mass = d.m2 + d.m3
        self.a = (d.m2 * d.L2 / 2 + d.m3 * d.L2) / mass  # crank tip to mass centre
        self.b = d.L2 - self.a
        inertia = d.m2 * d.L2**2 / 12 + d.m2 * (self.a - d.L2 / 2) ** 2 + d.m3 * self.b**2
        self.mass = [d.m1, d.m1, d.m1 * d.L1**2 / 12, mass, mass, inertia]

    def start(self):
        d = self.d
        c, s, w = math.cos(d.theta), math.sin(d.theta), d.omega
        psi = -math.asin(d.L1 * s / d.L2)
        cp, sp = math.cos(psi), math.sin(psi)
        wp = -d.L1 * c * w / (d.L2 * cp)
        l1, a = self.l1, self.a
        q = [l1 * c, l1 * s, d.theta, d.L1 * c + a * cp, d.L1 * s + a * sp, psi]
        v = [-l1 * s * w, l1 * c * w, w]
        v += [-d.L1 * s * w - a * sp * wp, d.L1 * c * w + a * cp * wp, wp]
        return q, v

    def residual(self, t, y, yp, res):
        l1, a, b, m = self.l1, self.a, self.b, self.mass
        x1, y1, t1, x2, y2, t2, u1, v1, w1, u2, v2, w2, *mult = y.tolist()
        p = yp.tolist()
        k0, k1, k2, k3, k4, n0, n1, n2, n3, n4 = mult
        c1, s1, c2, s2 = math.cos(t1), math.sin(t1), math.cos(t2), math.sin(t2)
        lc, ls, ac, as_, bc = l1 * c1, l1 * s1, a * c2, a * s2, b * c2
        f = self.d.force * math.sin(math.pi * t)
        res[:] = (
            p[0] - u1 + n0 + n2,
            p[1] - v1 + n1 + n3,
            p[2] - w1 + ls * (n0 - n2) - lc * (n1 - n3),
            p[3] - u2 - n2,
            p[4] - v2 - n3 + n4,
            p[5] - w2 - as_ * n2 + ac * n3 + bc * n4,
            m[0] * p[6] - (k0 + k2),
            m[1] * (p[7] + GRAVITY) - (k1 + k3),
            m[2] * p[8] - (ls * (k0 - k2) - lc * (k1 - k3)),
            m[3] * p[9] - f + k2,
            m[4] * (p[10] + GRAVITY) + k3 - k4,
            m[5] * p[11] + b * s2 * f - (-as_ * k2 + ac * k3 + bc * k4),
            x1 - lc,
            y1 - ls,
            x1 + lc - x2 + ac,
            y1 + ls - y2 + as_,
            y2 + b * s2,
            u1 + ls * w1,
            v1 - lc * w1,
            u1 - ls * w1 - u2 - as_ * w2,
            v1 + lc * w1 - v2 + ac * w2,
            v2 + bc * w2,
        )

    def jacobian_g(self, q):
        l1, a, b = self.l1, self.a, self.b
        lc, ls = l1 * math.cos(q[2]), l1 * math.sin(q[2])
        c2, s2 = math.cos(q[5]), math.sin(q[5])
        return np.array(
            [
                [1, 0, ls, 0, 0, 0],
                [0, 1, -lc, 0, 0, 0],
                [1, 0, -ls, -1, 0, -a * s2],
                [0, 1, lc, 0, -1, a * c2],
                [0, 0, 0, 0, 1, b * c2],
            ]
        )

    def curvature(self, q, mult):
        """d(G^T mult)/dq."""
        c1, s1, c2, s2 = math.cos(q[2]), math.sin(q[2]), math.cos(q[5]), math.sin(q[5])
        k = mult
        out = np.zeros((6, 6))
        out[2, 2] = self.l1 * (c1 * (k[0] - k[2]) + s1 * (k[1] - k[3]))
        out[5, 5] = -self.a * (c2 * k[2] + s2 * k[3]) - self.b * s2 * k[4]
        return out

    def force_jacobian(self, t, q):
        out = np.zeros((6, 6))
        out[5, 5] = -self.b * math.cos(q[5]) * self.d.force * math.sin(math.pi * t)
        return out

    def rate_jacobian(self, q, v):
        """d(G v)/dq."""
        lc, ls = self.l1 * math.cos(q[2]) * v[2], self.l1 * math.sin(q[2]) * v[2]
        c2, s2 = math.cos(q[5]) * v[5], math.sin(q[5]) * v[5]
        out = np.zeros((5, 6))
        out[0:4, 2] = lc, ls, -lc, -ls
        out[2:5, 5] = -self.a * c2, -self.a * s2, -self.b * s2
        return out

    def mass_matrix(self):
        return np.diag(self.mass)

    def observed(self, y):
        return y[:, 2], y[:, 3] + self.b * np.cos(y[:, 5])


class Natural:
    """Points: q = (xP, yP, xQ); uniform rods have a constant mass matrix in these."""

    name, n, rows = "natural", 3, 2

    def __init__(self, d):
        self.d = d
        self.m11, self.m33, self.m13 = (d.m1 + d.m2) / 3, d.m2 / 3 + d.m3, d.m2 / 6
        self.weight = (d.m1 + d.m2) / 2 * GRAVITY

    def start(self):
        d = self.d
        c, s, w = math.cos(d.theta), math.sin(d.theta), d.omega
        x, y = d.L1 * c, d.L1 * s
        u, v = -y * w, x * w
        reach = math.sqrt(d.L2**2 - y * y)
        return [x, y, x + reach], [u, v, u - y * v / reach]

    def residual(self, t, y, yp, res):
        d = self.d
        x, z, q, u, v, w, k1, k2, n1, n2 = y.tolist()
        p = yp.tolist()
        r, rv = q - x, w - u
        res[:] = (
            p[0] - u + x * n1 - r * n2,
            p[1] - v + z * (n1 + n2),
            p[2] - w + r * n2,
            self.m11 * p[3] + self.m13 * p[5] - x * k1 + r * k2,
            self.m11 * p[4] + self.weight - z * (k1 + k2),
            self.m13 * p[3] + self.m33 * p[5] - d.force * math.sin(math.pi * t) - r * k2,
            0.5 * (x * x + z * z - d.L1 * d.L1),
            0.5 * (r * r + z * z - d.L2 * d.L2),
            x * u + z * v,
            r * rv + z * v,
        )

    def jacobian_g(self, q):
        x, z, r = q[0], q[1], q[2] - q[0]
        return np.array([[x, z, 0], [-r, z, r]])

    def curvature(self, q, mult):
        k1, k2 = mult
        return np.array([[k1 + k2, 0, -k2], [0, k1 + k2, 0], [-k2, 0, k2]])

    def force_jacobian(self, t, q):
        return np.zeros((3, 3))

    def rate_jacobian(self, q, v):
        u, w, r = v[0], v[1], v[2] - v[0]
        return np.array([[u, w, 0], [-r, w, r]])

    def mass_matrix(self):
        m = np.diag([self.m11, self.m11, self.m33])
        m[0, 2] = m[2, 0] = self.m13
        return m

    def observed(self, y):
        return np.unwrap(np.arctan2(y[:, 1], y[:, 0])), y[:, 2]


class CarAxis:
    """Car axis in the published scaling, K p'' = f + G^T lambda with K = eps^2 M/2."""

    name, n, rows = "published", 4, 2
    K, L0, R, OMEGA = 1e-4 * 5, 0.5, 0.1, 10

    def __init__(self, d):
        self.d = d

    def road(self, t):
        y, dy = self.R * math.sin(self.OMEGA * t), self.R * self.OMEGA * math.cos(self.OMEGA * t)
        x = math.sqrt(1 - y * y)
        return x, y, -y * dy / x, dy

    def start(self):
        return [0, 0.5, 1, 0.5], [-0.5, 0, -0.5, 0]

    def residual(self, t, y, yp, res):
        xb, yb, dxb, dyb = self.road(t)
        xl, yl, xr, yr, ul, vl, ur, vr, k1, k2, n1, n2 = y.tolist()
        p = yp.tolist()
        ll, lr = math.hypot(xl, yl), math.hypot(xr - xb, yr - yb)
        fl, fr = (self.L0 - ll) / ll, (self.L0 - lr) / lr
        dx, dy = 2 * (xl - xr), 2 * (yl - yr)
        res[:] = (
            p[0] - ul + xb * n1 + dx * n2,
            p[1] - vl + yb * n1 + dy * n2,
            p[2] - ur - dx * n2,
            p[3] - vr - dy * n2,
            self.K * p[4] - fl * xl - xb * k1 - dx * k2,
            self.K * (p[5] + 1) - fl * yl - yb * k1 - dy * k2,
            self.K * p[6] - fr * (xr - xb) + dx * k2,
            self.K * (p[7] + 1) - fr * (yr - yb) + dy * k2,
            xl * xb + yl * yb,
            0.25 * (dx * dx + dy * dy) - 1,
            xb * ul + yb * vl + dxb * xl + dyb * yl,
            dx * (ul - ur) + dy * (vl - vr),
        )

    def jacobian_g(self, q, t=0.0):
        xb, yb, *_ = self.road(t)
        dx, dy = 2 * (q[0] - q[2]), 2 * (q[1] - q[3])
        return np.array([[xb, yb, 0, 0], [dx, dy, -dx, -dy]])

    def curvature(self, q, mult):
        k = 2 * mult[1]
        return np.array([[k, 0, -k, 0], [0, k, 0, -k], [-k, 0, k, 0], [0, -k, 0, k]])

    def force_jacobian(self, t, q):
        xb, yb, *_ = self.road(t)
        out = np.zeros((4, 4))
        for i, (x, y) in ((0, (q[0], q[1])), (2, (q[2] - xb, q[3] - yb))):
            l = math.hypot(x, y)
            e = np.array([x, y]) / l
            out[i : i + 2, i : i + 2] = (self.L0 / l - 1) * np.eye(2) - self.L0 / l * np.outer(e, e)
        return out

    def rate_jacobian(self, q, v, t=0.0):
        *_, dxb, dyb = self.road(t)
        du, dv = 2 * (v[0] - v[2]), 2 * (v[1] - v[3])
        return np.array([[dxb, dyb, 0, 0], [du, dv, -du, -dv]])

    def mass_matrix(self):
        return self.K * np.eye(4)


def prepare(model):
    """Consistent start and the functions IDA calls."""
    n, m = model.n, model.rows
    lam, mu, end = slice(2 * n, 2 * n + m), slice(2 * n + m, None), 2 * n + 2 * m
    moving = isinstance(model, CarAxis)
    mass = model.mass_matrix()

    def jacobian(t, y, yp, res, cj, out):
        q, v = y[:n], y[n : 2 * n]
        at = (t,) if moving else ()
        g = model.jacobian_g(q, *at)
        out[:] = 0
        out[:n, :n] = model.curvature(q, y[mu]) + cj * np.eye(n)
        out[:n, n : 2 * n] = -np.eye(n)
        out[:n, mu] = g.T
        out[n : 2 * n, :n] = -model.force_jacobian(t, q) - model.curvature(q, y[lam])
        out[n : 2 * n, n : 2 * n] = cj * mass
        out[n : 2 * n, lam] = -g.T
        out[2 * n : 2 * n + m, :n] = g
        out[2 * n + m :, :n] = model.rate_jacobian(q, v, *at)
        out[2 * n + m :, n : 2 * n] = g

    q, v = model.start()
    y = np.array([*q, *v] + [0.0] * (2 * m))
    yp = np.array([*v] + [0.0] * (n + 2 * m))
    # accelerations and multipliers: the residual is linear in them; the constraint on
    # acceleration is the derivative of G v along the motion, by central differences
    res = np.empty(end)
    model.residual(0.0, y, yp, res)
    force = -res[n : 2 * n]
    g = model.jacobian_g(np.array(q))

    def rate(s):
        ys = y.copy()
        ys[:n] += s * y[n : 2 * n]
        model.residual(s, ys, yp, res)
        return res[2 * n + m :].copy()

    bias = (rate(1e-5) - rate(-1e-5)) / 2e-5
    kkt = np.block([[mass, -g.T], [g, np.zeros((m, m))]])
    solved = np.linalg.solve(kkt, np.concatenate([force, -bias]))
    yp[n : 2 * n], y[lam] = solved[:n], solved[n:]
    check_jacobian(model, jacobian, y, yp)
    return y, yp, jacobian


def check_jacobian(model, jacobian, y, yp):
    """A wrong Jacobian would only make IDA slow, so it is compared with differences."""
    rng = np.random.default_rng(1)
    y, yp = y + 0.1 * rng.standard_normal(len(y)), yp + 0.1 * rng.standard_normal(len(y))
    given, cj, t, e = np.zeros((len(y), len(y))), 7.0, 0.3, 1e-6
    jacobian(t, y, yp, None, cj, given)
    low, high = np.empty(len(y)), np.empty(len(y))
    for j in range(len(y)):
        d = np.zeros(len(y))
        d[j] = e
        model.residual(t, y - d, yp - cj * d, low)
        model.residual(t, y + d, yp + cj * d, high)
        if np.abs((high - low) / (2 * e) - given[:, j]).max() > 1e-5 * (1 + np.abs(given).max()):
            sys.exit(f"wrong Jacobian of {model.name}, column {j}")


def study(case, kind):
    d = CASES[case]
    model = kind(d)
    y, yp, jacobian = prepare(model)
    n = 2 * model.n
    slider = case != "C1"
    times = np.linspace(0, d.duration, round(100 * d.duration) + 1)
    times = times if slider else times[[0, -1]]

    def run(tol):
        atol = np.full(len(y), tol)
        atol[n:] = 1e6  # multipliers: out of the error test
        solver = sksundae.ida.IDA(
            model.residual,
            jacfn=jacobian,
            algebraic_idx=list(range(n, len(y))),
            rtol=tol,
            atol=atol,
            max_num_steps=1_000_000,
        )
        return cpu(lambda: solver.solve(times, y, yp))

    def solve(tol):
        found = run(tol)[1]
        if not found.success:
            raise RuntimeError(found.message)
        if slider:
            return eps_t(case, *model.observed(found.y)), found.nfev
        return end_error(case, found.y[-1, :8]), found.nfev

    ladder(case, PROGRAM, f"BDF, {model.name}", adaptive(), solve, lambda tol: run(tol)[0])


def main():
    for case in ("A1", "A2", "A3"):
        for kind in (Absolute, Natural):
            study(case, kind)
    study("C1", CarAxis)


if __name__ == "__main__":
    main()
