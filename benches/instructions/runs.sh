#!/bin/sh
# Instructions of whole runs, files and report included, of two builds of the command and their ratio.
#   runs.sh OLD NEW      two programs, such as target/release/delassus of two revisions
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
[ $# = 2 ] || { sed -n '2,3p' "$0" >&2; exit 2; }
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 2; }
old=$(realpath "$1")
new=$(realpath "$2")
cd "$here/../../models"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

count() {
    program=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$program" run "$@" --quiet --force --out "$scratch/out" 2>&1 >/dev/null |
        sed -n 's/.*Collected : *\([0-9][0-9]*\).*/\1/p'
}

printf '%-28s %14s %14s %7s\n' model old new ratio
while read -r model options; do
    # shellcheck disable=SC2086
    a=$(count "$old" "$model.toml" $options)
    # shellcheck disable=SC2086
    b=$(count "$new" "$model.toml" $options)
    echo "$model $a $b" | awk '{ printf "%-28s %14s %14s %7.3f\n", $1, $2, $3, $3 / $2 }'
done <<LIST
benchmarks/A1_slider_crank_case1
n_four_bar --end 0.5
benchmarks/B4_bricard --end 2
benchmarks/I1_heavy_top --end 0.5
benchmarks/I3_spatial_slider_crank --end 2
chain --end 0.5
benchmarks/B3_andrews_50ms
vehicle_bushing --end 1
four_bar --end 1
four_bar_tripled --end 1
slider_crank
gyroscope --end 0.5
motor_pid
ratchet --end 1
escapement --end 1
geneva --end 1
box_on_incline
benchmarks/G7_woodpecker --end 0.5
LIST
