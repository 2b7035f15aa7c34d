#!/bin/bash
# Runs every libFuzzer target with AddressSanitizer and UndefinedBehaviorSanitizer, one after the other.
#   fuzz.sh MINUTES    for all targets together
# The inputs that the fuzzers found are kept in build/fuzz/corpus. If an input makes a target fail, the script leaves it in
# build/fuzz/artifacts and prints its path.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minutes=${1:?usage: fuzz.sh MINUTES}
mkdir -p build/fuzz/corpus build/fuzz/artifacts
cmake --preset fuzz >build/fuzz/configure.log 2>&1 || {
  cat build/fuzz/configure.log
  exit 1
}
cmake --build --preset fuzz
for make_seeds in ozks/verify/fuzz/make_seeds.py ozks/fuzz/make_seeds.py client/core/fuzz/make_seeds.py; do
  /usr/bin/python3 "$make_seeds" build/fuzz/corpus
done

mapfile -t targets < <(find build/cmake/fuzz -type f -name 'fuzz_*' -perm -u+x | sort)
((${#targets[@]} > 0)) || {
  echo "fuzz: no target was built" >&2
  exit 1
}
seconds=$((minutes * 60 / ${#targets[@]}))
for target in "${targets[@]}"; do
  name=$(basename "$target")
  echo "== $name: $seconds s"
  mkdir -p "build/fuzz/corpus/$name"
  "$target" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="build/fuzz/artifacts/$name-" \
    "build/fuzz/corpus/$name" 2>&1 | grep -E '^(stat::|SUMMARY|==[0-9]+==|artifact_prefix|Test unit)' || {
    echo "fuzz: $name failed" >&2
    exit 1
  }
done
