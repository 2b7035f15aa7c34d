"""Computes the figures of the service benchmarks, and writes their result files."""

import json
import math
import os
import platform
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED_EVENT = 3030


@dataclass(frozen=True)
class Figure:
    """One row of a result file. The baseline was measured in the same run and has the same unit as the value. The row's ratio is value /
    baseline."""

    name: str
    unit: str
    value: float
    baseline: float | None = None
    samples: list[float] = field(default_factory=list)
    counters: dict[str, float] = field(default_factory=dict)
    """Further measurements by name; each name contains the unit."""

    @property
    def ratio(self) -> float | None:
        return self.value / self.baseline if self.baseline else None

    def document(self) -> dict:
        return {"name": self.name, "unit": self.unit, "value": self.value, "baseline": self.baseline, "ratio": self.ratio,
                "samples": self.samples or [self.value], **self.counters}


@dataclass(frozen=True)
class Load:
    """The figures about updates in the JSON report of an optiks-stress run."""

    accepted: int
    """Number of updates that were accepted in the whole run, including the warm-up."""
    accepted_rate: float
    """Accepted updates a second in the measured time."""
    published_rate: float
    """Versions that the log gained a second, from the newest epoch at the beginning of the measured time to the last epoch within it."""
    backlog: int
    """Number of accepted updates that are still unpublished after the first epoch that follows the end of the load."""
    largest_epoch: int


def load_of(report: dict) -> Load:
    begin, end = report["warm_up_s"], report["warm_up_s"] + report["measured_s"]
    epochs = [(epoch["at_s"], epoch["versions"]) for epoch in report["epochs"]]
    standing = [epoch for epoch in epochs if epoch[0] <= begin][-1:]
    inside = standing + [epoch for epoch in epochs if begin < epoch[0] <= end]
    if len(inside) < 2:
        raise ValueError(f"{len(inside)} epochs in {report['measured_s']:.0f} s: measure longer")
    (first_at, first), (last_at, last) = inside[0], inside[-1]
    accepted, before = report["updates"]["accepted"], report["versions_before"]
    under_way = next((versions for at, versions in epochs if at > end), before + accepted)
    counts = [before, *(versions for _, versions in epochs)]
    return Load(
        accepted=accepted, accepted_rate=updates_rate(report), published_rate=(last - first) / (last_at - first_at),
        backlog=before + accepted - under_way, largest_epoch=max(b - a for a, b in zip(counts, counts[1:])))


def updates_rate(report: dict) -> float:
    """Returns the number of updates accepted per second, over the full seconds of the measured time. An update counts in the second of its
    answer."""
    begin, end = math.ceil(report["warm_up_s"]), math.floor(report["warm_up_s"] + report["measured_s"] + 1e-6)
    return sum(second["updates"] for second in report["seconds"][begin:end]) / (end - begin)


def value_of(report: dict, name: str) -> float:
    """Returns the value of the result with this name in the report."""
    return next(row["value"] for row in report["results"] if row["name"] == name)


def bad_share(report: dict) -> float:
    """Returns the share of failed and unsent requests among the requests that were due in the measured time."""
    bad = sum(error["count"] for error in report["errors"])
    answered = sum(row["value"] for row in report["results"] if row["name"].endswith("/answered")) * report["measured_s"]
    return bad / (bad + answered) if bad else 0.0


def database_share(log_lines: list[str]) -> float:
    """Returns the database's share of the time that the update-task's steps take, from lines of the task's log. Epochs without updates do
    not count."""
    database = steps = 0.0
    for line in log_lines:
        if f'"EventId":{PUBLISHED_EVENT},' in line:
            state = json.loads(line)["State"]
            if int(state["Updates"]) > 0:
                database += float(state["DatabaseMilliseconds"])
                steps += float(state["StepMilliseconds"])
    if steps == 0:
        raise ValueError("the update-task's log has no epoch with updates")
    return database / steps


def paired(name: str, unit: str, values: list[float], baselines: list[float]) -> Figure:
    """Returns a figure from values and baselines that were measured alternately. The figure has the medians of both, and the values as its
    samples."""
    if len(values) != len(baselines):
        raise ValueError("one baseline a value")
    return Figure(name, unit, statistics.median(values), statistics.median(baselines), values)


def write(path: Path, figures: list[Figure]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"cpu": cpu(), "cores": os.cpu_count(), "commit": commit(), "results": [figure.document() for figure in figures]}
    path.write_text(json.dumps(document, indent=2) + "\n")


def table(figures: list[Figure]) -> str:
    """Returns the figures as a text table for people."""
    width = max(len(figure.name) for figure in figures)
    lines = [f"{'':{width}}  {'value':>12}  {'baseline':>12}  {'ratio':>6}"]
    for figure in figures:
        baseline = "" if figure.baseline is None else _number(figure.baseline)
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        lines.append(f"{figure.name:{width}}  {_number(figure.value):>12}  {baseline:>12}  {ratio:>6}  {figure.unit}")
    return "\n".join(lines)


def cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def commit() -> str | None:
    """Returns the hash of the current commit, or None if the folder is not a clone of the repository."""
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"
