#!/usr/bin/env python3
"""Figures of docs/src/theory/real-time.md: the hitch of a car and its trailer in real time (after Figures 10 and 11 of
Burgermeister, Arnold & Esterl 2006), three ways to keep it closed, and the stability of partitioned steps (Figure 1).

    figures.py [--program PATH] [--images DIR]

Runs the command, writes SVG files and prints the numbers of the page. Needs nothing but Python.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
J1 = ROOT / "models/benchmarks/J1_vehicle_trailer.toml"
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"]
# gap of the hitch, and its rate, in ground axes
GAP = """
[sensor.pc]
type = "position"
of = "car.hitch"

[sensor.pt]
type = "position"
of = "trailer.hitch"

[sensor.defect]
type = "expression"
value = "hypot(pc.x - pt.x, pc.y - pt.y)"
unit = "m"
"""
# the hitch as a spring and a damper
SPRING = """
[sensor.vc]
type = "velocity"
of = "car.hitch"

[sensor.vt]
type = "velocity"
of = "trailer.hitch"

[sensor.hitch_fx1]
type = "expression"
value = "-(hitch_k*(pc.x - pt.x) + hitch_c*(vc.x - vt.x))"
unit = "N"

[sensor.hitch_fy1]
type = "expression"
value = "-(hitch_k*(pc.y - pt.y) + hitch_c*(vc.y - vt.y))"
unit = "N"

[force.hitch_car]
type = "force"
at = "car.hitch"
force = ["hitch_fx1", "hitch_fy1"]

