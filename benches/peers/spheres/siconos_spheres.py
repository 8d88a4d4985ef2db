"""Siconos on the scene of spheres.sh: `siconos_spheres.py SCENE FRAMES RESIDUAL [LIMIT]`.

Time-stepping of Moreau and Jean (theta = 0.5) with Bullet for contact detection, NSGS on the sparse block
form, started from the last solution, as the mechanics module of Siconos sets it up. RESIDUAL is the
tolerance of NSGS, a Euclidean norm relative to that of the free velocities. Positions after every step
go to FRAMES, one line of JSON to standard output. A step is `computeOneStep` and `nextStep`. After LIMIT CPU
seconds the run ends; it then says how many steps it made.
"""

import json
import math
import sys
import time

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn
from scene import read
from siconos.mechanics.collision import (
    RigidBodyDS,
    SiconosContactor,
    SiconosContactorSet,
    SiconosPlane,
    SiconosSphere,
)
from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions


def main():
    scene, spheres = read(sys.argv[1])
    tolerance = float(sys.argv[3])
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else math.inf
    radius, half, h = scene["radius"], scene["half_width"], scene["step"]
    mass = 4 / 3 * math.pi * radius**3 * scene["density"]
    inertia = 0.4 * mass * radius**2
    steps = int(scene["steps"])

    options = SiconosBulletOptions()
    options.worldScale = 1.0 / radius  # Bullet likes bodies of the size of one
    options.contactBreakingThreshold = 0.1
    options.perturbationIterations = 0
    options.minimumPointsPerturbationThreshold = 0
    manager = SiconosBulletCollisionManager(options)
    manager.insertNonSmoothLaw(
        sk.NewtonImpactFrictionNSL(scene["restitution"], 0.0, scene["friction"], 3), 0, 0
    )
    system = sk.NonSmoothDynamicalSystem(0.0, (steps + 1) * h)

    # The normal of a plane is its z axis.
    turn = math.sqrt(0.5)
    walls = [
        ([0, 0, 0], [1, 0, 0, 0]),
        ([-half, 0, 0], [turn, 0, turn, 0]),
        ([half, 0, 0], [turn, 0, -turn, 0]),
        ([0, -half, 0], [turn, -turn, 0, 0]),
        ([0, half, 0], [turn, turn, 0, 0]),
    ]
    keep = []
    for at, q in walls:
        plane = SiconosPlane()
        contactors = SiconosContactorSet()
        contactors.append(SiconosContactor(plane))
        manager.insertStaticContactorSet(contactors, [float(x) for x in at + q])
        keep.append((plane, contactors))

    bodies = []
    for x in spheres:
        sphere = SiconosSphere(radius)
        sphere.setInsideMargin(0.0)
        sphere.setOutsideMargin(0.0)
        body = RigidBodyDS(x + [1.0, 0.0, 0.0, 0.0], [0.0] * 6, mass, np.eye(3) * inertia)
        body.setUseContactorInertia(False)
        body.setFExtPtr(np.array([0.0, 0.0, -mass * scene["gravity"]]))
        contactors = SiconosContactorSet()
        contactors.append(SiconosContactor(sphere))
        body.setContactors(contactors)
        system.insertDynamicalSystem(body)
        bodies.append(body)
        keep.append((sphere, contactors))

    integrator = sk.MoreauJeanOSI(0.5)
    solver = sk.solver_options_create(sn.SICONOS_FRICTION_3D_NSGS)
    solver.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 2000
    solver.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    problem = sk.FrictionContact(3, solver)
    problem.setMaxSize(100000)
    problem.setMStorageType(sn.NM_SPARSE_BLOCK)
    problem.setKeepLambdaAndYState(True)
    simulation = sk.TimeStepping(system, sk.TimeDiscretisation(0.0, h))
    simulation.insertIntegrator(integrator)
    simulation.insertNonSmoothProblem(problem)
    simulation.insertInteractionManager(manager)
    simulation.setNewtonOptions(sk.SICONOS_TS_LINEAR)
    simulation.setNewtonMaxIteration(1)

    own = everyone = 0.0
    iterations, residual, done, contacts = 0, 0.0, 0, 0
    with open(sys.argv[2], "wb") as frames:
        for _ in range(steps):
            a, b = time.thread_time(), time.process_time()
            simulation.computeOneStep()
            simulation.nextStep()
            own += time.thread_time() - a
            everyone += time.process_time() - b
            done += 1
            rows = problem.getSizeOutput()
            if rows > 0:
                used = problem.numericsSolverOptions()
                iterations += int(used.iparam[sn.SICONOS_IPARAM_ITER_DONE])
                residual = max(residual, float(used.dparam[sn.SICONOS_DPARAM_RESIDU]))
                contacts = max(contacts, rows // 3)
            np.array([x.q()[:3] for x in bodies]).astype("<f8").tofile(frames)
            if own > limit:
                break
    kinetic = 0.0
    for x in bodies:
        v = np.array(x.velocity())
        kinetic += 0.5 * mass * v[:3] @ v[:3] + 0.5 * inertia * v[3:] @ v[3:]
    print(
        json.dumps(
            {
                "program": "Siconos 4.4",
                "note": f"NSGS {tolerance:g}",
                "cpu_s": own,
                "process_cpu_s": everyone,
                "steps": done,
                "kinetic_j": float(kinetic),
                "residual": residual,
                "iterations_per_step": iterations / max(done, 1),
                "contacts": contacts,
            }
        )
    )


main()
