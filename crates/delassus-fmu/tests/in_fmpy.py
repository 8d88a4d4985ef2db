"""FMUs in FMPy: valid, with the bits of `delassus run` in co-simulation, within the tolerance of its solver in model
exchange, with derivatives that are those of differences; in both versions of the standard. Called by `cargo xtask fmu`:

    in_fmpy.py DELASSUS MODELS FOLDER
"""

import csv
import logging
import math
import struct
import subprocess
import sys
from pathlib import Path

from fmpy import extract, instantiate_fmu, read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

DELASSUS, MODELS, FOLDER = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])

# model, its end, whether it can be solved by others, and how well by CVode at a relative tolerance of 1e-9
CASES = [
    ("pendulum", 2.0, True, 1e-5),
    ("slider_crank", 0.2, True, 1e-4),
    ("motor_pid", 3.0, True, 1e-5),
    ("bouncing_ball", 5.0, False, None),
    ("benchmarks/J2_vehicle", 1.0, True, 1e-4),
    ("arm_by_torque", 1.0, True, 1e-5),
    ("switching", 2.0, True, 1e-5),
]

# forces that switch with the state: a spring that engages, a limit, a table
SWITCHING = """schema = 1
input.push = { unit = "N", default = 0.5 }
table.k = { x = [-1, 0.5, 2], y = [-4, 2, 20], outside = "extend" }
body.m = { type = "planar-point", mass = 1, position = [0.9, 0] }
joint.guide = { type = "prismatic", between = ["ground", "m"], axis = [1, 0] }
force.f = { type = "force", at = "m", force = ["push - if(x > 0.2, 40*(x - 0.2), 0) - clamp(9*x, -3, 3) - k(x)", 0] }
sensor.x = { type = "position", of = "m", component = "x" }
sensor.v = { type = "velocity", of = "m", component = "x" }
analysis = { end = 2, sample = "10 ms" }
"""


