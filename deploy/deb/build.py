#!/usr/bin/python3
"""Builds the Debian packages optiks-server, optiks-cli and optiks-auditor from the output of `make programs`.

usage: build.py [--out FOLDER] [--version VERSION] [--keep-published]

The packages contain the .NET runtime, so that a target needs neither compiler nor SDK. All files have the commit's time. Two builds of the
same commit have the same bytes, except in the assemblies ServiceDefaults and UpdateTask, which the compiler varies for an unknown reason.
If the commit has the release's tag, the version is the number in Directory.Build.props. Otherwise it is a version that sorts below that
number and grows with the commits (0.1.0~20261126T143000.0ab5fcaad671). --version sets another version. With --keep-published the programs
are not built again. FOLDER is build/deb by default. """

import argparse
import gzip
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from email.utils import formatdate
from pathlib import Path

import manpages
import notices

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ARTIFACTS = ROOT / "build/deb-artifacts"
MAINTAINER = "Optiks contributors <optiks@optiks.invalid>"
SERVER, CLI, AUDITOR = "optiks-server", "optiks-cli", "optiks-auditor"
# For each package, the folder on the target in which the programs are installed, and the programs.
PROGRAMS = {
    SERVER: ("usr/lib/optiks/server", ("Optiks.UpdateTask", "Optiks.UpdateService", "Optiks.QueryService", "Optiks.Db")),
    CLI: ("usr/lib/optiks/cli", ("Optiks.Cli",)),
}
COMMANDS = {SERVER: {"optiks-db": "optiks-db"}, CLI: {"optiks": "optiks"}}
NATIVE = "liboptiks.so"
# Files that the packages leave out, because the programs never use them: a provider for a tracer, a sign-in broker of SQL Server's client
# (which needs a browser), the memory dumper, and descriptions for builds. The programs forbid memory dumps, which contain secrets.
LEFT_OUT = re.compile(r"libcoreclrtraceptprovider\.so|libmsalruntime\.so|createdump|.*\.staticwebassets\..*\.json")
# Files and folders of deploy/ that optiks-server contains, and where it installs them.
CARRIED = {
    "prometheus/alerts.yml": "usr/share/optiks-server/alerts.yml",
    "prometheus/blackbox.yml": "usr/share/optiks-server/blackbox.yml",
    "grafana/optiks.json": "usr/share/optiks-server/grafana.json",
    "nginx": "usr/share/optiks-server/nginx",
    "patroni": "usr/share/optiks-server/patroni",
    "pgbackrest/pgbackrest.conf": "usr/share/doc/optiks-server/examples/pgbackrest.conf",
}
# The names of files that may contain passwords.
SECRET_FILES = re.compile(r"etc/optiks/.*\.env")


def run(*command, **options) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def git(*arguments: str) -> str:
    return run("git", "-C", str(ROOT), *arguments).strip()


def number() -> str:
    return re.search(r"<VersionPrefix>(.*)</VersionPrefix>", (ROOT / "Directory.Build.props").read_text())[1]


def version() -> str:
    """Returns the version that the packages of the current commit have."""
    if f"v{number()}" in git("tag", "--points-at", "HEAD").split():
        return number()
    return f"{number()}~{time.strftime('%Y%m%dT%H%M%S', time.gmtime(commit_time()))}.{git('rev-parse', '--short=12', 'HEAD')}"


def commit_time() -> int:
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))


def publish() -> None:
    """Publishes all programs, each in its own folder below ARTIFACTS/publish. This build is separate from `make build`, which includes no
    runtime and has other lock files. """
    build = ["dotnet", "msbuild", str(HERE / "Programs.proj"), "-nologo", "-verbosity:quiet", f"-maxCpuCount:{os.cpu_count()}", f"-property:ArtifactsPath={ARTIFACTS}"]
    environment = os.environ | {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "MSBUILDDISABLENODEREUSE": "1"}
    subprocess.run([*build, "-target:Restore"], check=True, env=environment)
    subprocess.run([*build, "-target:Publish"], check=True, env=environment)


def published(program: str) -> Path:
    return ARTIFACTS / "publish" / program / "release_linux-x64"


def merge(programs: tuple[str, ...], target: Path) -> None:
    """Copies the programs of a package into one folder, so that they share the runtime. Files with the same name must have the same
    content."""
    for program in programs:
        for source in sorted(published(program).rglob("*")):
            name = source.relative_to(published(program))
            if source.is_dir() or LEFT_OUT.fullmatch(source.name):
                continue
            copy = target / name
            if copy.exists():
                if copy.read_bytes() != source.read_bytes():
                    sys.exit(f"build.py: {program} has another {name} than the programs before it: they cannot share a folder")
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            copy.chmod(0o755 if is_program(copy) else 0o644)
    if (target / NATIVE).exists():
        # Removes symbols that only debuggers read.
        subprocess.run(["strip", "--strip-unneeded", str(target / NATIVE)], check=True)


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def is_program(path: Path) -> bool:
    return is_elf(path) and not path.name.endswith(".so")


