"""Falling ball E1 in Exudyn: a contact object with the exponent 3/2, against the reference.

The problem. A ball of 1 kg falls 1 m onto the ground, which pushes back with F = K d^1.5, K = 1e8 N/m^1.5 (`hertz`), or with
the losses of Hunt and Crossley for a restitution of 0.9. Its horizontal speed, which a contact without friction leaves as it is,
is left out here. What counts is the height that it comes back to, from its place and speed at 0.6 s: 1 m without losses. With
them the reference is one equation, integrated here with steps of 20 ns.

Model. One node on the vertical axis and an ObjectContactCoordinate, which has stiffness, exponent and impact model. Generalized-alpha with
spectral radius 1, fixed steps of 1e-4 to 1e-6 s, and adaptive steps as Exudyn has them (by its discontinuous iteration). One thread,
no files, no sensors. Time is CPU time of SolveDynamic, the smallest of several runs.

Prints one JSON line per case.
"""

import json
import math
import os
import time

import exudyn as exu
from exudyn.itemInterface import (
    LoadCoordinate,
    MarkerNodeCoordinate,
    NodeGenericData,
    NodePoint,
    NodePointGround,
    ObjectContactCoordinate,
    ObjectMassPoint,
)

GRAVITY = 9.81
STIFFNESS = 1e8
END = 0.6
REPEATS = int(os.environ.get("PEERS_REPEATS", "3"))


def reference(ce, step=2e-8):
    """Height after the bounce, by RK4 on the one equation of the ball while it touches."""
    a = 1.5 * (1 - ce)
    speed = math.sqrt(2 * GRAVITY)

    def rate(depth, u):
        push = STIFFNESS * max(depth, 0.0) ** 1.5 * (1 + a * u / speed)
        return GRAVITY - push

    depth, u = 0.0, speed
    while True:
        k1 = rate(depth, u)
        k2 = rate(depth + step / 2 * u, u + step / 2 * k1)
        k3 = rate(depth + step / 2 * (u + step / 2 * k1), u + step / 2 * k2)
        k4 = rate(depth + step * (u + step / 2 * k2), u + step * k3)
        depth += step * u + step * step / 6 * (k1 + k2 + k3)
        u += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if depth <= 0:
            # free from here on, so that the height is the same wherever this is
            return -depth + u * u / (2 * GRAVITY)


def solve(ce, step, adaptive):
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddNode(NodePointGround())
    node = mbs.AddNode(NodePoint(referenceCoordinates=[0, 1, 0]))
    mbs.AddObject(ObjectMassPoint(mass=1, nodeNumber=node))
    below = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=ground, coordinate=1))
    ball = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
    mbs.AddLoad(LoadCoordinate(markerNumber=ball, load=-GRAVITY))
    losses = ce < 1
    data = mbs.AddNode(
        NodeGenericData(
            numberOfDataCoordinates=2 if losses else 1,
            initialCoordinates=[1, 0] if losses else [1],
        )
    )
    mbs.AddObject(
        ObjectContactCoordinate(
            markerNumbers=[below, ball],
            nodeNumber=data,
            contactStiffness=STIFFNESS,
            contactStiffnessExponent=1.5,
            restitutionCoefficient=ce,
            impactModel=1 if losses else 0,
            # coordinates are displacements from the reference, 1 m above the ground
            offset=-1,
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    ti = settings.timeIntegration
    ti.endTime = END
    ti.numberOfSteps = round(END / step)
    ti.adaptiveStep = adaptive
    # with fixed steps the solver gives up where a contact asks for a shorter one
    ti.discontinuous.useRecommendedStepSize = adaptive
    ti.discontinuous.maxIterations = 10
    ti.minimumStepSize = 1e-12
    ti.verboseMode = 0
    ti.verboseModeFile = 0
    ti.generalizedAlpha.spectralRadius = 1
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.parallel.numberOfThreads = 1
    begin = time.process_time()
    try:
        ok = mbs.SolveDynamic(settings)
    except exu.SolverError:
        ok = False
    cpu = time.process_time() - begin
    y = 1 + mbs.GetNodeOutput(node, exu.OutputVariableType.Displacement)[1]
    v = mbs.GetNodeOutput(node, exu.OutputVariableType.Velocity)[1]
    steps = mbs.sys["dynamicSolver"].it.currentStepIndex
    return ok, cpu, y + v * v / (2 * GRAVITY), steps


def main():
    for ce in (1.0, 0.9):
        wanted = reference(ce)
        for step, adaptive in ((1e-3, True), (1e-4, False), (1e-5, False), (1e-6, False)):
            runs = [solve(ce, step, adaptive) for _ in range(REPEATS)]
            ok, _, height, steps = runs[0]
            print(
                json.dumps(
                    {
                        "case": f"E1 Exudyn {exu.__version__}, ce {ce}, step {step}{' adaptive' if adaptive else ''}",
                        "ok": bool(ok),
                        "height": height,
                        "wanted": wanted,
                        "error": height - wanted,
                        "steps": steps,
                        "cpu_ms": 1e3 * min(r[1] for r in runs),
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
