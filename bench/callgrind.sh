#!/usr/bin/env bash
# Counts our instructions on the hostile cases, at sizes that double each time:
# bash bench/callgrind.sh [CASE...], from anywhere. Needs valgrind. A growth of 2 means that the work is
# linear in the size, 4 quadratic, and 1 that reading stops at a limit.
#
# Rules: one verdict, at four sizes. A run with one verdict is subtracted from a run with eleven. The
# difference is ten verdicts, without the parsing.
#
# Heads: one page, of 1, 2 and 4 MB. A run on a page of 0 MB is subtracted.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

cargo build --release --quiet
program=${CARGO_TARGET_DIR:-target}/release/robots-bench
log=$(mktemp)
trap 'rm -f "$log"' EXIT

instructions() { # arguments of the program
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" \
        "$program" "$@" || return
    awk '$2 == "Collected" { print $4 }' "$log"
}

smallest() { # case
    case $1 in
        a) echo 125 ;;
        b) echo 2000 ;;
        c-*) echo 12500 ;;
    esac
}

growth() { # instructions before and now
    if (($1 > 0)); then
        awk -v before="$1" -v now="$2" 'BEGIN { printf "%.2f", now / before }'
    fi
}

rules=(a b c-hit c-plain c-long c-long-q)
heads=(
    lt-title lt-comment comments scripts meta-value link-value tag-name meta-attributes
    link-attributes templates templates-closed amp-meta amp-metas amp-title zeros space metas
    metas-unwanted canonicals canonicals-empty
)
if (($# > 0)); then
    rules=()
    heads=()
    for name in "$@"; do
        case $name in
            a | b | c-*) rules+=("$name") ;;
            *) heads+=("$name") ;;
        esac
    done
fi

if ((${#rules[@]} > 0)); then
    echo '| case | size | instructions a verdict | growth |'
    echo '| --- | --- | --- | --- |'
fi
for name in "${rules[@]}"; do
    size=$(smallest "$name")
    before=0
    for _ in 1 2 3 4; do
        one=$(instructions hostile-once "$name" "$size" 1)
        eleven=$(instructions hostile-once "$name" "$size" 11)
        count=$(((eleven - one) / 10))
        echo "| $name | $size | $count | $(growth "$before" "$count") |"
        before=$count
        size=$((size * 2))
    done
done

if ((${#rules[@]} > 0 && ${#heads[@]} > 0)); then
    echo
fi
if ((${#heads[@]} > 0)); then
    echo '| case | MB | instructions a HEAD | growth |'
    echo '| --- | --- | --- | --- |'
fi
for name in "${heads[@]}"; do
    none=$(instructions head-hostile-once "$name" 0)
    before=0
    for megabytes in 1 2 4; do
        some=$(instructions head-hostile-once "$name" "$megabytes")
        count=$((some - none))
        echo "| $name | $megabytes | $count | $(growth "$before" "$count") |"
        before=$count
    done
done
