"""Slider-cranks A1 to A3 in Exudyn: every solver setting from coarse to fine steps.

Solvers: generalized-alpha on index 3 with several spectral radii, and the trapezoidal rule
on index 2 (TrapezoidalIndex2). Absolute coordinates, RevoluteJoint2D. The slider is a point
hinged to the rod's end, so its mass is added to the rod: exact, and one body and two
constraints fewer. Models as in `exudyn_slider_crank.py`: `com` has its reference points at
the mass centres, `end` has that of the rod at Q. The force
100 sin(pi t) is a symbolic user function, which Exudyn evaluates without Python.

The error comes from a run that records the coordinates every 10 ms, the time from runs of
SolveDynamic that record nothing. Steps divide 10 ms, so nothing is interpolated.
EXUDYN_MODULE=fast takes the module without range checks.
"""

import math
import os
import sys

if os.environ.get("EXUDYN_MODULE", "").lower() == "fast":
    sys.exudynFast = True

import exudyn as exu
import numpy as np
from cases import CASES, GRAVITY, cpu, eps_t, fixed, ladder
from exudyn.advancedUtilities import CreateSymbolicUserFunction
from exudyn.itemInterface import (
    CoordinateConstraint,
    Force,
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
    SensorNode,
)

MODULE = "fast" if getattr(sys, "exudynFast", False) else "default"
PROGRAM = f"Exudyn {exu.__version__}"


def push(mbs, t, load):
    return [100 * exu.symbolic.sin(math.pi * t), 0, 0]


def build(case, model):
    """The container, the system and its sensors for the crank angle and the rod."""
    d = CASES[case]
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    c, s, w = math.cos(d.theta), math.sin(d.theta), d.omega
    psi = -math.asin(d.L1 * s / d.L2)
    cp, sp = math.cos(psi), math.sin(psi)
    wp = -d.L1 * c * w / (d.L2 * cp)
    ground = mbs.AddObject(ObjectGround())
    sensors = []

    def body(mass, inertia, centre, position, angle, velocity, rate):
        node = mbs.AddNode(
            NodeRigidBody2D(
                referenceCoordinates=[*position, angle], initialVelocities=[*velocity, rate]
            )
        )
        obj = mbs.AddObject(
            ObjectRigidBody2D(
                mass=mass,
                inertia=inertia + mass * centre * centre,  # about the reference point
                centerOfMass=[centre, 0],
                nodeNumber=node,
            )
        )
        marker = mbs.AddMarker(MarkerBodyMass(bodyNumber=obj))
        mbs.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0, -GRAVITY, 0]))
        kind = exu.OutputVariableType.Coordinates
        sensors.append(
            mbs.AddSensor(SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kind))
        )
        return node, obj

    def point(obj, x):
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=obj, localPosition=[x, 0, 0]))

    l1, l2 = d.L1 / 2, d.L2 / 2
    tip, tip_v = (d.L1 * c, d.L1 * s), (-d.L1 * s * w, d.L1 * c * w)
    _, crank = body(
        d.m1, d.m1 * d.L1**2 / 12, 0, (l1 * c, l1 * s), d.theta, (-l1 * s * w, l1 * c * w), w
    )
    mbs.AddObject(RevoluteJoint2D(markerNumbers=[point(ground, 0), point(crank, -l1)]))

    # rod and slider together: mass, place of the mass centre from the crank tip, inertia
    mass = d.m2 + d.m3
    centre = (d.m2 * l2 + d.m3 * d.L2) / mass
    inertia = d.m2 * d.L2**2 / 12 + d.m2 * (centre - l2) ** 2 + d.m3 * (d.L2 - centre) ** 2
    at = centre if model == "com" else d.L2
    place = (tip[0] + at * cp, tip[1] + at * sp)
    speed = (tip_v[0] - at * sp * wp, tip_v[1] + at * cp * wp)
    node, rod = body(mass, inertia, centre - at, place, psi, speed, wp)
    mbs.AddObject(RevoluteJoint2D(markerNumbers=[point(crank, l1), point(rod, -at)]))
    if model == "com":
        end = mbs.AddMarker(MarkerBodyRigid(bodyNumber=rod, localPosition=[d.L2 - at, 0, 0]))
        base = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground))
        mbs.AddObject(
            PrismaticJoint2D(
                markerNumbers=[end, base], normalMarker1=[0, 1, 0], constrainRotation=False
            )
        )
    else:
        zero = mbs.AddNode(NodePointGround())
        fixed = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=zero, coordinate=0))
        height = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
        mbs.AddObject(CoordinateConstraint(markerNumbers=[fixed, height]))
    if d.force:
        load = mbs.AddLoad(Force(markerNumber=point(rod, d.L2 - at), loadVector=[1, 0, 0]))
        function = CreateSymbolicUserFunction(mbs, push, "loadVectorUserFunction", load)
        mbs.SetLoadParameter(load, "loadVectorUserFunction", function)
    mbs.Assemble()
    return container, mbs, sensors, at, psi


def solve(case, model, solver, radius, modified, per_sample, record):
    d = CASES[case]
    container, mbs, sensors, at, psi = build(case, model)
    settings = exu.SimulationSettings()
    ti = settings.timeIntegration
    ti.endTime = d.duration
    ti.numberOfSteps = round(d.duration * 100) * per_sample
    ti.adaptiveStep = False
    ti.verboseMode = 0
    ti.verboseModeFile = 0
    if radius is not None:
        ti.generalizedAlpha.spectralRadius = radius
    ti.newton.useModifiedNewton = modified
    settings.solution.file.write = False
    settings.solution.sensors.active = record
    settings.solution.sensors.writePeriod = 0.01
    settings.parallel.numberOfThreads = 1
    seconds, ok = cpu(lambda: mbs.SolveDynamic(settings, solverType=solver))
    if not ok:
        raise RuntimeError("did not reach the end")
    if not record:
        return seconds
    crank, rod = (np.asarray(mbs.GetSensorStoredData(s)) for s in sensors)
    offset = d.L2 - at
    angle = psi + rod[:, 3]
    start = d.L1 * math.cos(d.theta) + at * math.cos(psi)
    slider = start + rod[:, 1] + offset * np.cos(angle)
    del container
    return eps_t(case, d.theta + crank[:, 3], slider)


def main():
    exu.config.suppressWarnings = True
    exu.SetWriteToConsole(False)
    alpha = exu.DynamicSolverType.GeneralizedAlpha
    trapezoidal = exu.DynamicSolverType.TrapezoidalIndex2
    # Modified Newton was slower in every case with generalized-alpha.
    solvers = [(f"generalized-alpha, radius {r}", alpha, r, False) for r in (0.8, 0.95)]
    solvers += [("trapezoidal index 2", trapezoidal, None, False)]
    solvers += [("trapezoidal index 2, modified Newton", trapezoidal, None, True)]
    for case in ("A1", "A2", "A3"):
        for name, *solver in solvers:
            for model in ("com", "end"):

                def error(n):
                    return solve(case, model, *solver, n, True), CASES[case].duration * 100 * n

                def clock(n):
                    return solve(case, model, *solver, n, False)

                method = f"{name}, {model}, {MODULE} module"
                ladder(case, PROGRAM, method, fixed(), error, clock)


if __name__ == "__main__":
    main()
