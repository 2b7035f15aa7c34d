#!/bin/bash
# Runs a command on a simulated slow machine: other processes use every processor, and each packet on loopback is delayed.
#   slow.sh [--busy N] [--latency MS] COMMAND [ARGUMENT...]
# --busy is the number of processes that use the processors (default: twice the number of processors). --latency is the delay of a packet
# in milliseconds (default 5). tc adds it in a network namespace of the command's own, which has loopback and nothing else. Without root,
# ip, tc or the kernel's netem, the script prints that and only the processors are slow. The exit code is the command's.
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

# The command runs in a namespace of its own, so that only its packets are delayed.
delayed="ip link set lo up && tc qdisc add dev lo root netem delay ${latency}ms"
if ((latency > 0)) && unshare --net bash -c "$delayed" 2>/dev/null; then
  echo "slow.sh: $busy processes take the processors, loopback is ${latency} ms late" >&2
  unshare --net bash -c "$delayed && exec \"\$@\"" slow "$@" || exit
else
  echo "slow.sh: $busy processes take the processors, loopback is as fast as ever" >&2
  "$@" || exit
fi
