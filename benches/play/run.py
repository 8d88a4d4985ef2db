#!/usr/bin/env python3
"""Cost of play in joints and of compliant contact.

    run.py [--program PATH] [--exudyn PYTHON] [--repeats N]

Three parts:
- E4, one turn of the crank (2.0944 s) by every method that the problem names: CPU time against real time;
- a journal that follows its bearing under load (`following.toml`): steps of implicit methods against those of `dopri5`, from 0.3 s
  on, when all bounces are over (the difference of two runs);
- E1, a ball that falls on a compliant ground: the error of the height that it comes back to, and CPU time; with a Python that has
  exudyn (`benches/peers/requirements.txt`), Exudyn beside it (`benches/peers/exudyn_falling_ball.py`).

CPU times are those of the run itself, the smallest of a few repetitions.
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
E4 = ROOT / "models/benchmarks/E4_quick_return_clearance.toml"
E1 = ROOT / "models/benchmarks/E1_falling_ball.toml"
TURN = 2 * math.pi / 3
GRAVITY = 9.81


def find(tree, key):
    if isinstance(tree, dict):
        if key in tree:
            return tree[key]
        return next((x for v in tree.values() if (x := find(v, key)) is not None), None)
    return None


def run(options, model, *more):
    """Summary of a run, with the smallest CPU time of some, and its results."""
    best = None
    with tempfile.TemporaryDirectory() as scratch:
        results = pathlib.Path(scratch) / "results.csv"
        for _ in range(options.repeats):
            text = subprocess.run(
                [options.program, "run", str(model), "--json", "-q", "--csv", str(results), *more],
                check=True, capture_output=True, text=True,
            ).stdout
            summary = json.loads(text)
            cpu = find(summary, "cpu_s")
            best = cpu if best is None else min(best, cpu)
        with open(results) as file:
            rows = [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(file)]
    return {k: find(summary, k) for k in ("steps", "energy_error")} | {"cpu": best, "rows": rows}


def turn(options):
    print(f"E4, one turn ({TURN:.4f} s)")
    print("| method | rtol | steps | CPU, s | real time / CPU | energy error, J |")
    print("|---|---|---|---|---|---|")
    cases = [("mdop5", "1e-6"), ("mdop5", "1e-7"), ("radau5", "1e-6"), ("bdf", "1e-7"), ("gen-alpha-ggl", "1e-6"), ("hem5", "1e-7")]
    for method, rtol in cases:
        r = run(options, E4, "--method", method, "--rtol", rtol, "--end", str(TURN), "--sample", "0.01")
        print(f"| `{method}` | {rtol} | {r['steps']} | {r['cpu']:.2f} | {TURN / r['cpu']:.1f} | {r['energy_error']:.1e} |")


def following(options):
    print("\nA journal that follows its bearing, from 0.3 s to 3 s")
    print("| method | rtol | steps | of `dopri5` | CPU of 3 s, s |")
    print("|---|---|---|---|---|")
    for rtol in ("1e-4", "1e-6"):
        explicit = None
        for method in ("dopri5", "radau5", "bdf", "gen-alpha-ggl"):
            both = [run(options, HERE / "following.toml", "--method", method, "--rtol", rtol, "--end", end) for end in ("0.3", "3")]
            steps = both[1]["steps"] - both[0]["steps"]
            explicit = explicit or steps
            print(f"| `{method}` | {rtol} | {steps} | 1/{explicit / steps:.1f} | {both[1]['cpu']:.3f} |")


def ball(options):
    print("\nE1, ce = 1: error of the height after the bounce")
    print("| program | settings | steps | error, m | CPU, ms |")
    print("|---|---|---|---|---|")
    for method in ("mdop5", "radau5"):
        for rtol in ("1e-5", "1e-7", "1e-9"):
            r = run(options, E1, "--method", method, "--rtol", rtol, "--end", "0.6", "--sample", "0.1")
            end = r["rows"][-1]
            height = end["p.y"] - 0.1 + end["v.y"] ** 2 / (2 * GRAVITY)
            print(f"| Delassus | `{method}`, rtol {rtol} | {r['steps']} | {height - 1:.1e} | {1e3 * r['cpu']:.2f} |")
    if options.exudyn is None:
        return
    text = subprocess.run([options.exudyn, ROOT / "benches/peers/exudyn_falling_ball.py"], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        if not line.startswith("{") or ", ce 1.0," not in line:
            continue
        case = json.loads(line)
        print(f"| {case['case']} | | {case['steps']} | {case['error']:.1e} | {case['cpu_ms']:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/delassus"))
    parser.add_argument("--exudyn", default=None, help="a Python with exudyn")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    turn(options)
    following(options)
    ball(options)


if __name__ == "__main__":
    main()