def write(path: Path, octets: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(octets)
    path.chmod(mode)


def packed(text: str) -> bytes:
    """Returns the compressed text, without a file name and a time, so that the bytes are always the same."""
    return gzip.compress(text.encode(), 9, mtime=0)


def stage(name: str, root: Path) -> None:
    """Collects all files of a package except those that contain its version."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    if name in PROGRAMS:
        folder, programs = PROGRAMS[name]
        merge(programs, root / folder)
        for command, program in COMMANDS[name].items():
            link = root / "usr/bin" / command
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(f"../{folder.removeprefix('usr/')}/{program}")
    hardening = (HERE / "hardening.conf").read_text().rstrip()
    files = HERE / name / "files"
    for source in sorted(files.rglob("*")):
        if source.is_file():
            text = source.read_text().replace("@HARDENING@", hardening)
            path = str(source.relative_to(files))
            write(root / path, text.encode(), 0o600 if SECRET_FILES.fullmatch(path) else 0o644)
    doc = root / "usr/share/doc" / name
    write(doc / "copyright", notices.copyright_of(ROOT, root, ARTIFACTS, PROGRAMS.get(name, ("", ()))[1]).encode())
    if name == SERVER:
        for page in sorted((ROOT / "docs/operations").glob("*.md")):
            write(doc / "operations" / page.name, page.read_bytes())
        for carried, path in CARRIED.items():
            source = ROOT / "deploy" / carried
            for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
                if file.is_file():
                    write(root / path / file.relative_to(source), file.read_bytes())
    write(doc / "NEWS.gz", packed((ROOT / "CHANGELOG.md").read_text()))


def make_manpages(stages: dict[str, Path]) -> None:
    for name, pages in manpages.PAGES.items():
        for page in pages:
            folder, _ = PROGRAMS[page.package]
            text = page.render(stages[page.package] / folder, number(), commit_time())
            write(stages[name] / f"usr/share/man/man{page.section}/{page.name}.{page.section}.gz", packed(text))


def dependencies(root: Path) -> str:
    """Returns the libraries with which the programs are linked, as dpkg finds them. Suppresses dpkg's warnings about libraries that Optiks
    did not build."""
    programs = [str(path) for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path)]
    scratch = root.parent / f"{root.name}.shlibs"
    write(scratch / "debian/control", b"Source: optiks\nPackage: optiks\n")
    own = sorted({str(Path(program).parent) for program in programs})
    found = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", *[f"-l{folder}" for folder in own], *[f"-e{program}" for program in programs], cwd=scratch, stderr=subprocess.DEVNULL)
    shutil.rmtree(scratch)
    return found.strip().removeprefix("shlibs:Depends=")


def size(root: Path) -> int:
    """Returns the package's Installed-Size as Debian computes it: the sum of the files' sizes in KiB, each rounded up, plus 1 KiB for each
    folder."""
    return sum((path.lstat().st_size + 1023) // 1024 if path.is_file() and not path.is_symlink() else 1 for path in root.rglob("*"))


def pack(name: str, root: Path, of_version: str, out: Path) -> Path:
    """Builds the package from its collected files and returns the package's path."""
    entry = f"optiks ({of_version}) unstable; urgency=medium\n\n  * What changed is in NEWS.gz beside this file.\n\n -- {MAINTAINER}  {formatdate(commit_time())}\n"
    write(root / "usr/share/doc" / name / "changelog.gz", packed(entry))
    control = root / "DEBIAN"
    shutil.rmtree(control, ignore_errors=True)
    installed = size(root)
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    sums = "".join(f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  {path.relative_to(root)}\n" for path in files)
    settings = "".join(f"/{path.relative_to(root)}\n" for path in files if path.is_relative_to(root / "etc"))
    write(control / "md5sums", sums.encode())
    if settings:
        write(control / "conffiles", settings.encode())
    for source in sorted((HERE / name / "control").iterdir()):
        text = source.read_text()
        if source.name == "control":
            text = text.replace("@VERSION@", of_version).replace("@SIZE@", str(installed))
            if "@DEPENDS@" in text:
                text = text.replace("@DEPENDS@", dependencies(root))
        write(control / source.name, text.encode(), 0o644 if source.name == "control" else 0o755)
    for path in [root, *root.rglob("*")]:
        os.utime(path, (commit_time(), commit_time()), follow_symlinks=False)
        if path.is_dir() and not path.is_symlink():
            path.chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    architecture = re.search(r"^Architecture: (.*)$", (control / "control").read_text(), re.MULTILINE)[1]
    package = out / f"{name}_{of_version}_{architecture}.deb"
    # A low level of xz takes a third of the time of the default level, and makes the package an eighth larger. With this option, the result
    # does not depend on the number of processors.
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(root), str(package)], check=True, stdout=subprocess.DEVNULL, env=os.environ | {"SOURCE_DATE_EPOCH": str(commit_time())})
    return package


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build/deb", help="folder of the packages (default: build/deb)")
    parser.add_argument("--version", default=None, help="of the packages, instead of the commit's")
    parser.add_argument("--keep-published", action="store_true", help="take the programs that were built earlier")
    arguments = parser.parse_args()
    stages = {name: ROOT / "build/deb-stage" / name for name in (SERVER, CLI, AUDITOR)}
    if not arguments.keep_published:
        publish()
    for name, root in stages.items():
        stage(name, root)
    make_manpages(stages)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, root in stages.items():
        package = pack(name, root, arguments.version or version(), arguments.out)
        print(f"{package} ({package.stat().st_size >> 20} MiB)")


if __name__ == "__main__":
    main()
