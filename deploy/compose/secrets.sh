#!/bin/bash
# Creates the secrets of a new log in the folder `secrets` next to the compose files: secrets.sh postgresql|sqlserver.
# Run it as root. Existing files stay as they are. Keep a copy of optiks.kek elsewhere, and not together with copies of the database. If the
# key is lost, the log cannot continue.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
umask 077

# The number of the user as whom the programs in the images run.
readonly user=10001
engine=${1:-}
[[ $engine == postgresql || $engine == sqlserver ]] || {
  echo "usage: secrets.sh postgresql|sqlserver" >&2
  exit 2
}

# Writes its standard input to the file NAME with mode MODE, unless the file already exists.
keep() {
  local name=$1 mode=$2
  cat >"secrets/.new"
  chmod "$mode" secrets/.new
  chown "$user:$user" secrets/.new
  # The link fails if the file exists, and leaves that file unchanged.
  ln secrets/.new "secrets/$name" 2>/dev/null || true
  rm secrets/.new
}

password() {
  # The prefix contains all kinds of characters that SQL Server requires in a password.
  printf 'Aa1-%s' "$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')"
}

# Creates a key of mode MODE and a certificate for the host NAME. Does nothing if the key exists. Creates both together, because they must
# match.
certificate() {
  local name=$1 mode=$2
  if [[ ! -e secrets/$name.key ]]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 -subj "/CN=$name" -addext "subjectAltName=DNS:$name" \
      -keyout secrets/.key -out secrets/.crt 2>/dev/null
    keep "$name.crt" 0444 <secrets/.crt
    keep "$name.key" "$mode" <secrets/.key
    rm secrets/.crt secrets/.key
  fi
}

# Only root can enter this folder. This protects the files in it that all users may read, because several containers read them.
mkdir -p secrets
head -c 32 /dev/urandom | basenc --base64url | tr -d '=\n' | keep optiks.kek 0400
if [[ $engine == postgresql ]]; then
  password | keep postgres.password 0444
  # The server runs as another user, so all users may read this key, and the server copies it.
  certificate postgresql 0444
  for role in owner update-task update-service query-service; do
    printf '*:*:*:*:%s\n' "$(password)" | keep "$role.pgpass" 0444
  done
else
  password | keep sa.password 0444
  certificate sqlserver 0400
  for role in owner update-task update-service query-service; do
    secret=$(password)
    printf '%s' "$secret" | keep "$role.password" 0444
    connection="Server=sqlserver;Database=optiks;User ID=optiks_${role//-/_};Password=$(cat "secrets/$role.password")"
    printf '{"Optiks": {"Storage": {"Provider": "sqlserver", "ConnectionString": "%s"}}}\n' "$connection" | keep "$role.json" 0400
    printf '%s' "$connection" | keep "$role.connection" 0400
  done
fi
