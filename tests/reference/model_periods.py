"""The model behind docs/spec/periods.md: python3 tests/reference/model_periods.py [logs]. test_periods.py makes bounded runs of it.

The model has one key, its owner, anyone who looks it up, auditors, and a server that behaves arbitrarily around switches of the period. The
server chooses when to switch, the numbers of the periods, the content of a period's first tree, and the leaves that it adds and removes
later. The server also chooses the VRF key under which it answers, and the periods and epochs that it shows to the owner (its moves are in
model_periods_moves.py). Time is counted in epochs.

A log is found out if the auditors refuse it or its owner is alarmed. In all other logs every lookup must be true: it shows the value that
the owner had published by then. Consider a client that was shown a version in an earlier period, and accepts a lookup in a later period.
This client also knows, without any owner's checks, that nobody was shown the key as absent since the switch.

Each check is left out in one run. The model must then accept a lie that the check would find.
"""

import contextlib
import itertools
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import handover
import model
import pahd
from codec import NonMember, Versions
from handover import EndState
from model_periods_log import AUDITED, LOOKING_BACK, REMEMBERED, RETAINED, Log
from model_periods_moves import random_checks, random_log
from refused import Refused, require


class Alarm(Exception):
    """The owner found a version that it did not set."""


@dataclass
class Lookers:
    """The results that lookups at each epoch can show to a client without knowledge of the key."""

    log: Log

    def __post_init__(self):
        self.shown = {epoch: list(self.log.view(epoch).lookups(None)) for epoch in range(1, self.log.last_epoch + 1)}

    def untrue(self) -> bool:
        shown = ((epoch, result) for epoch, results in self.shown.items() for result in results)
        return any((result.value if result.version else None) != self.log.true_at(epoch) for epoch, result in shown)

    def are_content(self, epoch: int, left_out: str | None) -> bool:
        """Returns whether clients that remember a version of an earlier period accept the epoch. To be accepted, version 1 must have leaf
        epoch 0, because it must be the copy of the remembered version or of a later version."""
        copied = self.log.view(epoch).leaves.get(1, (None,))[0] == 0
        return any(left_out == REMEMBERED or (copied and result.version > 0) for result in self.shown[epoch])

    def with_memory(self, left_out: str | None) -> Iterator[tuple[bool, bool]]:
        """Yields a pair for each epoch that follows a period in which a version was shown: (whether the clients accept the epoch, whether
        the key was shown as absent since the switch)."""
        remembered: set[int] = set()
        for i, tree in enumerate(self.log.trees):
            absent, versions = False, set()
            for epoch in range(max(tree.first_epoch, 1), self.log.end(i) + 1):
                here = {result.version for result in self.shown[epoch]}
                absent |= 0 in here
                versions |= here
                if any(number < tree.number for number in remembered):
                    yield self.are_content(epoch, left_out), absent
            if versions - {0}:
                remembered.add(tree.number)


@dataclass
class Story:
    """The server's claims to the owner at one check: the last epoch of each ended period, and the periods that it skips."""

    ends: dict[int, int]
    skipped: frozenset[int]


