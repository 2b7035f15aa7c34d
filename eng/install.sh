#!/bin/bash
# Installs Debian packages. An argument is the name of a group, all of whose packages are installed, or the name of a package.
#   install.sh build            installs the packages with which the programs are built and run on SQLite
#   install.sh build test wrk   also installs the packages that the tests need, and the package wrk
# The group build is the base; each other group has additional packages. If all packages are installed already, the script prints nothing
# and needs no network.
set -euo pipefail

declare -A groups=(
  [build]="g++ make git cmake ninja-build pkg-config libsodium-dev libb2-dev liblmdb-dev
    libsqlite3-0 libicu72 libssl3 ca-certificates python3"
  [test]="libgtest-dev nlohmann-json3-dev python3-pytest postgresql-15 unicode-data
    softhsm2 kubernetes-client"
  [check]="clang-format-14 shellcheck unicode-data"
  [deep]="clang-tidy-14 clang-14 valgrind prometheus prometheus-blackbox-exporter openssl nginx curl ceph-mon ceph-osd radosgw
    patroni etcd-server python3-etcd haproxy pgbackrest pgbouncer sqlite3 chromium"
  [client]="g++-aarch64-linux-gnu qemu-user clang-19 lld-19 llvm-19 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32
    wasi-libc googletest nlohmann-json3-dev curl"
  [deb]="dpkg-dev binutils mmdebstrap systemd-container lintian"
  [images]="mmdebstrap podman runc netavark aardvark-dns iptables podman-compose
    docker-compose"
  [bench]="libbenchmark-dev"
  [fuzz]="clang-14 libclang-rt-14-dev"
)

packages=()
for argument in "$@"; do
  read -r -d '' -a named <<<"${groups[$argument]:-$argument}" || true
  packages+=("${named[@]}")
done

is_installed() {
  # If kubectl is installed from another source, the package is not needed, and cannot be installed.
  if [[ $1 == kubernetes-client ]] && command -v kubectl >/dev/null; then return; fi
  # A package such as pkg-config also counts as installed if another package provides it.
  [[ $(dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null) == installed* ]]
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done

if ((${#missing[@]} > 0)); then
  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "install: run as root, or install sudo, to get: ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  echo "install: ${missing[*]}"
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
  "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" || {
    "${apt[@]}" update -qq
    "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}"
  }
  for package in "${missing[@]}"; do
    is_installed "$package" || {
      echo "install: $package is still missing after apt-get install" >&2
      exit 1
    }
  done
fi

if ! command -v dotnet >/dev/null || ! dotnet --list-sdks | grep -q '^10\.'; then
  cat >&2 <<'TEXT'
install: the .NET 10 SDK is missing. Debian has no package of it, so this script cannot install it: get it from
https://dotnet.microsoft.com/download/dotnet/10.0 (packages for Debian, or the dotnet-install.sh script) and run make again.
TEXT
  exit 1
fi
