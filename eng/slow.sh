#!/bin/bash
# Runs a command as a slow machine would: every processor is taken by another process as well, and each packet on loopback comes late.
#   slow.sh [--busy N] [--latency MS] COMMAND [ARGUMENT...]
# busy: processes that take a processor, twice as many as processors without it. latency: of a packet in milliseconds, 5 without it. It is added by
# tc in a network namespace of its own, in which the command has loopback and nothing else; where root, ip, tc or the kernel's netem is missing, it
# says so and the processors alone are taken. The exit code is the command's.
#   eng/slow.sh bash -c 'make up && make load-synthetic; make down'
set -euo pipefail

busy=$((2 * $(nproc)))
latency=5
while [[ ${1:-} == --* ]]; do
  case $1 in
    --busy) busy=${2:?slow.sh: --busy takes a number} ;;
    --latency) latency=${2:?slow.sh: --latency takes milliseconds} ;;
    *)
      echo "slow.sh: there is no option $1" >&2
      exit 2
      ;;
  esac
  shift 2
done
(($# > 0)) || {
  echo "usage: slow.sh [--busy N] [--latency MS] COMMAND [ARGUMENT...]" >&2
  exit 2
}

loops=()
trap '((${#loops[@]} == 0)) || { kill "${loops[@]}"; wait "${loops[@]}"; } 2>/dev/null || true' EXIT
for ((i = 0; i < busy; i++)); do
  while :; do :; done &
  loops+=($!)
done

# In a namespace of its own, so that the delay is this command's alone.
delayed="ip link set lo up && tc qdisc add dev lo root netem delay ${latency}ms"
if ((latency > 0)) && unshare --net bash -c "$delayed" 2>/dev/null; then
  echo "slow.sh: $busy processes take the processors, loopback is ${latency} ms late" >&2
  unshare --net bash -c "$delayed && exec \"\$@\"" slow "$@" || exit
else
  echo "slow.sh: $busy processes take the processors, loopback is as fast as ever" >&2
  "$@" || exit
fi
