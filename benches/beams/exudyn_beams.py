"""The beams of run.py in Exudyn: error and CPU time of a step of its generalized-alpha solver.

    exudyn_beams.py CASE N STEP [STEP ...]      one JSON line for each step

CASE: `planar-exact`, `planar-cable`, `spatial-exact` with N elements, or `modal` with N modes of the matrices in FOLDER. The
models are described in run.py, whose numbers come as JSON. Fixed steps, one thread, no files, no display. Newton's method
(full, modified) and the linear solver (dense, sparse) are tried in all combinations once, and the cheapest that ends serves
for the rest. In space Newton's method ends with a relative residual of 1e-4, as it does not get to 1e-5. The time is CPU time of SolveDynamic as a whole, the smallest of a few runs. The tip is told at ten times.
"""

import argparse
import json
import sys
import time

sys.exudynFast = True  # module without range checks

import exudyn as exu
import numpy as np
from exudyn.beams import GenerateBeamElementsAlongLine
from exudyn.itemInterface import (
    Force,
    GenericJoint,
    MarkerBodyPosition,
    MarkerBodyRigid,
    MarkerNodePosition,
    MarkerNodeRigid,
    MarkerSuperElementPosition,
    NodeRigidBodyRotVecLG,
    ObjectANCFCable2D,
    ObjectBeamGeometricallyExact,
    ObjectBeamGeometricallyExact2D,
    ObjectGround,
    SensorNode,
    SensorSuperElement,
    SphericalJoint,
)


def watch(mbs, kind, **of):
    """A sensor of the position of the tip."""
    return mbs.AddSensor(kind(storeInternal=True, outputVariableType=exu.OutputVariableType.Position, **of))


def planar(mbs, kind, n, x):
    """A pendulum that falls from the horizontal; the cable can neither shear nor turn its sections."""
    own = {"massPerLength": x["mass"], "bendingStiffness": x["EI"][0], "axialStiffness": x["EA"]}
    if kind == "cable":
        template, held = ObjectANCFCable2D(**own), [True, True, False, False]
    else:
        template = ObjectBeamGeometricallyExact2D(
            nodeNumbers=[0, 0], shearStiffness=x["GA"], crossSectionInertia=x["inertia"][1], **own
        )
        held = [True, True, False]
    beam = GenerateBeamElementsAlongLine(
        mbs, [0, 0, 0], [x["L"], 0, 0], n, template, gravity=[0, -x["g"], 0], groundConstraintsStart=held
    )
    end = beam["nodes"][-1] if isinstance(beam, dict) else beam[0][-1]
    return watch(mbs, SensorNode, nodeNumber=end)


def spatial(mbs, n, x):
    """A cantilever with a dead load at its tip that is there from the start."""
    section = exu.BeamSection()
    section.massPerLength = x["mass"]
    section.inertia = np.diag(x["inertia"])
    section.stiffnessMatrix = np.diag([x["EA"], x["GA"], x["GA"], x["GJ"], *x["EI"]])
    nodes = [
        mbs.AddNode(NodeRigidBodyRotVecLG(referenceCoordinates=[x["L"] * k / n, 0, 0, 0, 0, 0])) for k in range(n + 1)
    ]
    for a, b in zip(nodes, nodes[1:]):
        mbs.AddObject(ObjectBeamGeometricallyExact(nodeNumbers=[a, b], length=x["L"] / n, sectionData=section))
    ground = mbs.AddMarker(MarkerBodyRigid(bodyNumber=mbs.AddObject(ObjectGround())))
    clamp = mbs.AddMarker(MarkerNodeRigid(nodeNumber=nodes[0]))
    mbs.AddObject(GenericJoint(markerNumbers=[ground, clamp]))
    tip = mbs.AddMarker(MarkerNodePosition(nodeNumber=nodes[-1]))
    mbs.AddLoad(Force(markerNumber=tip, loadVector=x["load"]))
    return watch(mbs, SensorNode, nodeNumber=nodes[-1])


