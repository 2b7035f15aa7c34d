#!/bin/bash
# Runs every suite that gates, in build/test one JUnit file each, and ends with the line
# `N passed, N failed, N skipped`. Expects a finished `make build`.
# Environment: TEST_PRESETS, the CMake presets whose C++ tests run (default: release asan ct).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=$PWD/build/test
suite_seconds=1200
read -r -a presets <<<"${TEST_PRESETS:-release asan ct}"
mapfile -t test_projects < <(sed -n 's/.*<Project Path="\([^"]*\.Tests\.csproj\)".*/\1/p' Optiks.slnx)

rm -rf "$results"
mkdir -p "$results"
expected=()
broken=()

# A suite that exits with an error although its results look fine (a crash at the end) must fail too.
suite() {
  local name=$1 started=$SECONDS
  shift
  expected+=("$results/$name.xml")
  echo "== $name"
  # In the foreground, so that Ctrl-C reaches the suite.
  timeout --foreground --kill-after=10 "$suite_seconds" "$@" || broken+=("$name (exit code $?)")
  echo "== $name: $((SECONDS - started)) s"
}

suite checks /usr/bin/python3 eng/check.py --junit "$results/checks.xml"

build_preset() {
  [[ $1 == release ]] || { cmake --preset "$1" >/dev/null && cmake --build --preset "$1"; }
}

for preset in "${presets[@]}"; do
  if build_preset "$preset"; then
    suite "cpp-$preset" ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$results/cpp-$preset.xml"
  else
    expected+=("$results/cpp-$preset.xml")
    broken+=("cpp-$preset (does not build)")
  fi
done

for project in "${test_projects[@]}"; do
  name=$(basename "$project" .csproj)
  suite "$name" dotnet test --project "$project" --configuration Release --no-build --no-restore \
    --report-junit --report-junit-filename "$name.xml" --results-directory "$results"
done

for folder in eng:eng/tests reference:tests/reference e2e:tests/e2e; do
  name=python-${folder%%:*}
  suite "$name" /usr/bin/python3 -m pytest "${folder#*:}" --junit-xml="$results/$name.xml"
done

status=0
for name in "${broken[@]}"; do
  echo "failed suite: $name"
  status=1
done
/usr/bin/python3 eng/sum_junit.py --allow-skip 'SqlServer' "${expected[@]}" || status=1
exit $status
