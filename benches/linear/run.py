#!/usr/bin/env python3
"""Cost of a step against the number of bodies, for every method, on a spatial chain and the N-four-bar.

    run.py [--program PATH] [--methods a,b] [--models chain,four-bar,straight,beam] [--sizes 125,500,2000] [--cpu]

Counts instructions where valgrind is at hand: they are the same on a busy machine, and leave out what caches do to
large models. With `--cpu`, or without valgrind, it takes CPU time instead, the smallest of a few repetitions. A cost is
the difference between a run of many and one of few steps of the same model, so that loading and assembly cancel.

A step of a larger model may cost more because its parts do, or because there are more of them. So the table has, for the
smallest and the largest size, evaluations and factorisations of a step, and the exponent of the cost of an evaluation
beside that of a step. The motion of `chain` and `four-bar` is the same for any number of bodies; that of `straight` gets
faster with its length, so that iterations of implicit methods have more to do in a step of the same length.

`beam` has one beam of so many elements in the place of bodies.

`mns` is left out unless it is asked for: its null space is dense.
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DENSE = {"mns"}
# bodies of one unit of N
MODELS = {
    "chain": (HERE / "chain.toml", 1),
    "four-bar": (ROOT / "models/benchmarks/B2_n_four_bar_N40.toml", 2),
    "straight": (HERE / "straight.toml", 1),
    "beam": (HERE / "beam.toml", 1),
}
STEP = 1e-4
FEW, MANY = 10, 40
WORK = ("evaluations", "factorizations")


def run(options, model, method, steps):
    """Cost and work of a run, or nothing where it failed."""
    command = [options.program, "run", model, "--method", method, "--step", str(STEP), "--end", str(steps * STEP)]
    command += ["--json", "--quiet", "--csv", "/dev/null", "--limit", "elements=1e6"]
    if options.cpu:
        outcomes = [summary(command) for _ in range(3)]
        return None if None in outcomes else (min(o["cpu_s"] for o in outcomes), outcomes[0])
    counts = pathlib.Path(model).with_suffix(".count")
    count = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={counts}"]
    outcome = summary(count + command)
    if outcome is None:
        return None
    return int(re.search(r"(?m)^summary: (\d+)", counts.read_text())[1]), outcome


def summary(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def cost(options, text, method, scratch):
    """Cost of a step, and how often each part of its work is done."""
    model = scratch / "model.toml"
    model.write_text(text)
    few, many = (run(options, model, method, n) for n in (FEW, MANY))
    if few is None or many is None:
        return None
    steps = MANY - FEW
    return (many[0] - few[0]) / steps, [(many[1][w] - few[1][w]) / steps for w in WORK]


def row(method, sizes, costs):
    if None in costs:
        return f"| `{method}` | failed |"
    (first, work), (last, more) = costs[0], costs[-1]
    span = math.log(sizes[-1] / sizes[0])
    exponent = math.log(last / first) / span
    growth = math.log(more[0] / work[0])
    cells = [f"{1e3 * c:.3g}" if c < 1 else f"{c / 1e6:.3g}" for c, _ in costs]
    cells += [f"{a:.2f} … {b:.2f}" for a, b in zip(work, more)]
    cells += [f"{exponent:.2f}", f"{exponent - growth / span:.2f}"]
    return f"| `{method}` | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(ROOT / "target/release/delassus"))
    parser.add_argument("--methods")
    parser.add_argument("--models", default="chain,four-bar")
    parser.add_argument("--sizes", default="125,500,2000")
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    options.cpu |= shutil.which("valgrind") is None
    sizes = [int(n) for n in options.sizes.split(",")]
    listed = json.loads(subprocess.check_output([options.program, "methods", "--json"]))
    methods = [m["name"] for m in listed if m["group"] == "smooth" and m["name"] not in DENSE]
    if options.methods:
        methods = options.methods.split(",")
    unit = "ms" if options.cpu else "million instructions"
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models.split(","):
            path, bodies = MODELS[name]
            head = [f"{name}, {unit} a step", *(f"{n} bodies" for n in sizes), *WORK, "exponent", "of an evaluation"]
            print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
            for method in methods:
                costs = []
                for n in sizes:
                    text = re.sub(r"(?m)^N = \d+", f"N = {n // bodies}", path.read_text())
                    costs.append(cost(options, text, method, pathlib.Path(folder)))
                print(row(method, sizes, costs), flush=True)


if __name__ == "__main__":
    main()
