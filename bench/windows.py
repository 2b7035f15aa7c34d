"""Compares the p99 latency of requests during an event in an optiks-stress run with the p99 latency before the event."""

import datetime
import math
import statistics
from collections import Counter
from dataclasses import dataclass

from figures import Figure


class BenchFailed(Exception):
    """Raised if the measured event did not happen, or if the run was too short."""


@dataclass
class Moments:
    """The times at which an event was requested and began, in Unix time."""

    asked: float = 0.0
    """The time at which the event begins."""
    complete: float = 0.0
    """In a switch of the period, the time at which all copies are staged for the first time."""
    begun: float = 0.0
    """The time at which the event is done. In a switch, a replica then shows the first epoch of the next period."""


@dataclass(frozen=True)
class Window:
    """One window of a run; its times are Unix times."""

    start: float
    end: float
    latencies: dict[str, Counter[int]]
    """For each operation, the number of answers in each bucket; the key of a bucket is its upper edge in microseconds."""

    def p99(self, operation: str) -> float:
        """Returns the p99 latency of an operation in this window, in seconds."""
        return p99_of([self], operation)


def p99_of(windows: list[Window], operation: str) -> float:
    """Returns the p99 latency of all answers in these windows together, in seconds, by nearest rank."""
    latencies = sum((window.latencies.get(operation, Counter()) for window in windows), Counter())
    left = math.ceil(latencies.total() * 0.99)
    for edge in sorted(latencies):
        if (left := left - latencies[edge]) <= 0:
            return edge / 1e6
    raise BenchFailed(f"no {operation} was answered")


def windows_of(report: dict, length: float) -> list[Window]:
    """Returns the complete windows of a report."""
    began = datetime.datetime.fromisoformat(report["started"]).timestamp()
    last = report["warm_up_s"] + report["measured_s"]
    return [Window(began + window["start_s"], began + window["start_s"] + length, {row["operation"]: Counter(dict(row["latencies_us"])) for row in window["operations"]})
            for window in report["windows"] if window["start_s"] + length <= last]


@dataclass(frozen=True)
class Comparison:
    """The windows before an event, and the windows from the event's beginning until one window's length after its end."""

    before: list[Window]
    meanwhile: list[Window]

    def figures(self, name: str, operation: str) -> list[Figure]:
        """Returns two figures. The first compares the p99 of all requests during the event with the p99 before it. The second compares the
        worst window during the event with the median window before it. Windows without an answered request are left out."""
        per_window = [window.p99(operation) * 1e3 for window in self.meanwhile if window.latencies.get(operation)]
        calm = [window.p99(operation) * 1e3 for window in self.before if window.latencies.get(operation)]
        return [
            Figure(name, "ms", p99_of(self.meanwhile, operation) * 1e3, p99_of(self.before, operation) * 1e3),
            Figure(f"{name}/worst-window", "ms", max(per_window), statistics.median(calm), per_window, {"worst_before_ms": max(calm), "median_ms": statistics.median(per_window)}),
        ]


def compare(windows: list[Window], moments: Moments, length: float, least_before: int) -> Comparison:
    """Returns the windows before the event and during it. Raises BenchFailed if the run has fewer than `least_before` windows before the
    event, or if the run ended too early."""
    before = [window for window in windows if window.end <= moments.asked]
    meanwhile = [window for window in windows if window.end > moments.asked and window.start < moments.begun + length]
    if len(before) < least_before or not meanwhile or meanwhile[-1].end < moments.begun + length:
        raise BenchFailed(f"{len(before)} windows before, {len(meanwhile)} from then on: the run was too short")
    return Comparison(before, meanwhile)