@dataclass
class Owner:
    log: Log
    left_out: str | None
    period: int = 0
    known: pahd.Known = pahd.Known()
    version: int = 0
    value: bytes | None = None
    end: EndState | None = None
    # The number of periods about which the owner was told that there is no guarantee.
    told: int = 0

    def check(self, epoch: int, story: Story) -> None:
        """Makes the owner's checks of docs/spec/periods.md section 6 for all periods up to the current period, whose number the owner
        knows. The exceptions Alarm and Refused end the checks."""
        i = self.log.index_at(epoch)
        current = self.log.numbers[i]
        for ended, number in enumerate(self.log.numbers[:i]):
            if not self.period <= number < current or (ended in story.skipped and number != self.period):
                continue
            if number < current - (RETAINED - 1):
                self.told += 1
                self._begin(None)
                continue
            at = story.ends[ended]
            if self.left_out == LOOKING_BACK and self.known.period == number:
                mine = self.log.own(ended, at)
                self.version, self.value = len(mine), mine[-1][1] if mine else None
            else:
                self._monitor(ended, at)
            self._begin(EndState(number, at, self.version, self.value))
        self._monitor(i, epoch)

    def _begin(self, end: EndState | None) -> None:
        self.end, self.known, self.version = end, pahd.Known(-1), 0

    def _monitor(self, i: int, epoch: int) -> None:
        """Checks all versions after the owner's known version. In the model, the server shows as many versions as the owner expects,
        because any other number raises an alarm."""
        tree, mine = self.log.view(epoch), [value for _, value in self.log.own(i, epoch)]
        known = self.known if self.known.period == tree.number else pahd.Known(tree.number)
        start, a = known.version + 1, len(mine)
        if a < known.version or not all(map(tree.holds, range(start, a + 1))):
            raise Alarm
        members = [tree.member(version, True) for version in range(start, a + 1)]
        answer = Versions(a, start, members, [NonMember(b"", None, None)] * len(pahd.next_rungs(a)))
        result = pahd.verify_versions(tree, answer, known)
        if self.end is not None:
            handover.check_handover(tree.period, tree.first_epoch, answer, self.end)
        if any(not self._is_own(version, value, i, mine) for version, value in result.values.items()):
            raise Alarm
        self.end = None
        self.period, self.known, self.version = tree.number, result.known, a
        self.value = mine[-1] if mine else None

    def _is_own(self, version: int, value: bytes, i: int, mine: list[bytes]) -> bool:
        if version > 1 or i == 0:
            return value == mine[version - 1]
        if self.end is None:
            return value in self.log.sets.values()
        # If there was a value at the end of the previous period, the hand-over has already compared the copy with it.
        return self.end.version > 0 or value == mine[0]


@contextlib.contextmanager
def without(check: str | None) -> Iterator[None]:
    """A context manager. Within it, the verifier works without one check of docs/spec/periods.md section 6, or requires only the absence of
    a + 1."""
    handover.require = lambda condition, name: None if name == check else require(condition, name)
    try:
        with model.only_the_next() if check == "absent_rungs" else contextlib.nullcontext():
            yield
    finally:
        handover.require = require


# Verdicts.


def stories(log: Log, before: int, epoch: int) -> Iterator[Story]:
    """Yields the true story, and every other claim of a server about the ends of periods."""
    ended = list(range(log.index_at(before), log.index_at(epoch)))
    choices = [range(max(log.starts[i], before), log.end(i) + 1) for i in ended]
    for ends in itertools.product(*choices):
        for skipped in ([], *([i] for i in ended)):
            yield Story(dict(zip(ended, ends, strict=True)), frozenset(skipped))


def is_found_out(log: Log, checks: list[int], left_out: str | None) -> tuple[bool, bool]:
    """Returns two truth values: whether the owner gets an alarm whatever the server claims, and whether the owner was told of a period
    without guarantee."""
    owners = [Owner(log, left_out)]
    before = 0
    for epoch in checks:
        survivors = []
        for owner in owners:
            for story in stories(log, before, epoch):
                checked = replace(owner)
                try:
                    checked.check(epoch, story)
                except (Alarm, Refused):
                    continue
                survivors.append(checked)
        # From here on, the owner's knowledge from two stories can differ only in the number of periods without guarantee.
        owners = list({(one.told, one.known, one.version, one.value): one for one in survivors}.values())
        before = epoch
    return not owners, any(owner.told for owner in owners)


@dataclass
class Verdict:
    """The verdict on one log. `refused`: auditors refuse the log. `passes`: the log showed something untrue, and the parties that should
    find this did not."""

    refused: bool
    untrue: bool
    passes: bool = False
    told: bool = False