def modal(mbs, folder, n, x):
    """A bar of solid elements that hangs by one node and falls, in its floating frame with free modes."""
    from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface
    from scipy.io import mmread

    fem = FEMinterface()
    with open(folder + "/nodes.csv") as lines:
        rows = [line.strip().split(",") for line in lines if not line.startswith("name")]
    names = [row[0].strip() for row in rows]
    fem.nodes = {"Position": np.array([[float(c) for c in row[1:4]] for row in rows])}
    fem.massMatrix = mmread(folder + "/mass.mtx").tocsr()
    fem.stiffnessMatrix = mmread(folder + "/stiffness.mtx").tocsr()
    fem.ComputeEigenmodes(n, excludeRigidBodyModes=6, useSparseSolver=False)
    reduced = ObjectFFRFreducedOrderInterface(fem)
    added = reduced.AddObjectFFRFreducedOrder(mbs, gravity=[0, 0, -x["g"]], initialAngularVelocity=x["turning"])
    body = added["oFFRFreducedOrder"]
    ground = mbs.AddMarker(MarkerBodyPosition(bodyNumber=mbs.AddObject(ObjectGround())))
    pin = MarkerSuperElementPosition(bodyNumber=body, meshNodeNumbers=[names.index("pin")], weightingFactors=[1])
    mbs.AddObject(SphericalJoint(markerNumbers=[ground, mbs.AddMarker(pin)]))
    return watch(mbs, SensorSuperElement, bodyNumber=body, meshNodeNumber=names.index("tip"))


def build(case, n, x):
    mbs = exu.SystemContainer().AddSystem()
    if case[0] == "modal":
        tip = modal(mbs, case[1], n, x)
    elif case[0] == "spatial-exact":
        tip = spatial(mbs, n, x)
    else:
        tip = planar(mbs, case[0].split("-")[1], n, x)
    mbs.Assemble()
    return mbs, tip


def settings(case, step, end, modified, sparse):
    s = exu.SimulationSettings()
    s.timeIntegration.endTime = end
    s.timeIntegration.numberOfSteps = round(end / step)
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    s.timeIntegration.newton.useModifiedNewton = modified
    s.timeIntegration.verboseMode = 0
    s.solution.file.write = False
    s.solution.sensors.writePeriod = 0.1
    if case == "spatial-exact":
        s.timeIntegration.newton.relativeTolerance = 1e-4
    s.timeIntegration.adaptiveStep = False
    s.parallel.numberOfThreads = 1
    if sparse:
        s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    return s


def once(case, n, x, step, how):
    """CPU seconds and place of the tip at the end, or nothing where it does not converge."""
    mbs, tip = build(case, n, x)
    s = settings(case[0], step, x["end"], *how)
    begin = time.process_time()
    try:
        if not mbs.SolveDynamic(s):
            return None
    except (RuntimeError, ValueError):
        return None
    cpu = time.process_time() - begin
    return cpu, [[float(v) for v in row[1:4]] for row in mbs.GetSensorStoredData(tip)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("n", type=int)
    parser.add_argument("steps", nargs="+", type=float)
    parser.add_argument("--folder")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--numbers", required=True, type=json.loads)
    options = parser.parse_args()
    case = (options.case, options.folder)
    ways = [(m, s) for m in (False, True) for s in (False, True)]
    best = None
    for step in options.steps:
        if best is None:
            tried = {way: once(case, options.n, options.numbers, step, way) for way in ways}
            tried = {way: of for way, of in tried.items() if of}
            best = min(tried, key=lambda way: tried[way][0]) if tried else None
        runs = [once(case, options.n, options.numbers, step, best) for _ in range(options.repeats)] if best else [None]
        line = {"step": step, "way": best and ("modified" if best[0] else "full") + (", sparse" if best[1] else ", dense")}
        if None not in runs:
            line |= {"cpu": min(r[0] for r in runs), "tip": runs[0][1]}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
