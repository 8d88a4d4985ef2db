#!/usr/bin/env python3
"""Instructions of every step in real time: are they the same whatever happens?

    run.py [--example PATH] [--steps 100000] [--block 100] [--cases wishbones,car,trailer,chain,scene] [--time]

Counts instructions with callgrind (valgrind) in blocks of steps: car on double wishbones and tyres on a bumpy road, car on
struts over bumps (J2), car with trailer (J1), a chain of 100 hinged links, and boxes that fall on each other with room for 16
points. Every step is counted, as part of its block; `--block 1` looks at each alone. Prints the mean and how far the blocks
are from it. With `--time` it takes CPU times of many steps without valgrind instead, with the drift and the memory at their
end (the soak); the environment may set PROJECTIONS and CONTACTS.

The example is built by `cargo build --release -p delassus --example realtime`.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODELS = ROOT / "models/benchmarks"


def bumpy(text):
    """The bump of J2 again and again."""
    return re.sub(r"if\((way\d) > 0 && way\d < bump, (.*), 0\)\"", r'if(\1 > 0, \2, 0)"', text)


def waves(text):
    """The lane change of J1 again and again."""
    return text.replace("if(t > 0.5 && t < 2.5, sway*sin(pi*(t - 0.5)), 0)", "0.3*sway*sin(pi*t)*sin(0.11*pi*t)")


def bumpy_road(text):
    """Bumps for ever instead of one."""
    road = 'height = "0.5*bump*(0.75 + 0.25*tanh(2*y))*(1 - cos(2*pi*x/3.7))*(0.6 + 0.4*sin(0.31*x))"'
    return re.sub(r'^height = .*$', road, text, count=1, flags=re.M)


def keeps_going(text):
    """A torque that keeps the wheels at 32 rad/s, 10 m/s."""
    return text.replace("drive_course(t)", "20*(32 - rate)")


CASES = {
    "wishbones": (ROOT / "models/vehicles/car_bump.toml", bumpy_road, 5),
    "car": (MODELS / "J2_vehicle.toml", bumpy, 1),
    "trailer": (MODELS / "J1_vehicle_trailer.toml", waves, 1),
    "chain": (HERE / "chain.toml", str, 50),
    "scene": (HERE / "scene.toml", str, 10),
}


def counts(example, model, steps, block):
    """Instructions per step of each block."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=realtime::block", "--dump-after=realtime::block",
                   f"--callgrind-out-file={out}", example, model, "1000", str(steps), str(block)]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True)
        found = []
        for file in sorted(pathlib.Path(folder).glob("counts.*"), key=lambda f: int(f.suffix[1:])):
            match = re.search(r"^(?:totals|summary): (\d+)", file.read_text(), re.M)
            found.append(int(match.group(1)) / block)
        return found, done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--example", default=str(ROOT / "target/release/examples/realtime"))
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--block", type=int, default=100)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--time", action="store_true")
    options = parser.parse_args()
    for case in options.cases.split(","):
        path, change, dearer = CASES[case]
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / f"{case}.toml"
            model.write_text(change(path.read_text()))
            if (path.parent / "parts").is_dir():
                shutil.copytree(path.parent / "parts", pathlib.Path(folder) / "parts")
                car = pathlib.Path(folder) / "parts/car.toml"
                car.write_text(keeps_going(car.read_text()))
            if options.time:
                done = subprocess.run([options.example, model, "1000", str(options.steps), "1000"], capture_output=True, text=True)
                print((done.stdout + done.stderr).strip().replace(folder + "/", ""), flush=True)
                continue
            # a dear model gets fewer steps
            block = max(1, options.block // dearer)
            found, said = counts(options.example, model, max(block, options.steps // dearer), block)
            found = [x for x in found if x > 0]
            mean = sum(found) / len(found)
            low, high = min(found) / mean - 1, max(found) / mean - 1
            print(f"{case}: {len(found)} blocks of {block} steps, {mean:.0f} instructions a step, {100 * low:+.2f} % to {100 * high:+.2f} %", flush=True)
            print("  " + said.replace(folder + "/", ""), flush=True)


main()
