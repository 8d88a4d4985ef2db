#!/usr/bin/env python3
"""CPU time of a step against the number of bodies, for every method, on a spatial chain and the N-four-bar.

    run.py [--program PATH] [--methods a,b] [--sizes 125,250,500,1000,2000]

A cost is the difference between a run of many and one of few steps of the same model, so that loading and
assembly cancel; the smallest of a few repetitions is taken. `mns` is left out: its null space is dense.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DENSE = {"mns"}
# bodies of one unit of N
MODELS = {"chain": (HERE / "chain.toml", 1), "four-bar": (ROOT / "models/benchmarks/B2_n_four_bar_N40.toml", 2)}
STEP = 1e-4
FEW, MANY = 10, 40


def cpu(program, model, method, steps):
    command = [program, "run", model, "--method", method, "--step", str(STEP), "--end", str(steps * STEP)]
    command += ["--json", "--quiet", "--csv", "/dev/null", "--limit", "elements=1e6"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)["cpu_s"]


def cost(program, text, bodies, method, scratch):
    model = scratch / "model.toml"
    model.write_text(text)
    costs = []
    for _ in range(3):
        few, many = (cpu(program, model, method, n) for n in (FEW, MANY))
        if few is None or many is None:
            return None
        costs.append((many - few) / (MANY - FEW))
    return min(costs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(ROOT / "target/release/delassus"))
    parser.add_argument("--methods")
    parser.add_argument("--sizes", default="125,250,500,1000,2000")
    options = parser.parse_args()
    sizes = [int(n) for n in options.sizes.split(",")]
    listed = json.loads(subprocess.check_output([options.program, "methods", "--json"]))
    methods = [m["name"] for m in listed if m["group"] == "smooth" and m["name"] not in DENSE]
    if options.methods:
        methods = options.methods.split(",")
    with tempfile.TemporaryDirectory() as folder:
        for name, (path, bodies) in MODELS.items():
            print(f"{name:<18}" + "".join(f"{n:>10}" for n in sizes) + "   exponent (ms a step)")
            for method in methods:
                costs = []
                for n in sizes:
                    text = re.sub(r"(?m)^N = \d+", f"N = {n // bodies}", path.read_text())
                    costs.append(cost(options.program, text, n, method, pathlib.Path(folder)))
                if None in costs:
                    print(f"{method:<18} failed")
                    continue
                exponent = math.log(costs[-1] / costs[0]) / math.log(sizes[-1] / sizes[0])
                print(f"{method:<18}" + "".join(f"{1e3 * c:>10.3f}" for c in costs) + f"   {exponent:.2f}", flush=True)


if __name__ == "__main__":
    main()
