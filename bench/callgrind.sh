#!/usr/bin/env bash
# Instructions of one of our verdicts on the hostile cases, at four sizes, each twice the one before:
# bash bench/callgrind.sh [CASE...], from anywhere. Needs valgrind.
#
# A run with one verdict is subtracted from a run with eleven: what is left is ten verdicts, without
# the parsing. With a growth of 2 the work is linear in the size, with 4 quadratic.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

cargo build --release --quiet
program=${CARGO_TARGET_DIR:-target}/release/robots-bench
log=$(mktemp)
trap 'rm -f "$log"' EXIT

instructions() { # case size times
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" \
        "$program" hostile-once "$@"
    awk '$2 == "Collected" { print $4 }' "$log"
}

smallest() { # case
    case $1 in
        a) echo 125 ;;
        b) echo 2000 ;;
        c-*) echo 12500 ;;
        *) echo "no such case: $1" >&2; return 2 ;;
    esac
}

cases=("$@")
if ((${#cases[@]} == 0)); then
    cases=(a b c-hit c-plain c-long c-long-q)
fi

echo '| case | size | instructions a verdict | growth |'
echo '| --- | --- | --- | --- |'
for name in "${cases[@]}"; do
    size=$(smallest "$name")
    before=0
    for _ in 1 2 3 4; do
        one=$(instructions "$name" "$size" 1)
        eleven=$(instructions "$name" "$size" 11)
        count=$(((eleven - one) / 10))
        growth=
        if ((before > 0)); then
            growth=$(awk -v now="$count" -v before="$before" 'BEGIN { printf "%.2f", now / before }')
        fi
        echo "| $name | $size | $count | $growth |"
        before=$count
        size=$((size * 2))
    done
done
