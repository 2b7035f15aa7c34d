#!/bin/bash
# Runs update-task, update-service and query-service on SQLite, for trying Optiks out on one machine.
#   services.sh run    in the foreground until Ctrl-C
#   services.sh up     in the background; returns when all are ready
#   services.sh down   stops them; fine when none runs
# Environment: OPTIKS_DATA (database, keys, board, logs), OPTIKS_QUERY_PORT, OPTIKS_UPDATE_PORT, OPTIKS_TASK_PORT.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export OPTIKS_DATA=${OPTIKS_DATA:-${XDG_DATA_HOME:-$HOME/.local/share}/optiks}
run_dir=$OPTIKS_DATA/run
log_dir=$OPTIKS_DATA/log

# In starting order: the task publishes the genesis record, without which query-service is not ready.
names=(update-task update-service query-service)
declare -A program=(
  [update-task]=Optiks.UpdateTask
  [update-service]=Optiks.UpdateService
  [query-service]=Optiks.QueryService
)
declare -A url=(
  [update-task]=http://127.0.0.1:${OPTIKS_TASK_PORT:-8321}
  [update-service]=http://127.0.0.1:${OPTIKS_UPDATE_PORT:-8311}
  [query-service]=http://127.0.0.1:${OPTIKS_QUERY_PORT:-8301}
)
ready_seconds=60
stop_seconds=20

say() { printf '%s\n' "$*"; }
fail() { printf 'optiks: %s\n' "$*" >&2; }

# A pid alone may belong to someone else by now; with its start time it names one process for ever.
start_time() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # Fields are counted after the command's closing parenthesis, as a command may hold spaces; 22 is the start time.
  read -r -a fields <<<"${stat##*) }"
  [[ ${fields[0]} != Z ]] || return 1
  printf '%s' "${fields[19]}"
}

# Prints the pid of a service started earlier that still runs.
running_pid() {
  local pid started
  read -r pid started 2>/dev/null <"$run_dir/$1.pid" || return 1
  [[ -n $started && $(start_time "$pid") == "$started" ]] || return 1
  printf '%s' "$pid"
}

start() {
  local name=$1 folder=$root/build/out/$1 pid
  if [[ ! -x $folder/${program[$name]} ]]; then
    fail "$folder/${program[$name]} is missing: run 'make build' first"
    return 1
  fi
  # Otherwise that other program's health would pass for ours.
  if (exec 3<>"/dev/tcp/127.0.0.1/${url[$name]##*:}") 2>/dev/null; then
    fail "$name cannot start: another program listens on port ${url[$name]##*:}"
    return 1
  fi
  # Its own session: Ctrl-C reaches only this script, which then stops the services in order.
  (cd "$folder" && exec setsid "./${program[$name]}" --urls "${url[$name]}" 9>&-) \
    >>"$log_dir/$name.log" 2>&1 </dev/null 9>&- &
  pid=$!
  printf '%s %s\n' "$pid" "$(start_time "$pid")" >"$run_dir/$name.pid"
}

wait_ready() {
  local name=$1 deadline=$((SECONDS + ready_seconds))
  until curl -fsS -m 2 -o /dev/null "${url[$name]}/health/ready" 2>/dev/null; do
    if ! running_pid "$name" >/dev/null; then
      fail "$name stopped while starting. The end of $log_dir/$name.log:"
      tail -n 20 "$log_dir/$name.log" >&2
      return 1
    fi
    if ((SECONDS >= deadline)); then
      fail "$name is not ready after $ready_seconds s (${url[$name]}/health/ready). The end of $log_dir/$name.log:"
      tail -n 20 "$log_dir/$name.log" >&2
      return 1
    fi
    sleep 0.1
  done
}

