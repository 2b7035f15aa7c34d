#!/bin/bash
# Runs roles.sql as the administrator, with the passwords from the secrets. The script may run repeatedly.
set -euo pipefail

SQLCMDPASSWORD=$(cat /run/secrets/sa.password)
export SQLCMDPASSWORD
# The passwords are in environment variables, which sqlcmd reads, so that no process list shows them.
for role in owner update-task update-service query-service; do
  name=${role//-/_}_password
  printf -v "$name" %s "$(cat "/run/secrets/$role.password")"
  export "${name?}"
done
exec /opt/mssql-tools18/bin/sqlcmd -C -S sqlserver -U sa -b -i /optiks/roles.sql
