#!/bin/sh
# CPU time per step of time-stepping against the number of bodies, for models with joints and
# contacts, and the exponent between one size and the next.
#   run.sh [program]
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
program=${1:-"$here/../../target/release/delassus"}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# CPU seconds per step of a model with $2 copies
cost() {
    sed "s/^N = .*/N = $2/" "$here/$1.toml" >"$scratch/model.toml"
    "$program" run "$scratch/model.toml" --scheme time-stepping --step 1e-3 --json --csv /dev/null -q \
        >"$scratch/out.json"
    python3 -c 'import json, sys
def find(o, k):
    if isinstance(o, dict):
        return o[k] if k in o else next((x for v in o.values() if (x := find(v, k)) is not None), None)
d = json.load(open(sys.argv[1]))
print(find(d, "cpu_s") / find(d, "steps"))' "$scratch/out.json"
}

# model, bodies of a copy
for case in pendulums:2 chain:1 lids:2; do
    model=${case%:*} bodies=${case#*:} last=
    for n in 250 500 1000; do
        now=$(cost "$model" $((n / bodies)))
        awk -v m="$model" -v n="$n" -v now="$now" -v last="$last" 'BEGIN {
            printf "%-10s %5d bodies %8.2f ms a step", m, n, 1e3 * now
            if (last != "") printf "   exponent %.2f", log(now / last) / log(2)
            print "" }'
        last=$now
    done
done
