#!/usr/bin/env python3
"""Beams beside Exudyn: cost of a step, and CPU time to a given error, on the same models in one run.

    run.py --exudyn PYTHON [--program PATH] [--repeats N] [--cases a,b]

PYTHON is one with what `benches/peers/requirements.txt` lists. Cases:

- `planar`: a beam that falls on a hinge (`pendulum.toml`), against ObjectBeamGeometricallyExact2D and ObjectANCFCable2D;
- `spatial`: a cantilever with a dead load, bent and twisted (`cantilever.toml`), against ObjectBeamGeometricallyExact;
- `modal`: a bar of 40 solid elements in its floating frame with N free modes (`bar.toml`), against ObjectFFRFreducedOrder with
  the same matrices, written here.

All use generalized-alpha with the spectral radius 0.8 and fixed steps, on one thread. The error is the largest distance of the tip
from the converged one at ten times within the second; converged is what our finest run, extrapolated in the step, gives, and the
distance of Exudyn's finest run from it is told. CPU times are those of the integration alone, the smallest of a few repetitions;
compare ratios of one run only.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NUMBERS = {
    "L": 1, "EA": 1e5, "GA": 4e4, "GJ": 0.4, "EI": [0.5, 0.8], "mass": 1, "inertia": [1.3e-5, 5e-6, 8e-6], "g": 9.81,
    "end": 1, "load": [0, 1, -2], "turning": [0, 0, 3],
}
STEPS = [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4]
# model, method of ours, cases of Exudyn, sizes, steps, size and step of the converged run
CASES = {
    "planar": ("pendulum.toml", "gen-alpha", ["planar-exact", "planar-cable"], [2, 4, 8, 16, 32, 64], STEPS, 128),
    "spatial": ("cantilever.toml", "gen-alpha", ["spatial-exact"], [4, 8, 16, 32], STEPS[1:4], 48),
    "modal": ("bar.toml", "gen-alpha", ["modal"], [4, 8, 16], STEPS[1:], None),
}
FINEST = 1e-4
LEVELS = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4]


def bar(folder):
    """Mass and stiffness of a bar along x, of trilinear solid elements: 1 m, 40 mm wide, 20 mm high."""
    cells, size, young, poisson, density = (10, 2, 2), (1.0, 0.04, 0.02), 1e9, 0.3, 1000.0
    h = [s / c for s, c in zip(size, cells)]
    count = [c + 1 for c in cells]

    def number(i, j, k):
        return (i * count[1] + j) * count[2] + k

    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    g = [0.5 - math.sqrt(1 / 12), 0.5 + math.sqrt(1 / 12)]
    stiffness = [[0.0] * 24 for _ in range(24)]
    mass = [[0.0] * 8 for _ in range(8)]
    weight = h[0] * h[1] * h[2] / 8
    for p in [(x, y, z) for x in g for y in g for z in g]:
        shape = [math.prod(q if c else 1 - q for c, q in zip(corner, p)) for corner in corners]
        slope = []
        for corner in corners:
            of = [q if c else 1 - q for c, q in zip(corner, p)]
            sign = [1 if c else -1 for c in corner]
            slope.append([sign[d] / h[d] * of[(d + 1) % 3] * of[(d + 2) % 3] for d in range(3)])
        for a in range(8):
            for b in range(8):
                mass[a][b] += density * weight * shape[a] * shape[b]
                dot = sum(slope[a][d] * slope[b][d] for d in range(3))
                for i in range(3):
                    for j in range(3):
                        x = lame[0] * slope[a][i] * slope[b][j] + lame[1] * slope[a][j] * slope[b][i]
                        stiffness[3 * a + i][3 * b + j] += weight * (x + (lame[1] * dot if i == j else 0))
    m, k = {}, {}
    for cell in [(i, j, l) for i in range(cells[0]) for j in range(cells[1]) for l in range(cells[2])]:
        nodes = [number(*(c + o for c, o in zip(cell, corner))) for corner in corners]
        for a, na in enumerate(nodes):
            for b, nb in enumerate(nodes):
                for i in range(3):
                    m[3 * na + i, 3 * nb + i] = m.get((3 * na + i, 3 * nb + i), 0) + mass[a][b]
                    for j in range(3):
                        at = 3 * na + i, 3 * nb + j
                        k[at] = k.get(at, 0) + stiffness[3 * a + i][3 * b + j]
    n = 3 * math.prod(count)
    folder.mkdir(exist_ok=True)
    for name, entries in (("mass", m), ("stiffness", k)):
        lower = {at: x for at, x in entries.items() if at[0] >= at[1]}
        lines = [f"{i + 1} {j + 1} {x!r}" for (i, j), x in sorted(lower.items())]
        head = "%%MatrixMarket matrix coordinate real symmetric"
        (folder / f"{name}.mtx").write_text("\n".join([head, f"{n} {n} {len(lines)}", *lines]) + "\n")
    names = {number(0, 1, 1): "pin", number(cells[0], 1, 1): "tip"}
    with open(folder / "nodes.csv", "w") as file:
        file.write("name, x, y, z\n")
        for i in range(count[0]):
            for j in range(count[1]):
                for l in range(count[2]):
                    at = [i * h[0], j * h[1] - size[1] / 2, l * h[2] - size[2] / 2]
                    file.write(f"{names.get(number(i, j, l), '')}, {at[0]!r}, {at[1]!r}, {at[2]!r}\n")


def ours(options, scratch, case, n, step):
    model, method = CASES[case][:2]
    text = re.sub(r"(?m)^N = \d+", f"N = {n}", (HERE / model).read_text())
    (scratch / model).write_text(text)
    out = scratch / "results.csv"
    command = [options.program, "run", str(scratch / model), "--method", method, "--rho-inf", "0.8", "--step", str(step)]
    command += ["--json", "--quiet", "--csv", str(out)]
    best = math.inf
    for _ in range(options.repeats):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        best = min(best, json.loads(done.stdout)["cpu_s"])
    with open(out) as file:
        rows = list(csv.DictReader(file))
    return best, [[float(row.get(f"tip.{c}", 0)) for c in "xyz"] for row in rows]


def theirs(options, scratch, case, n, steps):
    command = [options.exudyn, str(HERE / "exudyn_beams.py"), case, str(n), *map(str, steps)]
    command += ["--numbers", json.dumps(NUMBERS), "--folder", str(scratch / "bar"), "--repeats", str(options.repeats)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [(x["cpu"], x["tip"], x["way"]) if "cpu" in x else None for x in lines]


def off(tip, exact):
    return max(math.dist(a, b) for a, b in zip(tip, exact))


def compare(options, scratch, case):
    _, method, peers, sizes, steps, finest = CASES[case]
    print(f"\n{case}: CPU µs of a step of 1 ms, and error in m")
    head = ["N", f"Delassus `{method}`", *(f"Exudyn {p}" for p in peers)]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    tables = {}
    for n in sizes:
        exact_n = finest or n
        if exact_n not in tables:
            coarse, fine = (ours(options, scratch, case, exact_n, h)[1] for h in (2 * FINEST, FINEST))
            tables[exact_n] = [[(4 * y - x) / 3 for x, y in zip(a, b)] for a, b in zip(coarse, fine)]
    found = {name: [] for name in ["Delassus", *peers]}
    for n in sizes:
        exact = tables[finest or n]
        row = [str(n)]
        for name in found:
            runs = [ours(options, scratch, case, n, h) for h in steps] if name == "Delassus" else theirs(options, scratch, name, n, steps)
            cell = "failed"
            for h, run in zip(steps, runs):
                if run is None:
                    continue
                found[name].append((off(run[1], exact), run[0], n, h))
                if h == 1e-3:
                    cell = f"{1e6 * run[0] * h:.1f}, {off(run[1], exact):.1e}" + (f" ({run[2]})" if len(run) > 2 else "")
            row.append(cell)
        print("| " + " | ".join(row) + " |", flush=True)
    print(f"\n{case}: smallest CPU ms to an error, with N, step in ms and CPU µs of a step")
    print("| error, m | " + " | ".join(found) + " |\n" + "|---" * (1 + len(found)) + "|")
    for level in LEVELS:
        cells = []
        for runs in found.values():
            enough = [(cpu, n, h) for error, cpu, n, h in runs if error <= level]
            if not enough:
                cells.append("not reached")
                continue
            cpu, n, h = min(enough)
            cells.append(f"{1e3 * cpu:.1f} ({n}, {1e3 * h:g}, {1e6 * cpu * h:.1f})")
        print(f"| {level:.0e} | " + " | ".join(cells) + " |")
    for name, runs in found.items():
        if runs:
            print(f"{name}: smallest error {min(runs)[0]:.1e} m")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/delassus"))
    parser.add_argument("--exudyn", required=True, help="a Python with exudyn")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cases", default=",".join(CASES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        bar(scratch / "bar")
        for case in options.cases.split(","):
            compare(options, scratch, case)


if __name__ == "__main__":
    main()
