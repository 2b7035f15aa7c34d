#!/bin/bash
# Makes the secrets of a new log in the folder `secrets` beside the compose files: secrets.sh postgresql|sqlserver. As root. What is there stays as it is.
# Keep a copy of optiks.kek elsewhere, and apart from copies of the database: without it the log ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
umask 077

# The user of the images.
readonly user=10001
engine=${1:-}
[[ $engine == postgresql || $engine == sqlserver ]] || {
  echo "usage: secrets.sh postgresql|sqlserver" >&2
  exit 2
}

# A file NAME of what standard input has, of mode MODE, unless there is one.
keep() {
  local name=$1 mode=$2
  cat >"secrets/.new"
  chmod "$mode" secrets/.new
  chown "$user:$user" secrets/.new
  # Fails where it exists, and leaves that alone.
  ln secrets/.new "secrets/$name" 2>/dev/null || true
  rm secrets/.new
}

password() {
  # With what SQL Server asks for beside letters and digits.
  printf 'Aa1-%s' "$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')"
}

# A key and a certificate for the host NAME, with these modes. Both at once: one of the two without the other is of no use.
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

# Closed to all but root: files that several containers read are open in it.
mkdir -p secrets
head -c 32 /dev/urandom | basenc --base64url | tr -d '=\n' | keep optiks.kek 0400
if [[ $engine == postgresql ]]; then
  password | keep postgres.password 0444
  # The server's user, which is another one, copies it.
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
