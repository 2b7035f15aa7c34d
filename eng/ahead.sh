#!/bin/bash
# Compiles the assemblies of the built programs ahead of time (ReadyToRun), as the packages have them, and puts the results in their
# place: into each folder of build/artifacts/bin with a program or a test program. `make test-all` runs this script after the build, because
# its suites start services and commands hundreds of times, and each start would compile the same methods again. The next build of an
# assembly replaces the result. Libraries' own folders keep their assemblies, because a NuGet package must not have code for one processor.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly bin=build/artifacts/bin made=build/ahead
dotnet restore eng/Ahead.proj --nologo --verbosity quiet
crossgen=$(dotnet msbuild eng/Ahead.proj -getProperty:Crossgen)
# The folders of the runtime's own assemblies, in the form /usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/*.dll.
mapfile -t frameworks < <(dotnet --list-runtimes | sed -nE 's|^(Microsoft\.(NETCore\|AspNetCore)\.App) (\S+) \[(.*)\]$|\4/\3/*.dll|p')
mapfile -t programs < <(find "$bin" -mindepth 3 -maxdepth 3 -name '*.runtimeconfig.json' -printf '%h\n' | sort -u)

# Prints the assemblies of a folder that are worth compiling: ours but for the tests, and the libraries that every start runs.
assemblies() {
  find "$1" -maxdepth 1 -name '*.dll' \( -name 'Optiks.*' -o -name 'optiks*' -o -name 'Npgsql.dll' -o -name 'OpenTelemetry*' -o -name 'Polly*' \
    -o -name 'System.CommandLine.dll' \) ! -name '*.Tests.dll' -printf '%f\n'
}

rm -rf "$made"
mkdir -p "$made/from" "$made/to"
for folder in "${programs[@]}"; do
  cp --no-clobber "$folder"/*.dll "$made/from/"
done
references=()
for framework in "${frameworks[@]}" "$made/from/*.dll"; do
  references+=(--reference "$framework")
done
assemblies "$made/from" | xargs --max-procs "$(nproc)" -I{} "$crossgen" "$made/from/{}" --out "$made/to/{}" "${references[@]}" --targetos linux --targetarch x64 -O > "$made/log"

# Only an assembly that is equal to the compiled one is replaced, so that a folder with another version keeps it.
for folder in "${programs[@]}"; do
  for assembly in $(assemblies "$folder"); do
    if cmp --silent "$folder/$assembly" "$made/from/$assembly"; then
      cp "$made/to/$assembly" "$folder/$assembly"
    fi
  done
done
