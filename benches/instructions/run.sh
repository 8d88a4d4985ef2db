#!/bin/sh
# Counts the instructions of each case with callgrind and compares them with
# baseline.json. Fails if a case needs over 5 % more than its baseline.
#   run.sh            compare
#   run.sh --update   write the counts to baseline.json instead
# INSTRUCTIONS_SKIP_BUILD=1 leaves out cargo.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
program="${CARGO_TARGET_DIR:-target}/release/examples/instructions"
baseline=benches/instructions/baseline.json

command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 2; }
if [ "${INSTRUCTIONS_SKIP_BUILD:-0}" != 1 ]; then
    cargo build --release -p delassus --example instructions
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

count() {
    if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$program" "$1" "$2" 2>"$scratch/log"; then
        cat "$scratch/log" >&2
        exit 2
    fi
    sed -n 's/.*Collected : *\([0-9][0-9]*\).*/\1/p' "$scratch/log"
}

# The difference of two numbers of repetitions is free of start-up and loading.
for case in a1_mdop5 a1_gen_alpha n_four_bar_100 bricard; do
    one=$(count "$case" 1)
    three=$(count "$case" 3)
    echo "$case $(((three - one) / 2))"
done >"$scratch/counts"

if [ "${1:-}" = --update ]; then
    awk 'BEGIN { print "{" }
        { printf "%s  \"%s\": %s", (NR > 1 ? ",\n" : ""), $1, $2 }
        END { print "\n}" }' "$scratch/counts" >"$baseline"
    cat "$baseline"
    exit 0
fi

awk -v file="$baseline" '
    BEGIN {
        while ((getline line < file) > 0)
            if (split(line, part, /[":, ]+/) >= 3) base[part[2]] = part[3]
        printf "%-16s %12s %12s %8s\n", "case", "instructions", "baseline", "change"
    }
    {
        if (!($1 in base)) { printf "%-16s %12d: not in the baseline\n", $1, $2; bad = 1; next }
        change = 100 * ($2 / base[$1] - 1)
        printf "%-16s %12d %12d %+7.1f%%%s\n", $1, $2, base[$1], change, (change > 5 ? "  too many" : "")
        if (change > 5) bad = 1
    }
    END { exit bad }' "$scratch/counts"
