#!/bin/sh
# Time per step against the number of nodes of an elastic rod with consistent mass, by every method,
# and the exponent from 100 to 2 000 nodes.
set -eu
cd "$(dirname -- "$0")/../.."
cargo test --release -p delassus-dae --test coupled_mass -- --ignored --nocapture cost_of_a_step
