"""Writes the scene of spheres.sh: `scene.py FILE [N]`, N^3 spheres above the floor of an open box.

The numbers are those of models/spheres_in_box.toml. One number or one sphere per line, so that every
program reads the very same positions.
"""

import math
import sys


def read(path):
    """Numbers by name, and the positions of the spheres."""
    values, spheres = {}, []
    for line in open(path, encoding="ascii"):
        key, *rest = line.split()
        if key == "sphere":
            spheres.append([float(x) for x in rest])
        else:
            values[key] = float(rest[0])
    return values, spheres


def main():
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    radius = 0.02
    pitch = 2.3 * radius
    values = {
        "radius": radius,
        "density": 2500.0,
        "restitution": 0.3,
        "friction": 0.3,
        "half_width": side * pitch / 2 + radius / 2,
        "gravity": 9.81,
        "step": 0.001,
        "steps": 1000,
    }
    with open(sys.argv[1], "w", encoding="ascii") as out:
        for key, value in values.items():
            print(key, repr(value), file=out)
        for i in range(1, side + 1):
            for j in range(1, side + 1):
                for k in range(1, side + 1):
                    x = (i - (side + 1) / 2) * pitch + 0.2 * radius * math.sin(5 * k)
                    y = (j - (side + 1) / 2) * pitch + 0.2 * radius * math.cos(7 * k)
                    print("sphere", repr(x), repr(y), repr(radius + k * pitch), file=out)


if __name__ == "__main__":
    main()
