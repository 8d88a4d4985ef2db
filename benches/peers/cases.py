"""The problems of the threshold comparison: data, references, errors, ladders of settings.

Cases A1 to A3 are the slider-cranks of Ruggiu & Gonzalez (2021), C1 is the car axis of
the IVP test set. The error of A1 to A3 is eps_T over crank angle and slider position
every 10 ms; that of C1 is the largest |y - ref|/(1 + |ref|) over positions and
velocities at the end. Each program tries its settings from coarse to fine and prints one
JSON line per run; `thresholds.py` picks the cheapest run below each threshold.
"""

import csv
import json
import math
import os
import time
from pathlib import Path
from types import SimpleNamespace

REFERENCE = Path(__file__).resolve().parents[2] / "crates/delassus/tests/reference"
GRAVITY = 9.81
# CPU seconds of one run after which a ladder ends; no finer setting can be a winner.
LIMIT = float(os.environ.get("PEERS_LIMIT", "1"))
REPEATS = int(os.environ.get("PEERS_REPEATS", "3"))


def slider_crank(file, L1, L2, m1, m2, m3, theta, omega, force, duration, high, low):
    return SimpleNamespace(
        file=file, L1=L1, L2=L2, m1=m1, m2=m2, m3=m3, theta=theta, omega=omega,
        force=force, duration=duration, thresholds={"high": high, "low": low},
    )  # fmt: skip


CASES = {
    "A1": slider_crank(
        "A1_slider_crank_case1.csv", 1, 1, 1, 1, 0, math.pi / 4, 2 * math.sqrt(2), 0, 10, 2e-4, 2e-3
    ),
    "A2": slider_crank("A2_slider_crank_case2.csv", 3, 6, 1.5, 3, 0.25, 0, 0, 100, 10, 5e-3, 5e-2),
    "A3": slider_crank(
        "A3_slider_crank_case3.csv", 1, 1, 1, 1, 0, math.pi / 4, 0, 100, 5, 1e-2, 1e-1
    ),
    "C1": SimpleNamespace(file="C1_car_axis.csv", duration=3, thresholds={"high": 1e-6}),
}

# Steps per 10 ms of the methods with a fixed step.
STEPS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128)
STEPS += (160, 192, 256, 320, 384, 512, 768, 1000)
# Tolerances of the methods that choose their step, four per decade.
TOLERANCES = tuple(10 ** (-k / 4) for k in range(8, 49))


def columns(case):
    """The reference, column by column, without the time."""
    with open(REFERENCE / CASES[case].file, newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [[float(x) for x in column] for column in zip(*rows)][1:]


def eps_t(case, theta, slider):
    """Root mean square of both errors over all samples; infinite if some are missing."""
    reference = columns(case)[:2]
    if len(theta) != len(reference[0]) or len(slider) != len(reference[0]):
        return math.inf
    total = sum((a - b) ** 2 for a, b in zip(theta, reference[0]))
    total += sum((a - b) ** 2 for a, b in zip(slider, reference[1]))
    return math.sqrt(total / (2 * len(theta)))


def end_error(case, values):
    """Largest mixed error at the end."""
    last = [column[-1] for column in columns(case)]
    return max(abs(v - r) / (1 + abs(r)) for v, r in zip(values, last))


def cpu(work):
    """CPU seconds of this process, and the result."""
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def emit(**line):
    if line.get("eps") is not None and not math.isfinite(line["eps"]):
        line["eps"] = None
    print(json.dumps(line), flush=True)


def ladder(case, program, method, settings, solve, clock):
    """Runs a method from coarse to fine.

    `solve(setting)` gives the error and the number of steps, `clock(setting)` the CPU
    seconds of the same run; both raise if the program fails. Ends after two runs in a row
    below the high threshold, or when a good run takes longer than the limit or all together
    ten times as long. The time of a run that meets a threshold is the smallest of several.
    """
    thresholds = CASES[case].thresholds.values()
    passed, first = 0, time.process_time()
    for label, setting in settings:
        line = {"case": case, "program": program, "method": method, "setting": label}
        begin = time.process_time()
        try:
            error, steps = solve(setting)
            repeats = REPEATS if error <= max(thresholds) else 1
            seconds = min(clock(setting) for _ in range(repeats))
            emit(**line, cpu_s=seconds, eps=error, steps=steps)
        except Exception as failure:  # a peer that fails is a result, not a fault of the run
            error, seconds = math.inf, 0  # a finer setting may still work
            reason = (str(failure).strip().splitlines() or ["failed"])[-1][:120]
            emit(**line, cpu_s=time.process_time() - begin, eps=None, problem=reason)
        passed = passed + 1 if error <= min(thresholds) else 0
        if passed == 2 or seconds > LIMIT or time.process_time() - first > 10 * LIMIT:
            break


def fixed():
    """Ladder of fixed steps: a label and the number of steps per 10 ms."""
    return [(f"h = {10 / n:.4g} ms", n) for n in STEPS]


def adaptive():
    """Ladder of tolerances."""
    return [(f"rtol = {tol:.2g}", tol) for tol in TOLERANCES]
