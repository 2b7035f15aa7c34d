#!/usr/bin/python3
"""Builds the container images optiks-server and optiks-cli with podman, from a root of Debian 12 and the output of `make programs`.

usage: images.py [--root FILE] [--mirror URL] [--keep-published] [--no-archive]

The root is a tar file that mmdebstrap creates once from Debian's packages. The file is build/images/root-....tar, or the file that --root
names, which is created if it is missing. Delete the file to get newer packages. Only the creation of the root needs a network. The images
are localhost/optiks-server and localhost/optiks-cli, tagged with the version and `latest`. Unless --no-archive is given, the script also
writes them to build/images as OCI archives. All files have the commit's time and the owner root, so the same root and the same programs
give the same layers. """

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "deb"))
import build as packages  # noqa: E402
import notices  # noqa: E402

OUT = ROOT / "build/images"
IMAGES = (packages.SERVER, packages.CLI)
# The program that each command of an image runs. The Debian packages also have the commands optiks-db and optiks.
COMMANDS = {
    packages.SERVER: {"optiks-update-task": "Optiks.UpdateTask", "optiks-update-service": "Optiks.UpdateService", "optiks-query-service": "Optiks.QueryService", "optiks-db": "optiks-db"},
    packages.CLI: {"optiks": "optiks"},
}
TITLES = {
    packages.SERVER: "Optiks: the services of a key transparency log, and optiks-db",
    packages.CLI: "Optiks: client, auditor and witness of key transparency logs",
}
# Debian packages that a host with systemd needs but a container does not need.
NOT_IN_A_CONTAINER = {"systemd"}
# The number of the user as whom programs run. It is the same in every image and in deploy/kubernetes, so that files on volumes keep their
# owner.
USER = 10001
MIRROR = "http://deb.debian.org/debian"
# The time of all files in the root, so that it does not depend on when the root was created.
ROOT_TIME = "0"


def needed() -> list[str]:
    """Returns the names of the Debian packages on which the programs in the images depend, from the control files of Optiks's own
    packages."""
    found = set()
    for name in IMAGES:
        control = (packages.HERE / name / "control/control").read_text()
        text = re.search(r"^Depends: (.*)$", control, re.MULTILINE)[1].replace("@DEPENDS@", packages.dependencies(OUT / name))
        found |= {re.sub(r"\(.*?\)|\|.*", "", part).strip() for part in text.split(",")}
    return sorted(package for package in found - NOT_IN_A_CONTAINER if not package.startswith("optiks-"))


def mmdebstrap(include: list[str], out: Path, mirror: str) -> None:
    """Creates a root with Debian's essential packages and the packages in `include`.

    The root has no apt, no setuid programs and no documentation except licences. It has the user optiks and this user's folder. """
    hook = (
        f'echo optiks:x:{USER}:{USER}::/var/lib/optiks:/usr/sbin/nologin >> "$1/etc/passwd"; echo optiks:x:{USER}: >> "$1/etc/group";'
        # A new volume gets the owner of the folder where it is first mounted. This may be either of these two folders.
        f'install -d -o {USER} -g {USER} -m 0700 "$1/var/lib/optiks" "$1/srv/optiks"; install -d "$1/run/credentials/optiks" "$1/run/secrets";'
        'find "$1" -xdev -type f -perm /6000 -exec chmod a-s {} +; rm -rf "$1"/var/cache/* "$1"/var/log/* "$1/etc/hostname" "$1/etc/resolv.conf"')
    unfinished = out.with_suffix(f".{os.getpid()}.tar")
    excluded = ["--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*", "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright"]
    try:
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=essential", f"--include={','.join(include)}", *excluded, f"--customize-hook={hook}", "bookworm", str(unfinished), mirror],
            check=True, timeout=900, env=os.environ | {"SOURCE_DATE_EPOCH": ROOT_TIME})
        unfinished.rename(out)
    finally:
        unfinished.unlink(missing_ok=True)


