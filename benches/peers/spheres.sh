#!/bin/bash
# 1 000 spheres fall into a box, 1 s at 1 ms: Delassus, Rapier (f64), MuJoCo and Siconos one after the
# other in one run, with the same positions and material. See README.md.
#
# Rapier is a Cargo package of its own in spheres/ (outside the workspace, version pinned). MuJoCo comes
# with pip into target/peers-venv, version as in requirements.txt. Siconos is Debian's: taken from the
# system if python3-siconos is installed, otherwise its packages are downloaded with apt-get and unpacked
# below target/, without installing anything (PEERS_NO_APT=1 forbids that). What cannot be had is left out
# with a message.
#
# SPHERES_SIDE (10): spheres along an edge. SPHERES_LIMIT (600): CPU seconds after which MuJoCo and Siconos are
# stopped; the table then says how many steps they made. PEERS_PYTHON, PEERS_SKIP_BUILD=1.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
root=$PWD
target=${CARGO_TARGET_DIR:-target}
out=$root/target/peers-spheres
debs=$root/target/peers-debs
limit=${SPHERES_LIMIT:-600}
side=${SPHERES_SIDE:-10}
mkdir -p "$out" "$debs"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

venv=target/peers-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PEERS_PYTHON:-python3}" -m venv "$venv"
fi
python=$root/$venv/bin/python
"$python" -m pip install --quiet --disable-pip-version-check numpy==2.4.6 mujoco==4.0.0 ||
    echo "MuJoCo cannot be had here" >&2

if [ "${PEERS_SKIP_BUILD:-0}" != 1 ]; then
    cargo build --release -p delassus --example spheres
    cargo build --release --locked --manifest-path benches/peers/spheres/Cargo.toml --target-dir "$out/build"
fi

scene=$out/scene.txt
"$python" benches/peers/spheres/scene.py "$scene" "$side"
rm -f "$out"/*.json "$out"/*.frames

# run NAME COMMAND...: its line of JSON, or a message.
run() {
    name=$1
    shift
    echo "$name ..." >&2
    "$@" >"$out/$name.json" || { echo "$name failed: left out" >&2; rm -f "$out/$name.json"; }
}

run delassus "$target/release/examples/spheres" "$scene" "$out/delassus.frames"
run rapier "$out/build/release/spheres-rapier" "$scene" "$out/rapier.frames" 0.04
run rapier-default "$out/build/release/spheres-rapier" "$scene" "$out/rapier-default.frames" 1

if "$python" -c 'import mujoco' 2>/dev/null; then
    run mujoco "$python" benches/peers/spheres/mujoco_spheres.py "$scene" "$out/mujoco.frames" default "$limit"
    run mujoco-stiff "$python" benches/peers/spheres/mujoco_spheres.py "$scene" "$out/mujoco-stiff.frames" stiff "$limit"
fi

# Siconos: the one of the system, or unpacked.
siconos() { /usr/bin/python3 "$@"; }
unpacked() {
    lib=$debs/root/usr/lib/$(gcc -dumpmachine 2>/dev/null || echo x86_64-linux-gnu)
    LD_LIBRARY_PATH=$lib:$lib/openblas-pthread:$lib/scotch-int32 \
        PYTHONPATH=$debs/root/usr/lib/python3/dist-packages /usr/bin/python3 "$@"
}
packages="python3-siconos python3-numpy libsiconos-io7 libsiconos-mechanics7 libsiconos-control7
    libsiconos-kernel7 libsiconos-numerics7 libboost-serialization1.74.0 libbullet3.24 libcxsparse3
    libgfortran5 libopenblas0-pthread libtmglib3 liblapacke libldl2 libscotch-7.0 libmumps-seq-5.5"
if ! siconos -c 'import siconos.kernel' 2>/dev/null; then
    if [ ! -e "$debs/siconos.done" ] && [ "${PEERS_NO_APT:-0}" != 1 ] && command -v apt-get >/dev/null; then
        # shellcheck disable=SC2086
        (cd "$debs" && apt-get download -q $packages >/dev/null 2>&1 &&
            for p in $packages; do dpkg-deb -x "$p"_*.deb root; done && touch siconos.done) || true
    fi
    siconos() { unpacked "$@"; }
fi
if siconos -c 'import siconos.kernel' 2>/dev/null; then
    run siconos siconos benches/peers/spheres/siconos_spheres.py "$scene" "$out/siconos.frames" 1e-3 "$limit"
else
    echo "Siconos (python3-siconos) cannot be had here: left out" >&2
fi

"$python" benches/peers/spheres/table.py "$scene" "$out"
