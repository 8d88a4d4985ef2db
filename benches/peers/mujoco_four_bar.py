"""N-four-bar in MuJoCo: CPU time per step and per evaluation.

The problem. N parallelogram windows in a row: N + 1 vertical bars hinged to
the ground at (0,0), (1,0), ..., and N horizontal bars on top, every bar 1 m
long, 1 kg, uniform (central inertia 1/12 kg m^2). Gravity 9.81 m/s^2 downward.
At the start the vertical bars are upright and their tops move with 1 m/s in
+x. With phi the angle from the upright the motion is that of one degree of freedom,
(N + (N+1)/3) phi'' = (N + (N+1)/2) g sin(phi).

The model. Plane x-z, hinges about y. Vertical bars are children of the world,
horizontal bar i is a child of vertical bar i and is closed onto the top of bar
i + 1 by a `connect` equality. MuJoCo has no planar connect, so each closure has
three rows, one of them (y) empty. No geometry, hence no contact. Solver,
integrator and constraint softness are MuJoCo's defaults; the step is 1 ms.

Prints one JSON line per case: step_ms is one mj_step (evaluation and
integration), eval_ms one mj_forward (accelerations and constraint forces) at
the state reached. CPU time, the smallest of several runs.
"""

import json
import math
import os
import sys
import time

import mujoco
import numpy as np

STEP = 1e-3
GRAVITY = 9.81
CHECK_TIME = 0.4  # before the bars are horizontal for the first time
REPEATS = int(os.environ.get("PEERS_REPEATS", "3"))


def reference(n, duration, step=1e-3):
    """phi at the end, by RK4 on the reduced equation."""
    factor = GRAVITY * (n + (n + 1) / 2) / (n + (n + 1) / 3)
    phi, rate = 0.0, 1.0
    for _ in range(round(duration / step)):
        a1 = factor * math.sin(phi)
        a2 = factor * math.sin(phi + step / 2 * rate)
        a3 = factor * math.sin(phi + step / 2 * (rate + step / 2 * a1))
        a4 = factor * math.sin(phi + step * (rate + step / 2 * a2))
        phi += step * rate + step * step / 6 * (a1 + a2 + a3)
        rate += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return phi


def mjcf(n, jacobian):
    inertia = 1 / 12
    # The third moment does not matter in the plane; MuJoCo wants it positive.
    vertical = f'<inertial pos="0 0 0.5" mass="1" diaginertia="{inertia} {inertia} 0.001"/>'
    horizontal = f'<inertial pos="0.5 0 0" mass="1" diaginertia="0.001 {inertia} {inertia}"/>'
    hinge = '<joint name="{}" type="hinge" axis="0 1 0"/>'
    bodies, closures = [], []
    for i in range(n + 1):
        top = ""
        if i < n:
            top = f'<body name="h{i}" pos="0 0 1">{hinge.format(f"jh{i}")}{horizontal}</body>'
            closures.append(f'<connect body1="h{i}" body2="v{i + 1}" anchor="1 0 0"/>')
        bodies.append(
            f'<body name="v{i}" pos="{i} 0 0">{hinge.format(f"jv{i}")}{vertical}{top}</body>'
        )
    return (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 -{GRAVITY}" jacobian="{jacobian}"/>'
        f"<worldbody>{''.join(bodies)}</worldbody>"
        f"<equality>{''.join(closures)}</equality></mujoco>"
    )


def start(model, n):
    data = mujoco.MjData(model)
    for i in range(n + 1):
        data.qvel[model.joint(f"jv{i}").dofadr[0]] = 1.0
    for i in range(n):
        data.qvel[model.joint(f"jh{i}").dofadr[0]] = -1.0  # stays horizontal
    return data


def main():
    for n in (20, 100):
        exact = reference(n, CHECK_TIME)
        steps = round(CHECK_TIME / STEP)
        for jacobian in ("auto", "dense", "sparse"):
            model = mujoco.MjModel.from_xml_string(mjcf(n, jacobian))
            step_s, eval_s = [], []
            for _ in range(REPEATS):
                data = start(model, n)
                begin = time.process_time()
                mujoco.mj_step(model, data, nstep=steps)
                step_s.append((time.process_time() - begin) / steps)
                error = abs(data.qpos[model.joint("jv0").qposadr[0]] - exact)
                evals = 200 if n < 50 else 50
                begin = time.process_time()
                for _ in range(evals):
                    mujoco.mj_forward(model, data)
                eval_s.append((time.process_time() - begin) / evals)
            gap = float(np.abs(data.efc_pos[: data.nefc]).max())
            if error > 1e-2 or gap > 1e-2:
                sys.exit(f"wrong result for N = {n}: {error} rad, loop gap {gap} m")
            kind = jacobian
            if jacobian == "auto":
                kind = "default = " + ("sparse" if mujoco.mj_isSparse(model) else "dense")
            print(
                json.dumps(
                    {
                        "case": f"n_four_bar MuJoCo {mujoco.__version__}, {kind} Jacobian",
                        "n": n,
                        "step_ms": min(step_s) * 1e3,
                        "eval_ms": min(eval_s) * 1e3,
                        "dof": model.nv,
                        "rows": data.nefc,
                        "iterations": int(data.solver_niter[0]),
                        "error": error,
                        "gap": gap,
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
