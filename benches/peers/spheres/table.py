"""The table of spheres.sh: `table.py SCENE FOLDER`.

Penetrations are measured here, for all programs alike, from the positions that they wrote after every
step: the worst depth of all steps, and the mean of the depths of all overlaps (of spheres and walls) in the
second half of the run.
"""

import json
import pathlib
import sys

import numpy as np


def read(path):
    values, n = {}, 0
    for line in open(path, encoding="ascii"):
        key, *rest = line.split()
        if key == "sphere":
            n += 1
        else:
            values[key] = float(rest[0])
    return values, n


def depths(x, radius, half):
    """Depths of all overlaps of one frame, m."""
    square = (x * x).sum(axis=1)
    # rounding of this form is far below the margin; depths come from the differences themselves
    near = square[:, None] + square[None, :] - 2 * x @ x.T < (2 * radius) ** 2 * (1 + 1e-6)
    i, j = np.nonzero(np.triu(near, 1))
    pairs = 2 * radius - np.sqrt(((x[i] - x[j]) ** 2).sum(axis=1))
    walls = np.concatenate(
        [
            radius - x[:, 2],
            radius - half - x[:, 0],
            radius - half + x[:, 0],
            radius - half - x[:, 1],
            radius - half + x[:, 1],
        ]
    )
    d = np.concatenate([pairs, walls])
    return d[d > 0]


def main():
    scene, n = read(sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    rows = []
    for path in sorted(folder.glob("*.json")):
        r = json.loads(path.read_text())
        frames = path.with_suffix(".frames")
        if not frames.exists():
            continue
        x = np.fromfile(frames, "<f8").reshape(-1, n, 3)
        worst, total, count = 0.0, 0.0, 0
        for k, frame in enumerate(x):
            d = depths(frame, scene["radius"], scene["half_width"])
            worst = max(worst, d.max(initial=0.0))
            if 2 * k >= len(x):
                total, count = total + d.sum(), count + len(d)
        steps = len(x)
        rows.append((r["cpu_s"] / steps, r, steps, worst, total / max(count, 1)))
    print(f"{n} spheres, {scene['step'] * 1e3:g} ms, e = {scene['restitution']}, mu = {scene['friction']}")
    print()
    print("| program | settings | steps | CPU ms/step | steps per CPU s | worst depth, m | mean depth, m | kinetic energy at the end, J | residual |")
    print("|---|---|---|---|---|---|---|---|---|")
    for cost, r, steps, worst, mean in sorted(rows, key=lambda row: row[0]):
        residual = f"{r['residual']:.1e}" if "residual" in r else "–"
        more = r.get("process_cpu_s", r["cpu_s"]) > 1.05 * r["cpu_s"]
        note = r["note"] + (", several threads" if more else "")
        print(
            f"| {r['program']} | {note} | {steps} | {1e3 * cost:.2f} | {1 / cost:.1f} | {worst:.1e} | {mean:.1e} "
            f"| {r['kinetic_j']:.1e} | {residual} |"
        )


main()
