#!/bin/bash
# Runs update-task, update-service and query-service on SQLite, for trying Optiks out on one machine.
#   services.sh run    in the foreground until Ctrl-C
#   services.sh up     in the background; returns when all are ready
#   services.sh down   stops them; fine when none runs
# Environment: OPTIKS_DATA (database, keys, board, logs), OPTIKS_QUERY_PORT, OPTIKS_UPDATE_PORT, OPTIKS_TASK_PORT
# (docs/operations/variables.md). Exit code 78: one of them does not do.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
default_data=${XDG_DATA_HOME:-$HOME/.local/share}/optiks
# Absolute, as each service is started in a folder of its own.
OPTIKS_DATA=$(realpath --canonicalize-missing --no-symlinks -- "${OPTIKS_DATA:-$default_data}")
export OPTIKS_DATA
run_dir=$OPTIKS_DATA/run
log_dir=$OPTIKS_DATA/log

# In starting order: the task publishes the genesis record, without which query-service is not ready.
names=(update-task update-service query-service)
declare -A program=(
  [update-task]=Optiks.UpdateTask
  [update-service]=Optiks.UpdateService
  [query-service]=Optiks.QueryService
)
declare -A port_variable=([update-task]=OPTIKS_TASK_PORT [update-service]=OPTIKS_UPDATE_PORT [query-service]=OPTIKS_QUERY_PORT)
declare -A default_port=([update-task]=8321 [update-service]=8311 [query-service]=8301)
declare -A port url
for name in "${names[@]}"; do
  variable=${port_variable[$name]}
  port[$name]=${!variable:-${default_port[$name]}}
  url[$name]=http://127.0.0.1:${port[$name]}
done
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
    fail "$folder/${program[$name]} is missing: run 'make programs' first"
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

check_ports() {
  local name
  local -A taken=()
  for name in "${names[@]}"; do
    if [[ ! ${port[$name]} =~ ^[1-9][0-9]{0,4}$ ]] || ((port[$name] > 65535)); then
      fail "${port_variable[$name]} is '${port[$name]}', not a port from 1 to 65535"
      return 78
    fi
    if [[ -n ${taken[${port[$name]}]:-} ]]; then
      fail "${port_variable[$name]} and ${taken[${port[$name]}]} are both ${port[$name]}: give each service a port of its own"
      return 78
    fi
    taken[${port[$name]}]=${port_variable[$name]}
  done
}

# The data folder, made if need be.
make_data_folder() {
  local why
  if ! why=$( (umask 077 && mkdir -p "$OPTIKS_DATA") 2>&1); then
    fail "OPTIKS_DATA, $OPTIKS_DATA, cannot be made (${why#mkdir: }): set it to a folder that you may write"
    return 78
  fi
  if [[ ! -w $OPTIKS_DATA || ! -x $OPTIKS_DATA ]]; then
    fail "OPTIKS_DATA, $OPTIKS_DATA, cannot be written by $(id -un): set it to a folder that you may write"
    return 78
  fi
}

prepare() {
  local tool
  check_ports || return
  for tool in curl setsid flock; do
    command -v "$tool" >/dev/null || {
      fail "$tool is missing: run 'make install'"
      return 1
    }
  done
  make_data_folder || return
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
    fail "$root/build/bin/optiks-db is missing: run 'make programs' first"
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

# What differs from the defaults, as words that a shell reads back: another terminal, the command line and 'make down' need it.
own_variables() {
  local name
  [[ $OPTIKS_DATA == "$default_data" ]] || printf ' OPTIKS_DATA=%q' "$OPTIKS_DATA"
  for name in "${names[@]}"; do
    [[ ${port[$name]} == "${default_port[$name]}" ]] || printf ' %s=%s' "${port_variable[$name]}" "${port[$name]}"
  done
}

# Before a command that finds the services by their data alone.
own_data() { [[ $OPTIKS_DATA == "$default_data" ]] || printf 'OPTIKS_DATA=%q ' "$OPTIKS_DATA"; }

print_next_steps() {
  local optiks=build/bin/optiks own
  own=$(own_variables)
  cat <<TEXT

Optiks is ready. Data, keys and logs: $OPTIKS_DATA

  query-service   ${url[query-service]}   (/openapi/v1.json, /log/checkpoint, /health/ready)
  update-service  ${url[update-service]}   (/openapi/v1.json, /health/ready)
  update-task     ${url[update-task]}   (/health/ready)

Try, in another terminal:
${own:+
  export$own}
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
  local code=0
  start_all || code=$?
  if ((code != 0)); then
    stop "${started[@]}"
    return $code
  fi
  print_next_steps
  say "Ctrl-C stops everything."
  for name in "${names[@]}"; do
    # One that ended meanwhile leaves its old pid, for which wait -n returns at once.
    read -r pid _ <"$run_dir/$name.pid"
    pids+=("$pid")
  done
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
  code=0
  start_all || code=$?
  if ((code != 0)); then
    stop "${started[@]}"
    exit $code
  fi
  print_next_steps
  say "Running in the background; '$(own_data)make down' stops everything."
  ;;
down) stop "${names[@]}" ;;
*)
  fail "usage: services.sh run|up|down"
  exit 2
  ;;
esac
