#!/bin/bash
# Installs the npm packages of tests/openapi in build/npm, exactly as its lock file lists them. If the packages are installed already, the
# script prints nothing and needs no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly source=tests/openapi folder=build/npm

if ! command -v npm >/dev/null || ! node --eval 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)'; then
  cat >&2 <<'TEXT'
npm: Node.js 20 or later with npm is missing. Debian 12 has an older one, so this script cannot install it: get it from
https://nodejs.org/en/download (packages for Debian: https://github.com/nodesource/distributions) and run make again.
TEXT
  exit 1
fi

mkdir -p "$folder"
# The lock file is copied last, so that its copy is there only if all packages were installed.
cmp --silent "$source/package-lock.json" "$folder/installed.json" && exit 0
cp "$source/package.json" "$source/package-lock.json" "$folder/"
npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts --loglevel error >"$folder/npm.log" 2>&1 || {
  cat "$folder/npm.log" >&2
  exit 1
}
cp "$source/package-lock.json" "$folder/installed.json"
