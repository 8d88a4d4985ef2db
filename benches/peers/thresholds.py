"""Runs all programs of the threshold comparison in turn and writes tables.

Usage: thresholds.py --out FOLDER --reference FOLDER NAME=PROGRAM...

NAME is `delassus`, `ida` or `simbody`, PROGRAM an executable; those that are missing are left
out, with a note. Exudyn and IDA through Python always run. Every program prints one JSON line
per run (see cases.py). Written: `runs.csv` with all runs, `summary.csv` with the cheapest run of
every method below each threshold, `table.md` with the tables.

The cheapest run counts even if a finer one misses the threshold (marked): luck helps all alike.
"""

import argparse
import csv
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import CASES

HERE = Path(__file__).resolve().parent
ROUNDS = int(os.environ.get("PEERS_ROUNDS", "1"))
# Rows of the peers' table, with the start of program and method they cover.
PEERS = [
    ("Exudyn, generalized-alpha", "Exudyn", "generalized-alpha"),
    ("Exudyn, trapezoidal index 2", "Exudyn", "trapezoidal"),
    ("SUNDIALS IDA, GGL, through Python", "SUNDIALS", "BDF", "Python"),
    ("SUNDIALS IDA, GGL, in C", "SUNDIALS", "BDF", " C"),
    ("Simbody", "Simbody", ""),
]
GOAL_BEST, GOAL_ALPHA = 100, 5


