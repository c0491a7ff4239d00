#!/usr/bin/env bash
# gate.sh: `cranfield compare --fail-if-worse` with what the action was given in QRELS, RUNS, …; its tables
# go to the summary of the job, its verdicts to the log. Exits as it does: 1 if a run is worse, 2 if the
# input is wrong.
set -uo pipefail
shopt -s nullglob

runs=()
# shellcheck disable=SC2153
while IFS= read -r pattern; do
  [[ -z $pattern ]] && continue
  IFS='' # a pattern is not cut at blanks
  # shellcheck disable=SC2206
  found=($pattern)
  unset IFS
  if ((${#found[@]} == 0)); then found=("$pattern"); fi # which cranfield says is missing
  runs+=("${found[@]}")
done <<<"$RUNS"

options=()
while IFS= read -r word; do
  [[ -n $word ]] && options+=("$word")
done <<<"${OPTIONS:-}"
options+=(--undecided "${UNDECIDED:-fail}")
if [[ -n ${MARGIN:-} ]]; then options+=(--margin "$MARGIN"); fi

tables=$(mktemp)
said=$(mktemp)
cranfield compare "$QRELS" ${runs[@]+"${runs[@]}"} --baseline "$BASELINE" --measure "${MEASURES:-nDCG@10}" \
  --alpha "${ALPHA:-0.05}" --fail-if-worse --format markdown --table verdicts --table pairs \
  --table runs ${options[@]+"${options[@]}"} >"$tables" 2>"$said"
code=$?

cat "$said" >&2
{
  case $code in
  0) echo "### The gate is open" ;;
  1) echo "### The gate is closed: a run is worse, or may be" ;;
  *) echo "### The gate could not decide" ;;
  esac
  echo
  cat "$tables"
  echo
  sed 's/^/    /' "$said" # as code, whatever runs are called
} >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
case $code in
0) echo "passed=true" ;;
1) echo "passed=false" ;;
esac >>"${GITHUB_OUTPUT:-/dev/null}"
rm -f "$tables" "$said"
exit "$code"