[force.hitch_trailer]
type = "force"
at = "trailer.hitch"
force = ["-hitch_fx1", "-hitch_fy1"]
"""


def without(text, *tables):
    """A model file without these tables."""
    out, keep = [], True
    for line in text.splitlines():
        if line.startswith("["):
            keep = line.strip() not in [f"[{t}]" for t in tables]
        if keep:
            out.append(line)
    return "\n".join(out) + "\n"


def with_spring(text):
    """J1 with a spring and a damper as its hitch."""
    text = without(text, "joint.hitch", "sensor.hitch_fx1", "sensor.hitch_fy1")
    spring = 'hitch_k = "6 kN/m"\nhitch_c = "300 N*s/m"\n'
    return text.replace("[parameters]\n", "[parameters]\n" + spring) + GAP + SPRING


class Runner:
    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()

    def run(self, text, step, options=(), end=None):
        """Columns of a run, and whether it came to its end."""
        model = pathlib.Path(self.folder.name) / "model.toml"
        out = pathlib.Path(self.folder.name) / "out.csv"
        model.write_text(text)
        out.unlink(missing_ok=True)
        command = [self.program, "run", model, "--method", "lin-euler", "--step", str(step), "--csv", out, "--quiet", "--json"]
        for option in options:
            command += ["--method-option", option]
        if end:
            command += ["--end", str(end)]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if not out.exists():
            return {}, False
        rows = list(csv.reader(line for line in out.open() if not line.startswith("#")))
        names = [name.split(" ")[0] for name in rows[0]]
        columns = {n: [float(r[k]) for r in rows[1:]] for k, n in enumerate(names)}
        return columns, done.returncode == 0


def plot(path, title, x_label, y_label, curves, log=False, size=(640, 360), limits=None):
    """A small SVG: curves are (label, x, y)."""
    width, height = size
    left, right, top, bottom = 70, 12, 30, 42
    points = [(x, y) for _, xs, ys in curves for x, y in zip(xs, ys) if math.isfinite(y) and (not log or y > 0)]
    scale = (lambda y: math.log10(y)) if log else (lambda y: y)
    x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
    y0, y1 = min(scale(p[1]) for p in points), max(scale(p[1]) for p in points)
    if limits:
        (x0, x1), (y0, y1) = limits
    if log:
        y0, y1 = math.floor(y0), math.ceil(y1)
    if y1 == y0:
        y1 = y0 + 1

    def place(x, y):
        px = left + (x - x0) / (x1 - x0) * (width - left - right)
        py = height - bottom - (scale(y) - y0) / (y1 - y0) * (height - top - bottom)
        return px, py

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{width / 2}" y="18" text-anchor="middle" font-size="13">{title}</text>',
           f'<text x="{(left + width) / 2}" y="{height - 8}" text-anchor="middle">{x_label}</text>',
           f'<text x="14" y="{height / 2}" text-anchor="middle" transform="rotate(-90 14 {height / 2})">{y_label}</text>']

    def ticks(a, b):
        raw = (b - a) / 5
        unit = 10 ** math.floor(math.log10(raw))
        step = next(k * unit for k in (1, 2, 5, 10) if k * unit >= raw)
        first = math.ceil(a / step - 1e-9)
        return [k * step for k in range(first, math.floor(b / step + 1e-9) + 1)]

    for x in ticks(x0, x1):
        px = left + (x - x0) / (x1 - x0) * (width - left - right)
        out.append(f'<path d="M{px:.1f} {top}V{height - bottom}" stroke="#ddd"/><text x="{px:.1f}" y="{height - bottom + 16}" text-anchor="middle">{x:g}</text>')
    marks = range(int(y0), int(y1) + 1, max(1, int(y1 - y0) // 6)) if log else ticks(y0, y1)
    for y in marks:
        py = height - bottom - (y - y0) / (y1 - y0) * (height - top - bottom)
        label = f"1e{y}" if log else f"{y:g}"
        out.append(f'<path d="M{left} {py:.1f}H{width - right}" stroke="#ddd"/><text x="{left - 6}" y="{py + 4:.1f}" text-anchor="end">{label}</text>')
    for k, (label, xs, ys) in enumerate(curves):
        path_data, pen = [], False
        for x, y in zip(xs, ys):
            visible = math.isfinite(y) and (not log or y > 0)
            if visible:
                px, py = place(x, y)
                visible = -2000 < py < 4000
            if not visible:
                pen = False
                continue
            path_data.append(f"{'L' if pen else 'M'}{px:.1f} {py:.1f}")
            pen = True
        colour = COLOURS[k % len(COLOURS)]
        out.append(f'<clipPath id="c{k}"><rect x="{left}" y="{top}" width="{width - left - right}" height="{height - top - bottom}"/></clipPath>')
        out.append(f'<path clip-path="url(#c{k})" d="{"".join(path_data)}" fill="none" stroke="{colour}" stroke-width="1.4"/>')
        out.append(f'<text x="{left + 10}" y="{top + 16 + 15 * k}" fill="{colour}">{label}</text>')
    out.append(f'<rect x="{left}" y="{top}" width="{width - left - right}" height="{height - top - bottom}" fill="none" stroke="#888"/></svg>')
    path.write_text("\n".join(out) + "\n")


def noise(columns, name):
    """Root mean square of second differences of a column: what jumps from sample to sample."""
    y = columns[name]
    second = [y[k - 1] - 2 * y[k] + y[k + 1] for k in range(1, len(y) - 1)]
    return math.sqrt(sum(d * d for d in second) / max(1, len(second)))


def hitch(run, images):
    """The hitch as a constraint and as a spring, and three ways to keep the constraint."""
    text = J1.read_text()
    closed = text + GAP
    ways = {
        "constraint, projection": (closed, []),
        "spring and damper": (with_spring(text), []),
    }
    found = {name: run.run(t, 1e-3, options)[0] for name, (t, options) in ways.items()}
    force = lambda c: [math.hypot(x, y) for x, y in zip(c["hitch_fx1"], c["hitch_fy1"])]
    plot(images / "rt_hitch_defect.svg", "Position defect of the hitch, lin-euler at 1 ms", "time, s", "defect, m",
         [(n, c["t"], [max(d, 1e-18) for d in c["defect"]]) for n, c in found.items()], log=True)
    plot(images / "rt_hitch_force.svg", "Coupling force, lin-euler at 1 ms", "time, s", "force, N",
         [(n, c["t"], force(c)) for n, c in found.items()])
    for name, c in found.items():
        print(f"{name:28} defect {max(c['defect']):.2e} m, force up to {max(force(c)):.0f} N")
    # Baumgarte with g'' + 2 alpha g' + beta g, in the numbers of the method: 2 alpha h and beta h^2
    fine = closed.replace('sample = "10 ms"', 'sample = "1 ms"')
    ways = {
        "alpha = 1/h, beta = 1/h2": ["form=index1", "stabilization=baumgarte", "baumgarte_alpha=2", "baumgarte_beta=1"],
        "alpha = 100, beta = 1e4": ["form=index1", "stabilization=baumgarte", "baumgarte_alpha=0.2", "baumgarte_beta=0.01"],
        "one projection step": [],
    }
    found = {}
    for name, options in ways.items():
        c, done = run.run(fine, 1e-3, options, end=3)
        if c:
            size = max(abs(x) for x in c["hitch_fy1"])
            print(f"{name:28} {'ended' if done else 'FAILED'} at {c['t'][-1]} s, defect {max(c['defect']):.2e} m, |fy| up to {size:.1f} N, jumps {noise(c, 'hitch_fy1'):.3f} N")
            found[name] = c
    curves = [(name, c["t"][::5], [max(d, 1e-18) for d in c["defect"][::5]]) for name, c in found.items()]
    plot(images / "rt_baumgarte.svg", "Defect of the hitch, three ways to keep it closed at 1 ms", "time, s", "defect, m", curves, log=True)


# beside it a body that carries much energy: the energy that one step of the oscillator gains must not end the run
OSCILLATOR = """
schema = 1
[body.heavy]
type = "planar-point"
mass = 1e6
position = [0, 10]
velocity = [0, 100]
[body.m]
type = "planar-point"
mass = 1
position = [1, 0]
velocity = [0, 0]
[joint.guide]
type = "prismatic"
between = ["ground", "m"]
axis = [1, 0]
[sensor.x]
type = "position"
of = "m"
component = "x"
[sensor.v]
type = "velocity"
of = "m"
component = "x"
[force.f]
type = "force"
at = "m"
force = ["-({a})*x - ({b})*v", 0]
[analysis]
end = 150
sample = 1
"""


def stability(run, images):
    """Largest stable eigenvalue along rays, by bisection on runs of the command, and the theory of the paper."""
    curves, worst = [], 0.0
    for jacobian in ("j1", "j3"):
        for kind in ("runs", "theory"):
            xs, ys = [], []
            for k in range(0, 25):
                angle = math.pi / 2 + k * math.pi / 2 / 24
                c = -math.cos(angle)
                # h b = 2 r c, h^2 a = r^2
                if kind == "theory":
                    r = 2 * c + 2 * math.sqrt(c * c + 1) if jacobian == "j1" else min(1 / c if c > 0 else math.inf, -2 * c + 2 * math.sqrt(c * c + 1))
                else:
                    if k % 2:
                        continue
                    low, high = 0.05, 8.0
                    for _ in range(9):
                        r = math.sqrt(low * high)
                        text = OSCILLATOR.format(a=r * r, b=2 * r * c)
                        columns, done = run.run(text, 1, [f"jacobian={jacobian}"])
                        end = max(abs(x) for x in columns.get("x", [math.inf])[-20:]) if done else math.inf
                        low, high = (r, high) if end < 100 else (low, r)
                    r = math.sqrt(low * high)
                    exact = 2 * c + 2 * math.sqrt(c * c + 1) if jacobian == "j1" else min(1 / c if c > 0 else math.inf, -2 * c + 2 * math.sqrt(c * c + 1))
                    worst = max(worst, abs(r / exact - 1))
                xs.append(r * math.cos(angle))
                ys.append(r * math.sin(angle))
            # the lower half is the mirror image
            curves.append((f"{jacobian.upper()}, {kind}", xs, ys))
    plot(images / "rt_stability.svg", "Border of stability: h times the eigenvalues of the test equation", "real part", "imaginary part",
         curves, size=(640, 400), limits=((-5, 0.5), (0, 3)))
    print(f"borders of runs and theory differ by {100 * worst:.1f} % at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/delassus"))
    parser.add_argument("--images", default=str(ROOT / "docs/src/images"))
    parser.add_argument("--only", choices=["hitch", "stability"])
    options = parser.parse_args()
    images = pathlib.Path(options.images)
    images.mkdir(parents=True, exist_ok=True)
    run = Runner(options.program)
    if options.only != "stability":
        hitch(run, images)
    if options.only != "hitch":
        stability(run, images)


main()
