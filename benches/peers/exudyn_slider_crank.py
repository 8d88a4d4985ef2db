"""Slider-crank A1 in Exudyn: CPU time per step of its generalized-alpha solver.

The problem. Planar slider-crank, gravity 9.81 m/s^2 along -y. The crank is a
uniform rod of 1 m and 1 kg (central inertia 1/12 kg m^2) hinged to the ground
at the origin; the connecting rod is another one, hinged to the crank tip. Its
far end Q slides without friction along the x axis; the slider itself has no
mass. theta1 is the crank angle from +x. At the start theta1 = pi/4, Q lies at
x > 0 and theta1' = 2 sqrt(2), so that Q moves with -4 m/s. Duration 10 s. With
equal lengths the mechanism is theta2 = -theta1; the constraint Jacobian loses
rank at every theta1 = pi/2 + k pi, and the motion runs straight through.

Settings. Index-3 generalized-alpha, spectral radius 0.8, fixed step 1 ms, one
thread, no solution file, no sensors, no display, Newton tolerances as shipped.

Models. Both use absolute coordinates and RevoluteJoint2D.
  com  reference points at the mass centres; Q held by a PrismaticJoint2D that
       leaves the rotation free (constant mass matrix).
  end  the rod's reference point is Q itself, held by one CoordinateConstraint.
       With full Newton the cheapest of four models tried; the others: `com`, a
       separate massless slider point, and coordinate constraints at the crank
       pivot as well.

Prints one JSON line per case. Time is CPU time of SolveDynamic as a whole,
divided by the number of steps; the smallest of several runs.
"""

import json
import math
import os
import sys
import time

if os.environ.get("EXUDYN_MODULE", "").lower() == "fast":
    sys.exudynFast = True  # module without range checks, with AVX2

import exudyn as exu
from exudyn.itemInterface import (
    CoordinateConstraint,
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    NodePointGround,
    NodeRigidBody2D,
    ObjectGround,
    ObjectRigidBody2D,
    PrismaticJoint2D,
    RevoluteJoint2D,
)

THETA0 = math.pi / 4
OMEGA0 = 2 * math.sqrt(2)
STEP = 1e-3
GRAVITY = 9.81
REPEATS = int(os.environ.get("PEERS_REPEATS", "3"))


def reference(duration, step=2e-4):
    """theta1 at the end, by RK4 on the reduced equation.

    T = 1/2 M(theta) theta'^2 with M = 1/3 + 1/12 + (9 sin^2 + cos^2)/4 and
    V = g sin(theta).
    """

    def acc(theta, omega):
        s, c = math.sin(theta), math.cos(theta)
        mass = 1 / 3 + 1 / 12 + (9 * s * s + c * c) / 4
        return -(2 * s * c * omega * omega + GRAVITY * c) / mass

    theta, omega = THETA0, OMEGA0
    for _ in range(round(duration / step)):
        a1 = acc(theta, omega)
        a2 = acc(theta + step / 2 * omega, omega + step / 2 * a1)
        a3 = acc(theta + step / 2 * (omega + step / 2 * a1), omega + step / 2 * a2)
        a4 = acc(theta + step * (omega + step / 2 * a2), omega + step * a3)
        theta += step * omega + step * step / 6 * (a1 + a2 + a3)
        omega += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return theta


def build(model):
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    c, s, w = math.cos(THETA0), math.sin(THETA0), OMEGA0
    ground = mbs.AddObject(ObjectGround())

    def body(position, angle, velocity, rate, centre):
        node = mbs.AddNode(
            NodeRigidBody2D(
                referenceCoordinates=[*position, angle],
                initialVelocities=[*velocity, rate],
            )
        )
        # Exudyn wants the inertia about the reference point.
        obj = mbs.AddObject(
            ObjectRigidBody2D(
                mass=1,
                inertia=1 / 12 + centre * centre,
                centerOfMass=[centre, 0],
                nodeNumber=node,
            )
        )
        mbs.AddLoad(
            LoadMassProportional(
                markerNumber=mbs.AddMarker(MarkerBodyMass(bodyNumber=obj)),
                loadVector=[0, -GRAVITY, 0],
            )
        )
        return node, obj

    def point(obj, x):
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=obj, localPosition=[x, 0, 0]))

    n1, crank = body((c / 2, s / 2), THETA0, (-s / 2 * w, c / 2 * w), w, 0.0)
    mbs.AddObject(RevoluteJoint2D(markerNumbers=[point(ground, 0), point(crank, -0.5)]))
    if model == "com":
        _, rod = body((1.5 * c, s / 2), -THETA0, (-1.5 * s * w, c / 2 * w), -w, 0.0)
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[point(crank, 0.5), point(rod, -0.5)]))
        end = mbs.AddMarker(MarkerBodyRigid(bodyNumber=rod, localPosition=[0.5, 0, 0]))
        base = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground))
        # The normal is that of the second marker, hence the order.
        mbs.AddObject(
            PrismaticJoint2D(
                markerNumbers=[end, base],
                normalMarker1=[0, 1, 0],
                constrainRotation=False,
            )
        )
    else:
        n2, rod = body((2 * c, 0), -THETA0, (-2 * s * w, 0), -w, -0.5)
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[point(crank, 0.5), point(rod, -1)]))
        zero = mbs.AddNode(NodePointGround())
        fixed = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=zero, coordinate=0))
        height = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=n2, coordinate=1))
        mbs.AddObject(CoordinateConstraint(markerNumbers=[fixed, height]))
    mbs.Assemble()
    return container, mbs, n1


def solve(model, duration, modified_newton):
    container, mbs, crank_node = build(model)
    settings = exu.SimulationSettings()
    ti = settings.timeIntegration
    ti.endTime = duration
    ti.numberOfSteps = round(duration / STEP)
    ti.adaptiveStep = False
    ti.verboseMode = 0
    ti.verboseModeFile = 0
    ti.generalizedAlpha.spectralRadius = 0.8
    ti.newton.useModifiedNewton = modified_newton
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.parallel.numberOfThreads = 1
    begin = time.process_time()
    ok = mbs.SolveDynamic(settings)
    cpu = time.process_time() - begin
    if not ok:
        raise RuntimeError("Exudyn did not reach the end")
    theta = THETA0 + mbs.GetNodeOutput(crank_node, exu.OutputVariableType.Coordinates)[2]
    iterations = mbs.sys["dynamicSolver"].it.newtonStepsCount
    del container
    return cpu / ti.numberOfSteps, theta, iterations / ti.numberOfSteps


def main():
    module = "fast" if any(name.endswith("exudynCPPfast") for name in sys.modules) else "default"
    exact = {duration: reference(duration) for duration in (1, 10)}
    for model in ("com", "end"):
        for modified in (True, False):
            error1 = abs(solve(model, 1, modified)[1] - exact[1])
            runs = [solve(model, 10, modified) for _ in range(REPEATS)]
            error10 = abs(runs[0][1] - exact[10])
            if error1 > 1e-4 or error10 > 2e-3:
                sys.exit(f"wrong result in model {model}: {error1} rad at 1 s, {error10} at 10 s")
            newton = "modified Newton" if modified else "full Newton"
            print(
                json.dumps(
                    {
                        "case": f"A1 Exudyn {exu.__version__}, {module} module, model {model}, {newton}",
                        "us_per_step": min(run[0] for run in runs) * 1e6,
                        "iterations": runs[0][2],
                        "error_1s": error1,
                        "error_10s": error10,
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