def judge(log: Log, checks: list[int], left_out: str | None) -> Verdict:
    with without(left_out):
        lookers = Lookers(log)
        if not log.passes_audit(checks, left_out):
            return Verdict(True, lookers.untrue())
        alarmed, told = is_found_out(log, checks, left_out)
        untrue, misled = lookers.untrue(), (True, True) in lookers.with_memory(left_out)
        return Verdict(False, untrue or misled, (untrue and not alarmed) or misled, told)


@dataclass
class Tally:
    logs: int = 0
    # The numbers of logs that show something untrue, by the party that finds this.
    refused: int = 0
    detected: int = 0
    undetected: int = 0
    # The number of undetected logs that are detected when the left-out check is made.
    found_with_it: int = 0
    no_guarantee: int = 0
    example: Log | None = field(default=None, repr=False)


def play(logs: int, seed: int, left_out: str | None = None) -> Tally:
    rng, tally = random.Random(seed), Tally()
    for _ in range(logs):
        log = random_log(rng, left_out)
        checks = random_checks(rng, log)
        verdict = judge(log, checks, left_out)
        tally.logs += 1
        tally.no_guarantee += verdict.told
        if verdict.passes:
            tally.undetected += 1
            tally.found_with_it += not judge(log, checks, None).passes
            tally.example = tally.example or log
        elif verdict.untrue:
            tally.refused += verdict.refused
            tally.detected += not verdict.refused
    return tally


def found_by_records(logs: int, seed: int) -> tuple[int, int]:
    """Returns (number of logs whose records auditors refuse, number of these logs that are found by a client that keeps a record and looks
    twice).

    There are two faults. In the first, a period's number is not one more than the number of the period before; the client then looks once
    before this period begins and once afterwards. In the second, an epoch has another VRF key than the rest of its period; the client then
    looks at this epoch and at another epoch of the period.
    """
    rng, refused, found = random.Random(seed), 0, 0
    for _ in range(logs):
        log = random_log(rng, None)
        wrong = [start for start in log.starts[1:] if not log.records_hold([start - 1, start])]
        looks = [(one, other) for at in wrong for one in range(at) for other in range(at, log.last_epoch + 1)]
        for at in log.others:
            start = log.starts[log.index_at(at)]
            looks += [(min(at, other), max(at, other)) for other in range(start, log.last_epoch + 1) if other != at]
        refused += not log.records_hold(list(range(log.last_epoch + 1)))
        found += bool(looks) and not any(log.records_hold(log.with_bounds(*look)) for look in looks)
    return refused, found


def false_alarms(logs: int, seed: int) -> tuple[int, int]:
    """Returns (number of logs in which an honest server alarms an owner, a client or an auditor, number of hand-overs that owners made)."""
    rng, alarms, handovers = random.Random(seed), 0, 0
    for _ in range(logs):
        log = random_log(rng, None, honest=True)
        checks = random_checks(rng, log)
        owner = Owner(log, None)
        for epoch in checks:
            before = owner.period
            try:
                owner.check(epoch, Story({i: log.end(i) for i in range(len(log.starts))}, frozenset()))
            except (Alarm, Refused):
                alarms += 1
                break
            handovers += owner.period - before
        lookers = Lookers(log)
        content = all(is_content for is_content, _ in lookers.with_memory(None))
        content &= all(log.records_hold(log.with_bounds(*looks)) for looks in itertools.pairwise([0, *checks]))
        alarms += lookers.untrue() or not content or not log.passes_audit(checks, None) or owner.told > 0
    return alarms, handovers


CHECKS = (
    LOOKING_BACK,
    "absent_rungs",
    "handover_period",
    "handover_unset",
    "handover_missing",
    "handover_value",
    *AUDITED,
    REMEMBERED,
)


def main(logs: int) -> None:
    print(play(logs, 1))
    print("  honest logs: alarms, hand-overs:", false_alarms(logs, 1))
    print("  records that auditors refuse, found by clients that keep one:", found_by_records(logs, 1))
    for check in CHECKS:
        print(f"  without {check}:", play(logs, 1, check))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
