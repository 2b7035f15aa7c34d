#!/bin/bash
# Downloads and unpacks the source of libsodium into build/libsodium/source, for the client's builds for platforms whose libsodium this machine
# lacks (cmake/Sodium.cmake). If it is there already, the script does nothing and needs no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The source package of Debian 12, which is upstream's archive.
readonly url=http://deb.debian.org/debian/pool/main/libs/libsodium/libsodium_1.0.18.orig.tar.gz
readonly sha256=d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4
readonly folder=build/libsodium
readonly archive=$folder/source.tar.gz

[[ -d $folder/source ]] && exit 0

# The builds for two platforms may start at the same time. The second one waits until the source is there.
mkdir -p build
exec {lock}>build/libsodium.lock
flock "$lock"
[[ -d $folder/source ]] && exit 0

rm -rf "$folder"
mkdir -p "$folder/source.new"
curl --silent --show-error --fail --location --retry 3 --output "$archive" "$url"
echo "$sha256  $archive" | sha256sum --check --quiet || {
  echo "libsodium: $url has other content than expected: nothing was unpacked" >&2
  exit 1
}
tar --extract --gzip --file "$archive" --directory "$folder/source.new" --strip-components=1
# Upstream's configure script writes this header; the version numbers are those in its configure.ac.
include=$folder/source.new/src/libsodium/include/sodium
sed -e 's/@VERSION@/1.0.18/' -e 's/@SODIUM_LIBRARY_VERSION_MAJOR@/10/' -e 's/@SODIUM_LIBRARY_VERSION_MINOR@/3/' \
  -e 's/@SODIUM_LIBRARY_MINIMAL_DEF@//' "$include/version.h.in" >"$include/version.h"
mv "$folder/source.new" "$folder/source"
