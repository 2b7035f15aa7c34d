#!/bin/bash
# Creates the roles and the database of docs/operations/postgresql.md in a new server, and installs the server's
# certificate. The image's entrypoint runs this script once, as the superuser.
set -euo pipefail

for role in owner update-task update-service query-service; do
  # Each password is the last field of a line in the format of .pgpass.
  password=$(cut -d: -f5 "/run/secrets/$role.pgpass")
  # The password is passed through standard input, so that no process list shows it.
  printf "CREATE ROLE optiks_%s LOGIN PASSWORD '%s';\n" "${role//-/_}" "$password"
done | psql --quiet --set ON_ERROR_STOP=1 --username postgres --dbname postgres

psql --quiet --set ON_ERROR_STOP=1 --username postgres --dbname postgres <<'SQL'
CREATE ROLE optiks_update NOLOGIN;
CREATE ROLE optiks_task NOLOGIN;
CREATE ROLE optiks_query NOLOGIN;
GRANT optiks_update TO optiks_update_service;
GRANT optiks_task TO optiks_update_task;
GRANT optiks_query TO optiks_query_service;
CREATE DATABASE optiks OWNER optiks_owner ENCODING 'UTF8' TEMPLATE template0;
SQL

# PostgreSQL requires that the key file belongs to PostgreSQL's user and that nobody else may read it.
data=$(psql --quiet --no-align --tuples-only --username postgres --dbname postgres --command 'SHOW data_directory')
install -m 600 /run/secrets/postgresql.key "$data/server.key"
install -m 600 /run/secrets/postgresql.crt "$data/server.crt"
psql --quiet --set ON_ERROR_STOP=1 --username postgres --dbname postgres --command 'ALTER SYSTEM SET ssl = on'
