#!/bin/bash
# Before anybody can connect to a new server, its superuser gets a password, and the scripts of /docker-entrypoint-initdb.d run.
set -euo pipefail

if ((EUID == 0)); then
  install -d -o postgres /run/postgresql
  chown postgres: "$(dirname "$PGDATA")"
  exec setpriv --reuid postgres --regid postgres --init-groups "$0"
fi
if [[ ! -e $PGDATA/PG_VERSION ]]; then
  # An earlier start that was killed may have left an incomplete folder.
  rm -rf "$PGDATA.new"
  initdb -D "$PGDATA.new" -U postgres -E UTF8 --no-locale --auth-local=trust --auth-host=scram-sha-256 --pwfile="$POSTGRES_PASSWORD_FILE" >/dev/null
  echo "host all all all scram-sha-256" >>"$PGDATA.new/pg_hba.conf"
  pg_ctl -D "$PGDATA.new" -o "-c listen_addresses=" -w start >/dev/null
  for script in /docker-entrypoint-initdb.d/*.sh; do
    bash "$script"
  done
  pg_ctl -D "$PGDATA.new" -m fast -w stop >/dev/null
  mv "$PGDATA.new" "$PGDATA"
fi
exec postgres -D "$PGDATA" -c listen_addresses='*'
