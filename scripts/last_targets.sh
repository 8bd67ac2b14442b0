#!/usr/bin/env bash
# The targets that the last run of publish.yml on the main branch has kept: last_targets.sh FOLDER.
#
# Reads REPOSITORY and GH_TOKEN. Only a push to the repository itself counts: a pull request cannot make such a run,
# whatever its branch is called. Targets are checked by their digests on every read; what was computed is left out.
set -euo pipefail
folder=$1
runs="repos/$REPOSITORY/actions/workflows/publish.yml/runs?branch=main&event=push&status=success&per_page=1"
run=$(gh api "$runs" --jq '.workflow_runs[0].id // empty')
[[ "$run" =~ ^[0-9]+$ ]] || { echo "nothing was published yet"; exit 0; }
artifact=$(gh api "repos/$REPOSITORY/actions/runs/$run/artifacts" --jq '[.artifacts[] | select(.name == "targets" and .expired == false)][0].id // empty')
[[ "$artifact" =~ ^[0-9]+$ ]] || { echo "the last publication has kept no targets"; exit 0; }
archive=$(mktemp)
trap 'rm -f "$archive"' EXIT
gh api "repos/$REPOSITORY/actions/artifacts/$artifact/zip" > "$archive"
mkdir -p "$folder"
unzip -q -o "$archive" -d "$folder" -x "derived/*"