def delassus(*arguments):
    done = subprocess.run([DELASSUS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def bits(x):
    return struct.pack("<d", x)


def columns(path):
    with open(path, newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.reader(lines))
    names, data = rows[0], [[float(x) for x in row] for row in rows[1:]]
    # a name may be followed by its unit in brackets
    names = [name.split(" [")[0] for name in names]
    return {name: [row[k] for row in data] for k, name in enumerate(names)}


def close(found, expected, limit, what):
    for name, values in expected.items():
        size = max(1.0, max(abs(x) for x in values))
        worst = max(abs(a - b) for a, b in zip(found[name], values))
        assert not math.isnan(worst) and worst <= limit * size, f"{what}, {name}: off by {worst}"


def outputs(description, run):
    """All columns of a run, which are outputs or inputs of the FMU; it also has those of contacts."""
    causality = {v.name: v.causality for v in description.modelVariables}
    names = [name for name in run if name != "t" and causality[name] != "input"]
    assert names and all(causality[name] == "output" for name in names)
    return names


def co_simulation(fmu, description, run, sample, what):
    """The bits of a run, at all samples and in all columns."""
    names = outputs(description, run)
    result = simulate_fmu(
        str(fmu), fmi_type="CoSimulation", output=names, output_interval=sample, stop_time=run["t"][-1]
    )
    assert len(result) == len(run["t"]), f"{what}: {len(result)} samples"
    for name in names:
        for k, (a, b) in enumerate(zip(result[name], run[name])):
            assert bits(a) == bits(b), f"{what}, {name} at sample {k}: {a!r} {b!r}"


def states(fmu, description, what):
    """Saved, restored and serialised in the middle: what follows has the same bits."""
    folder = extract(str(fmu))
    instance = instantiate_fmu(folder, description, "CoSimulation")
    three = description.fmiVersion != "2.0"
    if three:
        instance.enterInitializationMode(startTime=0.0)
    else:
        instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
    instance.exitInitializationMode()
    numbers = [v.valueReference for v in description.modelVariables if v.causality == "output"]

    def steps(first, last):
        seen = []
        for k in range(first, last):
            instance.doStep(currentCommunicationPoint=k * 0.01, communicationStepSize=0.01)
            seen += instance.getFloat64(numbers) if three else instance.getReal(numbers)
        return [bits(x) for x in seen]

    steps(0, 20)
    get, put, free, write, read = (
        getattr(instance, name if three else name.replace("State", "state").replace("deserialize", "deSerialize"))
        for name in ("getFMUState", "setFMUState", "freeFMUState", "serializeFMUState", "deserializeFMUState")
    )
    state = get()
    saved = write(state)
    first = steps(20, 40)
    put(state)
    assert steps(20, 40) == first, f"{what}: restored"
    put(read(saved))
    assert steps(20, 40) == first, f"{what}: from bytes"
    free(state)
    instance.terminate()
    instance.freeInstance()


def model_exchange(fmu, description, run, sample, limit, what):
    names = outputs(description, run)
    result = simulate_fmu(
        str(fmu),
        fmi_type="ModelExchange",
        solver="CVode",
        relative_tolerance=1e-9,
        output=names,
        output_interval=sample,
        stop_time=run["t"][-1],
        record_events=False,
    )
    times = {round(t, 9): k for k, t in enumerate(result["time"])}
    rows = [times[round(t, 9)] for t in run["t"]]
    close({n: [result[n][k] for k in rows] for n in names}, {n: run[n] for n in names}, limit, what)


def derivatives(fmu, description, what):
    """Directional derivatives of rates and outputs by states and inputs, against central differences, on the way."""
    instance = instantiate_fmu(extract(str(fmu)), description, "ModelExchange")
    three = description.fmiVersion != "2.0"
    if three:
        instance.enterInitializationMode(startTime=0.0)
    else:
        instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
    instance.exitInitializationMode()
    rates = [v.valueReference for v in description.modelVariables if v.derivative is not None]
    states = [v.derivative.valueReference for v in description.modelVariables if v.derivative is not None]
    of = lambda kind: [v.valueReference for v in description.modelVariables if v.causality == kind]
    unknown, known = rates + of("output"), states + of("input")
    read = instance.getFloat64 if three else instance.getReal
    write = instance.setFloat64 if three else instance.setReal

    def settle():
        (instance.updateDiscreteStates if three else instance.newDiscreteStates)()
        instance.enterContinuousTimeMode()

    # Euler steps to a state of its own, then to the nearest one that satisfies the joints
    settle()
    for k in range(200):
        instance.setTime(k * 1e-4)
        x, r = read(states), read(rates)
        write(states, [a + 1e-4 * b for a, b in zip(x, r)])
    instance.enterEventMode()
    settle()
    exact = [instance.getDirectionalDerivative(unknown, [k], [1.0]) for k in known]
    scale = [max(1e-3, abs(v), *(abs(e[i]) for e in exact)) for i, v in enumerate(read(unknown))]
    h = 1e-6
    for k, e in zip(known, exact):
        [at] = read([k])
        sides = []
        for d in (h, -h):
            write([k], [at + d])
            sides.append(read(unknown))
        write([k], [at])
        for i, (a, b) in enumerate(zip(*sides)):
            off = abs((a - b) / (2 * h) - e[i]) / scale[i]
            assert not math.isnan(off) and off < 1e-5, f"{what}: derivative of {unknown[i]} by {k} is off by {off}"
    both = instance.getDirectionalDerivative(unknown, known[:2], [2.0, -3.0])
    for i, x in enumerate(both):
        y = 2 * exact[0][i] - 3 * exact[1][i]
        assert abs(x - y) <= 1e-9 * scale[i], f"{what}: not linear in the seed: {x} {y}"
    instance.terminate()
    instance.freeInstance()


def closed_loop(version):
    """A controller in the host, through the input, holds the arm where the controller of the other model holds it."""
    fmu = FOLDER / f"arm_by_torque-{version}.fmu"
    description = read_model_description(str(fmu))
    number = {v.name: v.valueReference for v in description.modelVariables}
    instance = instantiate_fmu(extract(str(fmu)), description, "CoSimulation")
    three = version == 3
    if three:
        instance.enterInitializationMode(startTime=0.0)
    else:
        instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
    instance.exitInitializationMode()
    read = instance.getFloat64 if three else instance.getReal
    write = instance.setFloat64 if three else instance.setReal
    integral, goal = 0.0, math.radians(60)
    for k in range(600):
        angle, speed = read([number["angle"], number["speed"]])
        integral += (goal - angle) * 0.01
        torque = 40 * (goal - angle) + 60 * integral - 6 * speed
        write([number["torque"]], [max(-50.0, min(50.0, torque))])
        instance.doStep(currentCommunicationPoint=k * 0.01, communicationStepSize=0.01)
    [angle] = read([number["angle"]])
    assert abs(angle - goal) < 1e-3, f"version {version}: {angle}"
    instance.terminate()
    instance.freeInstance()


def main():
    logging.disable(logging.INFO)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "switching.toml").write_text(SWITCHING)
    for model, end, solvable, limit in CASES:
        file = (FOLDER if model == "switching" else MODELS) / f"{model}.toml"
        name = file.stem
        table = FOLDER / f"{name}.csv"
        delassus("run", file, "--end", end, "--csv", table)
        run = columns(table)
        exact = run
        if solvable:
            delassus("run", file, "--end", end, "--rtol", "1e-11", "--csv", table)
            exact = columns(table)
        sample = run["t"][1] - run["t"][0]
        for version in (2, 3):
            fmu = FOLDER / f"{name}-{version}.fmu"
            delassus("export", "--fmu", file, "-o", fmu, "--fmi", version)
            what = f"{name}, FMI {version}"
            problems = validate_fmu(str(fmu))
            assert not problems, f"{what}: {problems}"
            description = read_model_description(str(fmu))
            if name == "arm_by_torque":
                closed_loop(version)
            # steps of a model with inputs end at each communication point
            if name not in ("arm_by_torque", "switching"):
                co_simulation(fmu, description, run, sample, what)
            states(fmu, description, what)
            assert (description.modelExchange is not None) == solvable, what
            if solvable:
                model_exchange(fmu, description, exact, sample, limit, what)
                derivatives(fmu, description, what)
            print(f"{what}: {len(run['t'])} samples")


main()
