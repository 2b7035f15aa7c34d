#!/usr/bin/python3
"""Runs the suites of tests that gate a change, and writes their JUnit files to build/test.

At the end, prints tables of the slowest suites and tests, and the line `N passed, N failed, N skipped`.

usage: test.py [--lanes N] SET...

SET is `quick` or `deep`; both need a finished `make build`, and `deep` also needs `make sanitized`. `quick` has the suites of single parts
and the end-to-end suites in QUICK_E2E. `deep` has the other end-to-end suites except those in OWN_TARGET, the slow checks, the C++ tests
with sanitizers and under Valgrind, and the suites in DEEPER with all of their tests and rounds. Suites that keep all processors busy run alone, and the other suites run in
parallel. When a suite ends, its output is printed: all of it if the suite failed, otherwise the last lines. The tests' files are in memory
(/dev/shm) if there is room. The exit code is 0 only if nothing failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import sum_junit

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build/test"
# The time limit for a suite. A suite that hangs fails after this time, before the time limit of CI ends the whole run.
SUITE_SECONDS = 1200
ALLOWED_SKIPS = "SqlServer"
NUM_SLOWEST = 12
# The number of last lines of a passed suite's output that are printed. The whole output is long, because the tested programs log to it too.
NUM_LINES = 8
# The folder for files in memory, and the free memory in octets that is required to use it. The tests write less than a third of this
# amount.
MEMORY_FOLDER = "/dev/shm"
SCRATCH_OCTETS = 8 << 30
# The suites that take longest. They start first, so that no long suite is left to run alone at the end while other lanes are empty.
LONGEST = (
    "cpp-client-arm64", "cpp-client-wasm", "python-e2e-openapi", "Optiks.QueryService.Tests", "python-e2e-faults", "python-e2e-stress", "python-e2e-period_faults", "Optiks.UpdateTask.Tests", "cpp-release", "python-e2e-malicious", "python-e2e-recycled_names",
    "python-e2e-auditor", "python-e2e-erasures",
    "python-e2e-failover", "python-e2e-watching", "python-e2e-hostile_periods", "Optiks.Storage.PostgreSql.Tests", "Optiks.UpdateService.Tests", "python-e2e-hostile_users", "python-e2e-users", "python-e2e-cosigners", "Optiks.Db.Tests", "Optiks.Cli.Tests")
# For a suite, the commands that download packages for it. This may take minutes, in which other suites run.
FETCHED_FIRST = {"python-e2e-openapi": [["eng/npm.sh"]]}
# The suites with tests that repeat their work or that only `deep` runs. In `quick` they repeat their work a few times and leave those tests
# out; `deep` sets DEEP_VARIABLE and runs all of them.
DEEPER = (
    "cpp-release", "python-reference-leaves", "python-reference-model", "python-reference-periods", "python-reference-receipts", "python-reference-users", "python-e2e-auditor", "python-e2e-faults", "python-e2e-limits",
    "python-e2e-malicious", "python-e2e-period_faults", "python-e2e-receipts", "Optiks.Db.Tests", "Optiks.QueryService.Tests", "Optiks.Storage.PostgreSql.Tests", "Optiks.UpdateService.Tests",
    "Optiks.UpdateTask.Tests")
# The end-to-end suites that `quick` has. Each of the others starts services of its own to test behaviour that tests of single parts also
# cover, or that only `deep` covers (the table at the end of CONTRIBUTING.md).
QUICK_E2E = (
    "python-e2e-credential", "python-e2e-package", "python-e2e-parts", "python-e2e-ports", "python-e2e-readme", "python-e2e-replicas", "python-e2e-requests", "python-e2e-tutorial", "python-e2e-username_form")
# The other suites that only `deep` has. The suite of vectors makes every vector again and compares it with the committed one. It fails only
# if somebody changes the Python reference or a vector by hand.
DEEP_ONLY = ("python-reference-vectors",)
# The suites that only `make test-deb` and `make test-images` run. They build packages or images and start machines of their own, which
# takes as long as all of `quick`.
OWN_TARGET = ("python-e2e-deb", "python-e2e-images")
# The suites during which no other suite runs. In their tests, other callers use up a service's capacity, and the service must still answer
# the test's client.
ALONE = ("python-e2e-limits",)
# The presets that build the client's part of the C++ library for other platforms, and run its vectors there.
CLIENT_PRESETS = ("client-arm64", "client-wasm")
DEEP_VARIABLE = "OPTIKS_TEST_DEEP"
# Settings of .NET for programs that run for seconds. The first two stop .NET from recompiling methods that are called often, because few
# tests run long enough to gain from it. In runs with one or two tests, recompiling took three quarters of the processor time of three
# services. The third lets .NET write new code without mapping its memory a second time, which saves 6 % of the time of a suite that starts
# many programs. The suites in AS_IN_PRODUCTION run without these settings, as programs in production do.
JIT_VARIABLES = {"DOTNET_TieredPGO": "0", "DOTNET_TC_CallCounting": "0", "DOTNET_EnableWriteXorExecute": "0"}
AS_IN_PRODUCTION = ("python-e2e-limits", "python-e2e-storm")
PYTHON_FOLDERS = {"reference": "tests/reference", "e2e": "tests/e2e", "eng": "eng/tests"}


@dataclass(frozen=True)
class Suite:
    """A suite of tests. Its commands run one after the other, and the last command writes the JUnit file `results`."""

    name: str
    commands: list[list[str]]
    # Whether the suite must run alone, because it keeps all processors busy.
    is_alone: bool = False
    # Whether the suite's tests repeat their work more often, as in `deep` (tests/reference/rounds.py, common/tests/Shared/Rounds.cs).
    is_deep: bool = False
    # The last command in `quick`, if it leaves out tests that only `deep` runs.
    quick_last: list[str] | None = None

    @property
    def results(self) -> Path:
        return RESULTS / f"{self.name}.xml"


def results_of(name: str) -> str:
    return str(RESULTS / f"{name}.xml")


def checks(name: str, *options: str, is_alone: bool) -> Suite:
    return Suite(name, [["eng/check.py", "--junit", results_of(name), *options]], is_alone)


def cpp(preset: str, *build: list[str]) -> Suite:
    """Returns a suite that first runs the commands in `build`, and then its tests."""
    name = f"cpp-{preset}"
    command = ["ctest", "--preset", preset, "--output-junit", results_of(name)]
    return Suite(name, [*build, command], quick_last=["ctest", "--preset", "quick", *command[3:]] if preset == "release" else None)


def cpp_alone(preset: str, *build: list[str]) -> Suite:
    """Returns a suite that runs its tests on all processors."""
    suite = cpp(preset, *build)
    return replace(suite, commands=[*suite.commands[:-1], [*suite.commands[-1], "--parallel", str(os.cpu_count())]], is_alone=True)


def dotnet(project: str) -> Suite:
    name = Path(project).stem
    # The suite runs the test program directly, because `dotnet test` would need 2 s more for each suite to find it.
    program = f"build/artifacts/bin/{name}/release/{name}.dll"
    command = ["dotnet", program, "-noLogo", "-noColor", "-noAutoReporters", "-jUnit", results_of(name)]
    return Suite(name, [command], quick_last=[*command, "-trait-", "Level=Deep"])


def python(name: str, folder: str) -> list[Suite]:
    """Returns one suite for each file of Python tests. If all end-to-end tests were a single suite, a run would have to wait for this suite
    at its end."""
    suites = []
    for file in sorted((ROOT / folder).glob("test_*.py")):
        suite = f"python-{name}-{file.stem.removeprefix('test_')}"
        suites.append(Suite(suite, [*FETCHED_FIRST.get(suite, []), ["/usr/bin/python3", "-m", "pytest", str(file.relative_to(ROOT)), f"--junit-xml={results_of(suite)}"]]))
    return suites


def suites_of(names: list[str]) -> list[Suite]:
    """Returns the suites of the sets, each suite once. With the set `deep`, the suites in DEEPER have their long form, which includes the
    short form."""
    every = [
        checks("checks", "--quick", is_alone=False),
        cpp("release"),
        *[suite for name, folder in PYTHON_FOLDERS.items() for suite in python(name, folder)],
        *[dotnet(project) for project in re.findall(r'<Project Path="([^"]*\.Tests\.csproj)"', (ROOT / "Optiks.slnx").read_text())],
    ]
    every = [suite for suite in every if suite.name not in OWN_TARGET]
    deep_only = [*DEEP_ONLY, *(suite.name for suite in every if suite.name.startswith("python-e2e-") and suite.name not in QUICK_E2E)]
    quick = [suite for suite in every if suite.name not in deep_only]
    deep = [
        checks("checks-deep", "--slow", is_alone=True),
        cpp_alone("asan"),
        cpp_alone("ct", ["cmake", "--preset", "ct"], ["cmake", "--build", "--preset", "ct"]),
        *[cpp(preset, ["eng/libsodium.sh"], ["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset]) for preset in CLIENT_PRESETS],
        *[replace(suite, is_deep=suite.name in DEEPER, is_alone=suite.name in ALONE) for suite in every if suite.name in (*DEEPER, *deep_only)],
    ]
    suites = {suite.name: suite for name, of_set in (("quick", quick), ("deep", deep)) if name in names for suite in of_set}
    return sorted(suites.values(), key=lambda suite: LONGEST.index(suite.name) if suite.name in LONGEST else len(LONGEST))


def processor_seconds() -> tuple[float, float]:
    """Returns two numbers of seconds since the machine's start, summed over all processors: the time in which they worked, and the total
    time."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), sum(ticks) / os.sysconf("SC_CLK_TCK")