def stage(name: str) -> None:
    """Collects the files that an image adds to the root."""
    folder, programs = packages.PROGRAMS[name]
    root = OUT / name
    subprocess.run(["rm", "-rf", str(root)], check=True)
    packages.merge(programs, root / folder)
    for command, program in COMMANDS[name].items():
        link = root / "usr/bin" / command
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"../{folder.removeprefix('usr/')}/{program}")
    packages.write(root / "usr/share/doc" / name / "copyright", notices.copyright_of(ROOT, root, packages.ARTIFACTS, programs).encode())


def pack(name: str) -> None:
    """Packs the collected files into a tar file whose bytes depend only on the files' contents."""
    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = packages.commit_time()
        return member

    with tarfile.open(OUT / f"{name}.tar", "w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted((OUT / name).rglob("*")):
            archive.add(path, str(path.relative_to(OUT / name)), recursive=False, filter=plain)


def tag() -> str:
    """Returns the version as an image tag, in which characters that tags must not have are replaced by hyphens."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", packages.version())


def labels(name: str) -> dict[str, str]:
    return {
        "title": TITLES[name],
        "version": packages.version(),
        "revision": packages.git("rev-parse", "HEAD"),
        "licenses": "MIT",
        "documentation": "docs/operations/containers.md",
        "base.name": "Debian 12",
    }


def build(name: str, root: Path) -> str:
    """Builds the image and returns its id."""
    context = OUT / "context"
    subprocess.run(["rm", "-rf", str(context)], check=True)
    context.mkdir()
    # The files are hard links, because podman does not follow symbolic links out of the context's folder.
    os.link(root, context / "root.tar") if root.stat().st_dev == context.stat().st_dev else subprocess.run(["cp", str(root), str(context / "root.tar")], check=True)
    for other in IMAGES:
        if (OUT / f"{other}.tar").exists():
            os.link(OUT / f"{other}.tar", context / f"{other}.tar")
    told = [part for key, value in labels(name).items() for part in ("--label", f"org.opencontainers.image.{key}={value}")]
    # The option --no-cache is needed, because a cached layer would have the time of an older commit.
    done = subprocess.run(
        ["podman", "build", "--quiet", "--pull=never", "--no-cache", "--format", "oci", "--timestamp", str(packages.commit_time()), "--target", name, *told, "--tag", f"localhost/{name}:{tag()}", "--tag", f"localhost/{name}:latest",
         "--file", str(HERE / "Containerfile"), str(context)], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip().splitlines()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, help="tar file of the Debian root, made if it is not there (default: build/images/root-....tar)")
    parser.add_argument("--mirror", default=MIRROR, help=f"where Debian's packages are (default: {MIRROR})")
    parser.add_argument("--keep-published", action="store_true", help="take the programs that were built earlier, as for packages")
    parser.add_argument("--no-archive", action="store_true", help="leave the images in podman's storage alone")
    arguments = parser.parse_args()
    if not arguments.keep_published:
        packages.publish()
    OUT.mkdir(parents=True, exist_ok=True)
    for name in IMAGES:
        stage(name)
        pack(name)
    include = needed()
    root = arguments.root or OUT / f"root-{hashlib.sha256(' '.join(include).encode()).hexdigest()[:8]}.tar"
    if not root.exists():
        root.parent.mkdir(parents=True, exist_ok=True)
        mmdebstrap(include, root, arguments.mirror)
    for name in IMAGES:
        identity = build(name, root)
        size = int(packages.run("podman", "image", "inspect", "--format", "{{.Size}}", identity))
        print(f"localhost/{name}:{tag()} {identity[:12]} ({size >> 20} MiB)")
        if not arguments.no_archive:
            for older in OUT.glob(f"{name}_*.oci.tar"):
                older.unlink()
            archive = OUT / f"{name}_{tag()}.oci.tar"
            subprocess.run(["podman", "save", "--quiet", "--format", "oci-archive", "--output", str(archive), f"localhost/{name}:{tag()}"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