def run(command, **environment):
    """The JSON lines of a program; what it wrote before it failed still counts."""
    name = Path(command[-1] if command[0] == sys.executable else command[0]).name
    print(f"running {name} {' '.join(f'{k}={v}' for k, v in environment.items())}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            command,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
            cwd=scratch,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # peers are talkative about steps that fail
            text=True,
        )
    if done.returncode != 0:
        print(f"{name} ended with {done.returncode}: {done.stderr[-500:]}", file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def collect(programs, reference):
    """All runs of all rounds; the smallest time of each setting."""
    best = {}
    for _ in range(ROUNDS):
        lines = []
        if "delassus" in programs:
            lines += run([programs["delassus"]])
        lines += run([sys.executable, str(HERE / "exudyn_thresholds.py")], EXUDYN_MODULE="fast")
        lines += run([sys.executable, str(HERE / "ida_thresholds.py")])
        for name in ("ida", "simbody"):
            if name in programs:
                lines += run([programs[name], reference])
        for line in lines:
            key = tuple(line[k] for k in ("case", "program", "method", "setting"))
            old = best.setdefault(key, line)
            for time in ("cpu_s", "recorded_s"):
                if time in line and time in old:
                    old[time] = min(old[time], line[time])
    return list(best.values())


def cheapest(runs, limit):
    """The cheapest run below a limit, and whether a finer one of the same method is above."""
    good = [r for r in runs if r.get("eps") is not None and r["eps"] <= limit]
    if not good:
        return None
    best = min(good, key=lambda r: r["cpu_s"])
    same = [r for r in runs if (r["program"], r["method"]) == (best["program"], best["method"])]
    finer = [r for r in same[same.index(best) + 1 :] if r.get("problem") != "time limit"]
    lucky = any(r.get("eps") is None or r["eps"] > limit for r in finer)
    return {**best, "lucky": lucky}


def milliseconds(run):
    return f"{1e3 * run['cpu_s']:.3g}" + ("\\*" if run["lucky"] else "")


def missing(runs):
    """What to say of a method without a run below the threshold."""
    if not runs:
        return "—"
    return "not met" if any(r.get("eps") is not None for r in runs) else "fails"


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return out + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def select(runs, case, program, method="", part=""):
    return [
        r
        for r in runs
        if r["case"] == case
        and r["program"].startswith(program)
        and part in r["program"]
        and r["method"].startswith(method)
    ]


def columns():
    return [(case, name) for case, d in CASES.items() for name in ("low", "high") if name in d.thresholds]


def describe():
    cpu = platform.processor()
    try:
        info = Path("/proc/cpuinfo").read_text()
        cpu = next(l.split(":")[1].strip() for l in info.splitlines() if l.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    programs = dict(p.split("=", 1) for p in arguments.programs)
    runs = collect(programs, arguments.reference)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_csv(arguments.out / "runs.csv", runs)
    text, summary = report(runs)
    write_csv(arguments.out / "summary.csv", summary)
    (arguments.out / "table.md").write_text(text)
    print(text)


def write_csv(path, rows):
    keys = ["case", "threshold", "program", "method", "setting", "eps", "cpu_s", "recorded_s", "steps"]
    keys += ["ratio_to_best_delassus", "problem"]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, keys, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def report(runs):
    ours = {c: cheapest(select(runs, c[0], "Delassus"), CASES[c[0]].thresholds[c[1]]) for c in columns()}
    head = ["", *(f"{case} {name} ({CASES[case].thresholds[name]:g})" for case, name in columns())]
    programs = sorted({r["program"] for r in runs})
    out = [
        f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC. {describe()}.",
        f"Programs: {'; '.join(programs)}. Rounds: {ROUNDS}.",
        "",
        "CPU milliseconds of the cheapest run below each threshold; in brackets its ratio to the best of "
        "Delassus. \\* a finer run of the same method misses the threshold. fails: no run reaches the end. "
        "not met: no run within the limits of time and setting has a small enough error.",
        "",
    ]
    rows, summary, best_peer = [], [], {}
    row = ["**best of Delassus**"]
    for c in columns():
        row.append(f"{milliseconds(ours[c])} ({ours[c]['method']})" if ours[c] else "fails")
    rows.append(row)
    for title, *which in PEERS:
        row = [title]
        for c in columns():
            found = select(runs, c[0], *which)
            best = cheapest(found, CASES[c[0]].thresholds[c[1]])
            if best is None:
                row.append(missing(found))
                continue
            ratio = f" ({best['cpu_s'] / ours[c]['cpu_s']:.1f})" if ours[c] else ""
            row.append(milliseconds(best) + ratio)
            if c not in best_peer or best["cpu_s"] < best_peer[c]["cpu_s"]:
                best_peer[c] = {**best, "title": title}
        rows.append(row)
    out += table(head, rows)

    for program, method in dict.fromkeys((r["program"], r["method"]) for r in runs):
        for c in columns():
            found = [r for r in runs if (r["case"], r["program"], r["method"]) == (c[0], program, method)]
            best = cheapest(found, CASES[c[0]].thresholds[c[1]])
            line = {"case": c[0], "threshold": c[1], "program": program, "method": method}
            if best:
                line.update(best)
                if ours[c]:
                    line["ratio_to_best_delassus"] = best["cpu_s"] / ours[c]["cpu_s"]
            elif found:
                line["problem"] = found[-1].get("problem") or "threshold not met"
            else:
                continue
            summary.append(line)

    out += ["Every method of Delassus, CPU milliseconds (setting):", ""]
    rows = []
    for method in dict.fromkeys(r["method"] for r in runs if r["program"].startswith("Delassus")):
        row = [method]
        for c in columns():
            found = [r for r in select(runs, c[0], "Delassus") if r["method"] == method]
            best = cheapest(found, CASES[c[0]].thresholds[c[1]])
            row.append(f"{milliseconds(best)} ({best['setting'].split('= ')[1]})" if best else missing(found))
        rows.append(row)
    out += table(head, rows)

    out += ["Generalized-alpha at equal step, radius 0.8, CPU milliseconds:", ""]
    rows, alpha = [], {}
    for case in ("A1", "A2", "A3"):
        mine = {r["setting"]: r for r in select(runs, case, "Delassus", "gen-alpha, fixed") if r.get("eps")}
        theirs = {}
        for r in select(runs, case, "Exudyn", "generalized-alpha, radius 0.8"):
            if r.get("eps") and (r["setting"] not in theirs or r["cpu_s"] < theirs[r["setting"]]["cpu_s"]):
                theirs[r["setting"]] = r
        for step in mine:
            if step in theirs and mine[step]["eps"] <= CASES[case].thresholds["low"]:
                a, b = mine[step], theirs[step]
                ratio = b["cpu_s"] / a["cpu_s"]
                alpha.setdefault(case, []).append(ratio)
                cells = [f"{1e3 * r['cpu_s']:.3g} (eps {r['eps']:.1e})" for r in (a, b)]
                rows.append([case, step, *cells, f"{ratio:.1f}"])
    out += table(["case", "step", "Delassus", "Exudyn, its cheapest model", "ratio"], rows)

    out += ["Goals:", ""]
    for case in ("A1", "A2", "A3"):
        c = (case, "high")
        if c in best_peer and ours[c]:
            ratio = best_peer[c]["cpu_s"] / ours[c]["cpu_s"]
            word = "met" if ratio >= GOAL_BEST else "missed"
            out.append(
                f"- {case}, high: best of Delassus ({ours[c]['method']}) {ratio:.1f} times as fast as the best "
                f"peer ({best_peer[c]['title']}); goal {GOAL_BEST}: {word}."
            )
        if case in alpha:
            low, high = min(alpha[case]), max(alpha[case])
            word = "met" if low >= GOAL_ALPHA else "missed" if high < GOAL_ALPHA else "met at some steps"
            out.append(
                f"- {case}: generalized-alpha at equal step {low:.1f} to {high:.1f} times as fast as "
                f"Exudyn's; goal {GOAL_ALPHA}: {word}."
            )
    return "\n".join(out) + "\n", summary


if __name__ == "__main__":
    main()
