#!/usr/bin/env bash
# Writes docs/src/images/report.png: the report page of five days in Riverbend, one night of Mara Thorne.
#
# Needs Chromium, in the PATH or named by NIGHTFOLD_CHROMIUM_PATH. NIGHTFOLD=PROGRAM takes a program that is
# built already, instead of `cargo run --release`.
set -euo pipefail
cd "$(dirname "$0")/.."

nightfold() {
    if [[ -n ${NIGHTFOLD:-} ]]; then "$NIGHTFOLD" "$@"; else cargo run --quiet --release -- "$@"; fi
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
nightfold sleep scenarios/riverbend/days/*.jsonl --by-day --report "$folder/report.html" >"$folder/diff.txt"

# The NPCs of a page are numbered from 0, in the order of their names; so are an NPC's nights.
"${NIGHTFOLD_CHROMIUM_PATH:-chromium}" --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
    --user-data-dir="$folder/profile" --window-size=1180,1366 --virtual-time-budget=8000 \
    --screenshot="$folder/report.png" "file://$folder/report.html#npc=2&night=0" 2>"$folder/chromium.txt" ||
    { cat "$folder/chromium.txt" >&2; exit 1; }
mkdir -p docs/src/images
mv "$folder/report.png" docs/src/images/report.png
echo "docs/src/images/report.png written"
