"""Boots minimal Debian 12 systems with systemd-nspawn, with a network between them and this machine. This needs root."""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from ipaddress import ip_network
from pathlib import Path

CACHE = Path(os.environ.get("OPTIKS_TEST_CACHE", "/var/cache/optiks-test"))
MIRROR = "http://deb.debian.org/debian"
# These addresses are reserved for tests, so no real network has them. Each process that boots containers takes a separate part of them.
TRIALS, PREFIX_LENGTH = ip_network("198.18.0.0/15"), 28
BOOT_SECONDS, END_SECONDS = 60, 30
BASE = "systemd,systemd-sysv,dbus,iproute2,ca-certificates"
# The dependencies of the tested packages, and the packages that the pages install. They are fetched once, so that apt in the container
# needs no network.
FETCHED = "libicu72 liblmdb0 libssl3 libsqlite3-0 libgssapi-krb5-2 libstdc++6 tzdata postgresql-15 openssl prometheus pgbackrest"
# The cgroups of systemd in a container, by the hierarchy's name in /proc/self/cgroup. A machine may have one of these hierarchies or both.
CGROUPS = {"name=systemd": Path("/sys/fs/cgroup/systemd"), "": Path("/sys/fs/cgroup/unified")}
CGROUP_ALONE = Path("/sys/fs/cgroup")
# This script moves itself into the cgroups whose process files come before "--". It then becomes the command after "--".
ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1"; shift; done; shift; exec "$@"'


class NotBooted(Exception):
    """A container did not boot; the exception's text has the end of its output."""


def root_archive() -> Path:
    """Returns the archive of the containers' root file system, which is made once per machine."""
    archive = CACHE / f"debian12-{hashlib.sha256((BASE + FETCHED).encode()).hexdigest()[:8]}.tar"
    if not archive.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = archive.with_suffix(f".{os.getpid()}.tar")
        fetch = f"APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get install -y --download-only --no-install-recommends {FETCHED}"
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={BASE}", "--skip=cleanup/apt", f"--customize-hook={fetch}", "bookworm", str(unfinished), MIRROR],
            check=True, stdout=subprocess.DEVNULL, timeout=900)
        unfinished.rename(archive)
    return archive


class Cgroups:
    """The cgroups of one container. In a shared cgroup, the systemd instances of two containers would take each other's processes for their
    own."""

    def __init__(self, name: str):
        self._folders = []
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, hierarchy, path = line.split(":", 2)
            if (mount := CGROUPS.get(hierarchy)) is not None:
                folder = (mount if mount.is_dir() else CGROUP_ALONE) / path.lstrip("/") / name
                folder.mkdir()
                self._folders.append(folder)

    def command(self, *command: str) -> list[str]:
        """Returns a command that runs the given command in these cgroups."""
        return ["sh", "-c", ENTER, "sh", *(str(folder / "cgroup.procs") for folder in self._folders), "--", *command]

    def remove(self) -> None:
        """Removes the cgroups. Call it once all processes have been ended: a cgroup becomes empty shortly afterwards."""
        deadline = time.monotonic() + END_SECONDS
        while self._folders:
            folder = self._folders[-1]
            try:
                for inner in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
                    inner.rmdir()
                folder.rmdir()
                self._folders.pop()
            except OSError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.1)


class Network:
    """A bridge between this machine and containers. Use it as a context manager around the context managers of the containers; the bridge
    is removed at the end."""

    def __init__(self):
        self.name = f"optiks{os.getpid()}"
        parts = 1 << (PREFIX_LENGTH - TRIALS.prefixlen)
        self.network = ip_network((int(TRIALS[0]) + (os.getpid() % parts << 32 - PREFIX_LENGTH), PREFIX_LENGTH))
        self._addresses = map(str, self.network.hosts())
        self.here = self.next_address()

    def __enter__(self) -> "Network":
        for command in (f"link add {self.name} type bridge", f"address add {self.here}/{PREFIX_LENGTH} dev {self.name}", f"link set {self.name} up"):
            subprocess.run(["ip", *command.split()], check=True)
        return self

    def __exit__(self, *_) -> None:
        subprocess.run(["ip", "link", "delete", self.name], check=True)

    def next_address(self) -> str:
        """Returns an address that no container of this network has had."""
        return next(self._addresses)


class Container:
    """A container. Use it as a context manager; at the end the container is removed with its files."""

    def __init__(self, network: Network, name: str = "optiks"):
        # The folder is on a disk, because in a memory file system its files would count against this machine's memory.
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-container-", dir="/var/tmp"))
        self.root = self.folder / "root"
        self.name = f"{name}-{os.getpid()}"
        self.address = network.next_address()
        self._network = network
        self._cgroups: Cgroups | None = None
        self._log = self.folder / "console"
        self._process: subprocess.Popen | None = None
        self._leader = 0

    def __enter__(self) -> "Container":
        try:
            self._boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        if self._process is not None and self._process.poll() is None:
            # The end of the container's first process ends all its other processes. SIGKILL is enough, because nothing in the container is
            # needed again.
            os.kill(self._leader or self._process.pid, signal.SIGKILL)
            self._process.wait(END_SECONDS)
        if self._cgroups is not None:
            self._cgroups.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _boot(self) -> None:
        if os.geteuid() != 0:
            raise NotBooted("containers are booted by root")
        self.root.mkdir()
        subprocess.run(["tar", "--extract", "--file", root_archive(), "--directory", self.root], check=True)
        self._cgroups = Cgroups(self.name)
        command = self._cgroups.command(
            "systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", f"--directory={self.root}", f"--machine={self.name}", f"--network-bridge={self._network.name}", "--console=pipe")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + BOOT_SECONDS
        while not self._is_up():
            if self._process.poll() is not None or time.monotonic() >= deadline:
                raise NotBooted(self._log.read_text(errors="replace")[-3000:])
            time.sleep(0.2)
        self.run(f"ip address add {self.address}/{PREFIX_LENGTH} dev host0; ip link set host0 up")

    def _is_up(self) -> bool:
        children = subprocess.run(["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True, check=False).stdout.split()
        if not children:
            return False
        self._leader = int(children[0])
        return self.run("systemctl is-system-running", check=False).stdout.strip() in ("running", "degraded")

    def run(self, script: str, check: bool = True, seconds: float = 300) -> subprocess.CompletedProcess:
        """Runs a script of sh in the container. The script ends at the first command that fails."""
        done = subprocess.run(
            ["nsenter", "-t", str(self._leader), "-m", "-u", "-i", "-n", "-p", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "sh", "-eu", "-c", f"cd /root\n{script}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode} of:\n{script}\n{done.stdout[-6000:]}")
        return done

    def output(self, script: str) -> str:
        return self.run(script).stdout.strip()
