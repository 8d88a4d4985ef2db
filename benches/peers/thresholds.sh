#!/bin/bash
# Time to each threshold of the slider-cranks A1 to A3 and of the car axis C1, every method of
# Delassus beside Exudyn, SUNDIALS IDA and Simbody, in one run. See README.md.
#
# Python packages go to target/peers-venv. SUNDIALS and Simbody for C++ are taken from the system
# if their headers are there; otherwise, on Debian and its kin, their packages are downloaded with
# apt-get and unpacked below target/, without installing anything. PEERS_NO_APT=1 forbids that;
# what is not there is left out with a message. Others: PEERS_ROUNDS (1), PEERS_REPEATS (3),
# PEERS_LIMIT (1, CPU seconds of a run), PEERS_PYTHON, PEERS_SKIP_BUILD=1, CXX.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
root=$PWD
target=${CARGO_TARGET_DIR:-target}
venv=target/peers-venv
out=target/peers-thresholds
debs=$root/target/peers-debs
mkdir -p "$out" "$debs"

if [ ! -x "$venv/bin/python" ]; then
    "${PEERS_PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -r benches/peers/requirements.txt

programs=()

# unpack STAMP PACKAGE...: Debian packages below $debs/root, once.
unpack() {
    stamp=$debs/$1.done
    shift
    [ -e "$stamp" ] && return 0
    [ "${PEERS_NO_APT:-0}" = 1 ] && return 1
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    (cd "$debs" && apt-get download -q "$@" >/dev/null 2>&1) || return 1
    for package in "$@"; do
        dpkg-deb -x "$debs/${package}"_*.deb "$debs/root" || return 1
    done
    touch "$stamp"
}

# cxx NAME SUBFOLDER LIBRARY...: compiles NAME.cpp and adds it to the programs.
cxx() {
    name=$1 include=$2
    shift 2
    flags=(-O3 -std=c++17 -Wno-deprecated-declarations "-I/usr/include/$include")
    lib=$debs/root/usr/lib/$(${CXX:-g++} -dumpmachine 2>/dev/null || echo none)
    if [ -d "$lib" ]; then
        flags+=("-I$debs/root/usr/include/$include" "-L$lib")
        for folder in "$lib" "$lib/lapack" "$lib/blas"; do
            flags+=("-Wl,--disable-new-dtags,-rpath,$folder")
        done
    fi
    ${CXX:-g++} "${flags[@]}" "benches/peers/${name}_thresholds.cpp" -o "$out/$name" "$@"
}

if { [ -e /usr/include/ida/ida.h ] || unpack ida libsundials-dev libsundials-ida6 \
        libsundials-nvecserial6 libsundials-sunmatrix4 libsundials-sunlinsol3; } &&
    cxx ida . -lsundials_ida -lsundials_nvecserial -lsundials_sunmatrixdense -lsundials_sunlinsoldense; then
    programs+=("ida=$root/$out/ida")
else
    echo "SUNDIALS for C++ (libsundials-dev) cannot be had here: left out" >&2
fi
if { [ -e /usr/include/simbody/Simbody.h ] || unpack simbody libsimbody-dev libsimbody3.7 libblas3 \
        liblapack3 libgfortran5 libquadmath0; } &&
    cxx simbody simbody -lSimTKsimbody -lSimTKmath -lSimTKcommon; then
    programs+=("simbody=$root/$out/simbody")
else
    echo "Simbody (libsimbody-dev) cannot be had here: left out" >&2
fi

# An executable that could not be rebuilt is not measured: it may be stale.
if [ "${PEERS_SKIP_BUILD:-0}" = 1 ] || cargo build --release -p delassus --example thresholds; then
    programs+=("delassus=$(realpath "$target/release/examples/thresholds")")
else
    echo "the example thresholds could not be built: peers only" >&2
fi

exec "$venv/bin/python" benches/peers/thresholds.py --out "$out" \
    --reference "$root/crates/delassus/tests/reference" "${programs[@]}"
