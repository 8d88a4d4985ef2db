"""MuJoCo on the scene of spheres.sh: `mujoco_spheres.py SCENE FRAMES [default|stiff [LIMIT]]`.

One thread. MuJoCo has no coefficient of restitution: contacts are springs and dampers, by default with a
time constant of 20 ms; `stiff` takes twice the step, the least it allows. The friction cone is the elliptic
one, the solver Newton's (MuJoCo's default). Positions after every step go to FRAMES, one line of JSON to
standard output. Only `mj_step` is timed. After LIMIT CPU seconds the run ends.
"""

import json
import sys
import time

import mujoco
import numpy as np
from scene import read


def main():
    scene, spheres = read(sys.argv[1])
    stiff = len(sys.argv) > 3 and sys.argv[3] == "stiff"
    half, radius = scene["half_width"], scene["radius"]
    constant = 2 * scene["step"] if stiff else 0.02
    contact = f'friction="{scene["friction"]} 0 0" condim="3" solref="{constant} 1"'
    walls = [
        ((0, 0, 0), (0, 0, 1)),
        ((-half, 0, 0), (1, 0, 0)),
        ((half, 0, 0), (-1, 0, 0)),
        ((0, -half, 0), (0, 1, 0)),
        ((0, half, 0), (0, -1, 0)),
    ]
    text = [
        f'<mujoco><option timestep="{scene["step"]}" gravity="0 0 {-scene["gravity"]}" cone="elliptic"/>'
        '<size memory="1G"/><worldbody>'
    ]
    for at, normal in walls:
        text.append(
            f'<geom type="plane" size="0 0 1" pos="{at[0]} {at[1]} {at[2]}" '
            f'zaxis="{normal[0]} {normal[1]} {normal[2]}" {contact}/>'
        )
    for x in spheres:
        text.append(
            f'<body pos="{x[0]:.17g} {x[1]:.17g} {x[2]:.17g}"><freejoint/>'
            f'<geom type="sphere" size="{radius}" density="{scene["density"]}" {contact}/></body>'
        )
    text.append("</worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_string("".join(text))
    data = mujoco.MjData(model)
    steps = int(scene["steps"])
    own = everyone = 0.0
    iterations = contacts = 0
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else float("inf")
    done = 0
    with open(sys.argv[2], "wb") as frames:
        for _ in range(steps):
            a, b = time.thread_time(), time.process_time()
            mujoco.mj_step(model, data)
            own += time.thread_time() - a
            everyone += time.process_time() - b
            iterations += int(data.solver_niter.sum())
            contacts = max(contacts, data.ncon)
            data.qpos.reshape(-1, 7)[:, :3].astype("<f8").tofile(frames)
            done += 1
            if own > limit:
                break
    mujoco.mj_energyVel(model, data)
    print(
        json.dumps(
            {
                "program": f"MuJoCo {mujoco.__version__}",
                "note": "stiff contacts" if stiff else "default contacts",
                "cpu_s": own,
                "process_cpu_s": everyone,
                "steps": done,
                "kinetic_j": float(data.energy[1]),
                "iterations_per_step": iterations / done,
                "contacts": contacts,
            }
        )
    )


main()
