#!/bin/sh
# Peer comparison: sets up the peers, builds Delassus, runs all, prints a table.
# PEERS_ROUNDS (default 5) and PEERS_REPEATS (default 3) set the length of the
# run; PEERS_PYTHON chooses the interpreter; PEERS_SKIP_BUILD=1 leaves out cargo.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
target=${CARGO_TARGET_DIR:-target}
venv=target/peers-venv

if [ ! -x "$venv/bin/python" ]; then
    mkdir -p target
    "${PEERS_PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -r benches/peers/requirements.txt

# An executable that could not be rebuilt is not measured: it may be stale.
ours="$target/release/examples/peers_delassus"
if [ "${PEERS_SKIP_BUILD:-0}" != 1 ]; then
    if ! cargo build --release || ! cargo build --release --example peers_delassus; then
        echo "peers_delassus could not be built" >&2
        ours=
    fi
fi

if [ -n "$ours" ]; then
    exec "$venv/bin/python" benches/peers/compare.py "$ours"
fi
exec "$venv/bin/python" benches/peers/compare.py