# Stops the named services, given in starting order: readers go first, the writer last.
stop() {
  local i name pid deadline status=0
  for ((i = $#; i >= 1; i--)); do
    name=${!i}
    if pid=$(running_pid "$name"); then
      kill -TERM "$pid" 2>/dev/null || true
      deadline=$((SECONDS + stop_seconds))
      while running_pid "$name" >/dev/null; do
        if ((SECONDS >= deadline)); then
          fail "$name did not stop within $stop_seconds s and is killed (nothing accepted is lost)"
          kill -KILL "$pid" 2>/dev/null || true
          status=1
          break
        fi
        sleep 0.1
      done
      say "stopped $name"
    fi
    rm -f "$run_dir/$name.pid"
  done
  return $status
}

prepare() {
  local tool
  for tool in curl setsid flock; do
    command -v "$tool" >/dev/null || {
      fail "$tool is missing: run 'make install'"
      return 1
    }
  done
  (umask 077 && mkdir -p "$OPTIKS_DATA")
  exec 9<"$OPTIKS_DATA"
  flock -n 9 || {
    fail "another services.sh is starting services in $OPTIKS_DATA"
    return 1
  }
  # The programs find the .NET runtime by themselves only in its standard folders.
  if [[ -z ${DOTNET_ROOT:-} ]] && command -v dotnet >/dev/null; then
    DOTNET_ROOT=$(dirname "$(readlink -f "$(command -v dotnet)")")
    export DOTNET_ROOT
  fi
  # Services never create or change a schema; this does, and is idempotent. Before anything of ours is in the folder, as an
  # empty one is special: it gets development keys.
  if [[ ! -x $root/build/bin/optiks-db ]]; then
    fail "$root/build/bin/optiks-db is missing: run 'make build' first"
    return 1
  fi
  "$root/build/bin/optiks-db" migrate || return
  (umask 077 && mkdir -p "$run_dir" "$log_dir")
}

# Starts what does not run yet and waits until all are ready; `started` then names those that this call started.
started=()
start_all() {
  local name
  prepare || return
  for name in "${names[@]}"; do
    if ! running_pid "$name" >/dev/null; then
      start "$name" || return
      started+=("$name")
    fi
  done
  for name in "${names[@]}"; do
    wait_ready "$name" || return
  done
  exec 9>&-
}

print_next_steps() {
  local optiks=build/bin/optiks
  cat <<TEXT

Optiks is ready. Data, keys and logs: $OPTIKS_DATA

  query-service   ${url[query-service]}   (/openapi/v1.json, /log/checkpoint, /health/ready)
  update-service  ${url[update-service]}   (/openapi/v1.json, /health/ready)
  update-task     ${url[update-task]}   (/health/ready)

Try, in another terminal:

  $optiks update alice "alice's public key" --wait
  $optiks lookup alice
  $optiks lookup bob
  $optiks history alice
  $optiks audit

TEXT
}

run() {
  local name pid pids=()
  for name in "${names[@]}"; do
    if running_pid "$name" >/dev/null; then
      fail "$name already runs on this data ($OPTIKS_DATA): use 'make down' first"
      return 1
    fi
  done
  trap 'trap "" INT TERM HUP; say; stop "${names[@]}"; exit' INT TERM HUP
  start_all || {
    stop "${started[@]}"
    return 1
  }
  print_next_steps
  say "Ctrl-C stops everything."
  for name in "${names[@]}"; do
    # One that ended meanwhile leaves its old pid, for which wait -n returns at once.
    read -r pid _ <"$run_dir/$name.pid"
    pids+=("$pid")
  done
  local code=0
  wait -n "${pids[@]}" || code=$?
  # 143 is SIGTERM's: this is 'make down' or a user's kill, not a failure.
  if ((code == 0 || code == 143)); then
    say "a service was stopped from elsewhere: stopping all"
    stop "${names[@]}"
    return
  fi
  for name in "${names[@]}"; do
    if ! running_pid "$name" >/dev/null; then
      fail "$name stopped with exit code $code. The end of $log_dir/$name.log:"
      tail -n 20 "$log_dir/$name.log" >&2
    fi
  done
  stop "${names[@]}" || true
  return $code
}

case ${1:-} in
run) run ;;
up)
  start_all || {
    stop "${started[@]}"
    exit 1
  }
  print_next_steps
  say "Running in the background; 'make down' stops everything."
  ;;
down) stop "${names[@]}" ;;
*)
  fail "usage: services.sh run|up|down"
  exit 2
  ;;
esac
