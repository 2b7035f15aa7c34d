"""Runs podman for tests, as root. This works wherever containers can run at all, because it does not use features that test machines
lack."""

import os
import resource
import subprocess
import tempfile
from pathlib import Path

# The settings do not use systemd, which test machines lack, so podman makes the cgroups itself and runs no timers for health checks. The
# settings choose runc, because crun refuses a machine that has both versions of cgroups mounted. Containers have the resource limits of
# this process, because root may lack the right to raise limits.
SETTINGS = """[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[containers]
log_driver = "k8s-file"
default_ulimits = [{ulimits}]
"""
MOST = 1 << 14


def _ulimits() -> str:
    hard = {"nofile": resource.getrlimit(resource.RLIMIT_NOFILE)[1], "nproc": resource.getrlimit(resource.RLIMIT_NPROC)[1]}
    return ", ".join(f'"{name}={least}:{least}"' for name, least in ((name, MOST if limit == resource.RLIM_INFINITY else min(MOST, limit)) for name, limit in hard.items()))


def environment(folder: Path) -> dict[str, str]:
    """Writes a file of podman's settings to the folder, and returns the environment in which every command must run."""
    file = folder / "containers.conf"
    file.write_text(SETTINGS.format(ulimits=_ulimits()))
    return {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"} | {"CONTAINERS_CONF": str(file), "DISABLE_HC_SYSTEMD": "true"}


class Podman:
    """Runs podman's commands. Use it as a context manager: containers that were started through it are removed afterwards."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="optiks-podman-")
        self.environment = environment(Path(self._folder.name))
        self._started: list[str] = []

    def __enter__(self) -> "Podman":
        return self

    def __exit__(self, *_) -> None:
        for container in reversed(self._started):
            self.run("rm", "--force", "--time", "0", container, check=False)
        self._folder.cleanup()

    def run(self, *arguments, check: bool = True, seconds: float = 120) -> subprocess.CompletedProcess:
        done = subprocess.run(["podman", *map(str, arguments)], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"podman {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done

    def output(self, *arguments) -> str:
        return self.run(*arguments).stdout.strip()

    def start(self, name: str, *arguments) -> str:
        """Starts a container that keeps running, and returns its name."""
        self._started.append(name)
        self.run("run", "--detach", "--name", name, *arguments)
        return name

    def logs(self, name: str) -> str:
        done = self.run("logs", name, check=False)
        return f"{done.stdout}{done.stderr}"
