"""Runs the peers and, if it is there, our own benchmark, and prints one table.

Usage: compare.py [path of the peers_delassus executable]

Every program is a process of its own that prints JSON lines. They run in turn,
for several rounds, so that a disturbance of the machine hits all of them alike.
The table gives the smallest and largest value over the rounds; ratios are
peer / Delassus of the smallest values, so a ratio above 1 means that the peer
needs more time. In brackets: the least and greatest ratio within one round.

Lines used: {"case": "A1 ...", "us_per_step": x} and
{"case": "n_four_bar ...", "n": N, "eval_ms": x, "step_ms": y}; of the last two
keys either may be missing. Other lines and keys are ignored.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROUNDS = int(os.environ.get("PEERS_ROUNDS", "5"))
KEYS = {"us_per_step": "us/step", "step_ms": "ms/step", "eval_ms": "ms/evaluation"}


def run(command, **environment):
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            command,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
            cwd=scratch,
            stdout=subprocess.PIPE,
            text=True,
        )
    if done.returncode != 0:
        sys.exit(f"{Path(command[-1]).name} failed with status {done.returncode}")
    for line in done.stdout.splitlines():
        if line.lstrip().startswith("{"):
            yield json.loads(line)


def collect(table, lines):
    for line in lines:
        problem = str(line.get("case", "")).split()[0:1]
        if problem not in (["A1"], ["n_four_bar"]):
            continue
        for key in KEYS:
            if isinstance(line.get(key), (int, float)):
                row = (problem[0], line.get("n"), line["case"], key)
                table.setdefault(row, []).append(line[key])


def label(problem, n):
    return problem if n is None else f"{problem} N={n}"


def main():
    ours_path = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    have_ours = ours_path is not None and ours_path.is_file()
    peers, ours = {}, {}
    for _ in range(ROUNDS):
        slider_crank = [sys.executable, str(HERE / "exudyn_slider_crank.py")]
        collect(peers, run(slider_crank, EXUDYN_MODULE="default"))
        collect(peers, run(slider_crank, EXUDYN_MODULE="fast"))
        collect(peers, run([sys.executable, str(HERE / "mujoco_four_bar.py")]))
        if have_ours:
            collect(ours, run([str(ours_path)]))

    rows = [("problem", "program", "unit", "smallest", "largest", "ratio")]
    for (problem, n, case, key), values in sorted(ours.items(), key=lambda kv: str(kv[0])):
        name = case.removeprefix(problem).strip(" ,")
        rows.append(
            (
                label(problem, n),
                f"Delassus {name}".strip(),
                KEYS[key],
                f"{min(values):.4g}",
                f"{max(values):.4g}",
                "1",
            )
        )
    for (problem, n, case, key), values in peers.items():
        ratios = []
        for (our_problem, our_n, our_case, our_key), our_values in ours.items():
            if (our_problem, our_n, our_key) == (problem, n, key) and min(our_values) > 0:
                ratio = f"{min(values) / min(our_values):.2f}"
                paired = [a / b for a, b in zip(values, our_values) if b > 0]
                if len(paired) > 1:
                    ratio += f" [{min(paired):.2f}, {max(paired):.2f}]"
                name = our_case.removeprefix(our_problem).strip(" ,")
                ratios.append(f"{ratio} ({name})" if name else ratio)
        rows.append(
            (
                label(problem, n),
                case.removeprefix(problem).strip(" ,"),
                KEYS[key],
                f"{min(values):.4g}",
                f"{max(values):.4g}",
                ", ".join(ratios) or "-",
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for i, row in enumerate(rows):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
        if i == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print(f"\nCPU time, rounds: {ROUNDS}, all in one run. Ratio = peer / Delassus, smallest values [per round].")
    if not have_ours:
        print("peers_delassus is missing or was not built: peers only, no ratios.")


if __name__ == "__main__":
    main()
