#!/usr/bin/env bash
# Sleep a pack, or days as JSON lines, with plain workers on one machine, for those who run no engine.
#
#   NIGHTFOLD_STORE=postgres://nightfold@db/town ./parallel.sh day [SHARDS [WORKERS]] [-- OPTIONS OF nightfold sleep]
#
# WORKERS (the processors) run at a time, until all SHARDS (as many as workers) are slept. Of days, more shards than workers wait less for
# the longest one. Of a pack, a worker begins with its own part and then takes what others have not begun: as many as workers are best.
# NIGHTFOLD_PROGRAM names the program (`nightfold`). Plan half a GiB a worker.
#
# It takes GNU parallel if there is one, and `xargs -P` if not: the work is the same; parallel shows a shard's messages together and in order.
#
# Exit codes: 0 done; 2 wrong usage; 6 some shard failed, and says on standard error why. Then run it again, for a pack with `-- --resume`:
# what is written is skipped.
# A failed shard stops no other. A worker that is killed loses what it had not written.
#
# Traps it avoids:
# - The address of the store stays in the environment, and its password in PGPASSWORD: arguments are seen by all users of a machine.
# - A `nightfold sleep` uses all processors; beside others it is told to use one (`--threads 1`).
# - `parallel` of moreutils is another program with the same name.
# - xargs starts nothing more after a command that exits with 255, and reports any other failure as 123.
set -euo pipefail

usage() {
    echo "usage: NIGHTFOLD_STORE=ADDRESS $0 PACK [SHARDS [WORKERS]] [-- OPTIONS OF nightfold sleep]" >&2
    exit 2
}

places=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    places+=("$1")
    shift
done
[ $# -eq 0 ] || shift
[ ${#places[@]} -ge 1 ] && [ ${#places[@]} -le 3 ] || usage
pack=${places[0]}
workers=${places[2]:-$(nproc)}
shards=${places[1]:-$workers}
for number in "$workers" "$shards"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || usage
done
[ -n "${NIGHTFOLD_STORE:-}" ] || usage
export NIGHTFOLD_STORE

# One shard: its number is the last argument. The plan is not shown: it is in the store.
# shellcheck disable=SC2016 # the inner shell expands them
one='shard=${!#}; set -- "${@:1:$#-1}"
"$@" --shard "$shard" > /dev/null || { code=$?; echo "shard $shard: exit code $code" >&2; exit 1; }'
worker=(bash -c "$one" worker "${NIGHTFOLD_PROGRAM:-nightfold}" sleep "$pack" --apply --threads 1 "$@")

numbers() {
    for ((i = 0; i < shards; i++)); do echo "$i/$shards"; done
}

if [[ $(parallel --version 2> /dev/null || true) == "GNU parallel"* ]]; then
    echo "$shards shards, $workers workers, by GNU parallel" >&2
    numbers | parallel --will-cite --quote --keep-order --jobs "$workers" "${worker[@]}" {} || exit 6
else
    echo "$shards shards, $workers workers, by xargs (no GNU parallel here)" >&2
    numbers | xargs -P "$workers" -n 1 "${worker[@]}" || exit 6
fi