def memory_octets() -> int:
    """Returns the number of octets that fit into files in MEMORY_FOLDER, or 0 if that folder does not exist."""
    try:
        folder = os.statvfs(MEMORY_FOLDER)
        available = re.search(r"^MemAvailable:\s+(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return min(folder.f_bavail * folder.f_frsize, int(available[1]) << 10) if available else 0


def scratch_parent() -> str | None:
    """Returns the folder for the tests' files, or None for the system's default folder.

    With files on a disk, tests would wait much longer for the disk than they compute. Files in memory do not change the results of tests: a
    process that is killed loses nothing that it had written, whether in memory or on a disk.
    """
    return MEMORY_FOLDER if memory_octets() >= SCRATCH_OCTETS else None


class Run:
    """Runs each suite once: first the suites that must run alone, then the other suites in parallel lanes."""

    def __init__(self, suites: list[Suite]):
        self.seconds: dict[str, float] = {}
        # The processor time, in seconds, of the suite's processes. A process counts only if its parent process waited for its end.
        self.busy_seconds: dict[str, float] = {}
        self.broken: list[str] = []
        self._beside = [suite for suite in suites if not suite.is_alone]
        self._alone = [suite for suite in suites if suite.is_alone]
        # A thread holds this lock while it prints the output of a suite, so that the outputs of suites are not mixed.
        self._output = threading.Lock()
        self._environment = {name: value for name, value in os.environ.items() if name != DEEP_VARIABLE}

    def run(self, lanes: int) -> None:
        with tempfile.TemporaryDirectory(prefix="optiks-tests-", dir=scratch_parent(), ignore_cleanup_errors=True) as scratch:
            # The folder gets the same mode as /tmp, because the PostgreSQL server of a test runs as another user.
            os.chmod(scratch, 0o1777)
            self._environment["TMPDIR"] = scratch
            self._run_all(lanes)

    def _run_all(self, lanes: int) -> None:
        for suite in self._alone:
            self._run(suite)
        worked, existed = processor_seconds()
        with ThreadPoolExecutor(lanes) as pool:
            try:
                list(pool.map(self._run, self._beside))
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                raise
        now_worked, now_existed = processor_seconds()
        if now_existed > existed:
            print(f"== lanes: {lanes}, processors busy {(now_worked - worked) / (now_existed - existed):.0%} of the time", flush=True)

    def _run(self, suite: Suite) -> None:
        started = time.monotonic()
        print(f"== {suite.name}", flush=True)
        said, trouble, busy = "", None, 0.0
        *first, last = suite.commands
        for command in [*first, last if suite.is_deep else suite.quick_last or last]:
            output, code, seconds = self._command(suite, command)
            said += output
            busy += seconds
            # A suite that exits with an error counts as failed even if its results are good, because it may have crashed at the end.
            if code != 0:
                trouble = f"exit code {code}"
                break
        self.seconds[suite.name], self.busy_seconds[suite.name] = time.monotonic() - started, busy
        with self._output:
            print(said if trouble is not None else "".join(said.splitlines(keepends=True)[-NUM_LINES:]), end="", flush=True)
            print(f"== {suite.name}: {self.seconds[suite.name]:.0f} s, processors {busy:.0f} s", flush=True)
            if trouble is not None:
                self.broken.append(f"{suite.name} ({trouble})")

    def _command(self, suite: Suite, command: list[str]) -> tuple[str, int, float]:
        """Runs a command, and returns its output, its exit code and the processor time that it took, in seconds."""
        # The command runs in the foreground, so that Ctrl-C reaches the suite.
        limited = ["timeout", "--foreground", "--kill-after=10", str(SUITE_SECONDS), *command]
        environment = self._environment | ({} if suite.name in AS_IN_PRODUCTION else JIT_VARIABLES) | ({DEEP_VARIABLE: "1"} if suite.is_deep else {})
        with subprocess.Popen(limited, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return output, process.returncode, usage.ru_utime + usage.ru_stime


def slowest(suites: list[Suite], seconds: dict[str, float], busy_seconds: dict[str, float]) -> str:
    """Returns tables of the slowest suites and the slowest test cases."""
    cases = [(float(case.get("time") or 0), f"{suite.name}: {case.get('name')}") for suite in suites for case in sum_junit.cases(suite.results)]
    rows = [(time_, f"{busy_seconds[name]:6.1f} s  {name}") for name, time_ in seconds.items()]
    lines = []
    for title, table in (("slowest suites, and what they took of processors", rows), ("slowest tests", cases)):
        lines.append(f"{title}:")
        lines += [f"  {time_:6.1f} s  {name}" for time_, name in sorted(table, reverse=True)[:NUM_SLOWEST]]
    lines.append(f"all suites took {sum(busy_seconds.values()):.0f} s of processors")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lanes", type=int, help="suites beside each other (default: twice as many as processors, as most wait now and then; with `deep`, which waits less, one more than processors)")
    parser.add_argument("sets", nargs="+", choices=["quick", "deep"], metavar="SET", help="quick, deep")
    arguments = parser.parse_args()
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    suites = suites_of(arguments.sets)
    run = Run(suites)
    processors = os.cpu_count() or 1
    run.run(arguments.lanes or (processors + 1 if "deep" in arguments.sets else 2 * processors))
    print(slowest(suites, run.seconds, run.busy_seconds))
    for name in run.broken:
        print(f"failed suite: {name}")
    is_sound = sum_junit.report([str(suite.results) for suite in suites], ALLOWED_SKIPS)
    return 0 if is_sound and not run.broken else 1


if __name__ == "__main__":
    sys.exit(main())
