#!/bin/bash
# Runs a command on a simulated slow machine: other processes use every processor, and each packet on loopback is delayed.
#   slow.sh [--busy N] [--latency MS] COMMAND [ARGUMENT...]
# --busy is the number of processes that use the processors (default: twice the number of processors). --latency is the delay of a packet
# in milliseconds (default 5). tc adds the delay in a new network namespace for the command, which has only loopback. If root's rights, ip,
# tc or the kernel's netem are missing, the script says so, and only the processors are slow. The exit code is the command's exit code.
# eng/slow.sh bash -c 'make up && make load-synthetic; make down'
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

# The command runs in a new network namespace, so that only the packets of this command are delayed.
delayed="ip link set lo up && tc qdisc add dev lo root netem delay ${latency}ms"
if ((latency > 0)) && unshare --net bash -c "$delayed" 2>/dev/null; then
  echo "slow.sh: $busy processes take the processors, loopback is ${latency} ms late" >&2
  unshare --net bash -c "$delayed && exec \"\$@\"" slow "$@" || exit
else
  echo "slow.sh: $busy processes take the processors, loopback is as fast as ever" >&2
  "$@" || exit
fi
