"""The model behind docs/spec/periods.md: python3 tests/reference/model_periods.py [logs]; bounded runs of it are in test_periods.py.

One key, an owner, whoever looks it up, auditors, and a server that does what it likes around switches of the period: it chooses
when to switch, what the first tree of a period holds, what it adds later, and which periods and epochs it shows to the owner.
Time is counted in epochs. A log that the auditors refuse counts as found out, and so does one whose owner is alarmed. In all
others every lookup has to be true: it shows what the owner had published by then.

Each check is left out once, and must then let something pass.
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
from refused import Refused, require

RETAINED = 2
# What the model itself judges; the others are reasons of docs/spec/reasons.md, or of the ladder.
AUDITED = ("period_length", "copy_mark_after_the_switch")
LOOKING_BACK = "monitoring_at_the_end"


class Alarm(Exception):
    """The owner found something that it did not do."""


@dataclass
class Tree(model.World):
    """A period's tree, reduced to one key. The epoch that inserted a leaf need not be the one that it names."""

    number: int = 0
    inserted: dict[int, int] = field(default_factory=dict)

    @property
    def period(self) -> int:
        return self.number

    def holds(self, version: int) -> bool:
        return version in self.leaves and self.inserted[version] <= self.epoch

    def put(self, version: int, inserted: int, written: int, value: bytes) -> None:
        self.leaves[version] = (written, value)
        self.inserted[version] = inserted


@dataclass
class Log:
    """sets: epoch -> value that the owner published then. A period's last epoch is the one before the next one's first."""

    length: int
    starts: list[int]
    last_epoch: int
    sets: dict[int, bytes]
    trees: list[Tree] = field(default_factory=list)

    def __post_init__(self):
        for number, start in enumerate(self.starts):
            tree = Tree({}, 0, self.end(number), start, number=number)
            for version, (epoch, value) in enumerate(self.own(number, self.end(number)), start=1):
                tree.put(version, max(epoch, start), epoch, value)
            self.trees.append(tree)

    def end(self, number: int) -> int:
        return self.starts[number + 1] - 1 if number + 1 < len(self.starts) else self.last_epoch

    def period_at(self, epoch: int) -> int:
        return sum(1 for start in self.starts if start <= epoch) - 1

    def own(self, number: int, epoch: int) -> list[tuple[int, bytes]]:
        """Leaf epoch and value of each version that the owner expects in a period at an epoch of it."""
        start = self.starts[number]
        before = [value for at, value in sorted(self.sets.items()) if at < start]
        copy = [(0, before[-1])] if before else []
        return copy + [(at, value) for at, value in sorted(self.sets.items()) if start < at <= epoch]

    def true_at(self, epoch: int) -> bytes | None:
        values = [value for at, value in sorted(self.sets.items()) if at <= epoch]
        return values[-1] if values else None

    def passes_audit(self, left_out: str | None) -> bool:
        """docs/spec/periods.md section 3. A period's first tree is skipped."""
        gaps = [after - before for before, after in itertools.pairwise(self.starts)]
        if left_out != "period_length" and any(gap < self.length for gap in gaps):
            return False
        for tree in self.trees:
            for version, (written, _) in tree.leaves.items():
                at = tree.inserted[version]
                marked = written == 0 and left_out == "copy_mark_after_the_switch"
                if at > tree.first_epoch and written != at and not marked:
                    return False
        return True

    def untrue_lookups(self) -> int:
        found = 0
        for epoch in range(1, self.last_epoch + 1):
            here = self.trees[self.period_at(epoch)].at(epoch)
            for result in here.lookups(None):
                found += (result.value if result.version else None) != self.true_at(epoch)
        return found


@dataclass
class Story:
    """What the server tells the owner at one check: the epoch as the last one of each period, and the periods that it passes over."""

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
    # Periods of which it was told that there is no guarantee.
    told: int = 0

    def check(self, epoch: int, story: Story) -> None:
        """docs/spec/periods.md section 6, for all periods up to the current one; Alarm or Refused ends it."""
        current = self.log.period_at(epoch)
        for number in range(self.period, current):
            if number in story.skipped and number != self.period:
                continue
            if number < current - (RETAINED - 1):
                self.told += 1
                self._begin(None)
                continue
            at = story.ends[number]
            if self.left_out == LOOKING_BACK and self.known.period == number:
                mine = self.log.own(number, at)
                self.version, self.value = len(mine), mine[-1][1] if mine else None
            else:
                self._monitor(number, at)
            self._begin(EndState(number, at, self.version, self.value))
        self._monitor(current, epoch)

    def _begin(self, end: EndState | None) -> None:
        self.end, self.known, self.version = end, pahd.Known(-1), 0

    def _monitor(self, number: int, epoch: int) -> None:
        """The whole list since what is known. The server shows as many versions as the owner expects: others are an alarm anyway."""
        tree, mine = self.log.trees[number].at(epoch), [value for _, value in self.log.own(number, epoch)]
        known = self.known if self.known.period == number else pahd.Known(number)
        start, a = known.version + 1, len(mine)
        if a < known.version or not all(map(tree.holds, range(start, a + 1))):
            raise Alarm
        members = [tree.member(version, True) for version in range(start, a + 1)]
        answer = Versions(a, start, members, [NonMember(b"", None, None)] * len(pahd.next_rungs(a)))
        result = pahd.verify_versions(tree, answer, known)
        if self.end is not None:
            handover.check_handover(tree.period, tree.first_epoch, answer, self.end)
        if any(not self._is_own(version, value, number, mine) for version, value in result.values.items()):
            raise Alarm
        self.end = None
        self.period, self.known, self.version = number, result.known, a
        self.value = mine[-1] if mine else None

    def _is_own(self, version: int, value: bytes, number: int, mine: list[bytes]) -> bool:
        if version > 1 or number == 0:
            return value == mine[version - 1]
        if self.end is None:
            return value in self.log.sets.values()
        # The hand-over compared a copy with the end state.
        return self.end.version > 0 or value == mine[0]


@contextlib.contextmanager
def without(check: str | None) -> Iterator[None]:
    """The verifier with one check of docs/spec/periods.md section 6 left out, or with the absence of a + 1 alone."""
    handover.require = lambda condition, name: None if name == check else require(condition, name)
    try:
        with model.only_the_next() if check == "absent_rungs" else contextlib.nullcontext():
            yield
    finally:
        handover.require = require


# Logs.


def random_log(rng: random.Random, left_out: str | None, honest: bool = False) -> Log:
    """Two or three periods, up to three changes by the owner, and one or two by a server that is not honest."""
    length = rng.randrange(3, 5)
    least = 1 if left_out == "period_length" else length
    starts = [0]
    for _ in range(rng.randrange(1, 3)):
        starts.append(starts[-1] + rng.randrange(least, length + 2))
    last = starts[-1] + rng.randrange(1, 5)
    free = [epoch for epoch in range(1, last + 1) if epoch not in starts]
    chosen = sorted(rng.sample(free, min(len(free), rng.randrange(4))))
    log = Log(length, starts, last, {epoch: b"own %d" % i for i, epoch in enumerate(chosen, start=1)})
    for _ in range(0 if honest else rng.randrange(1, 3)):
        rng.choice((forge_version, forge_version, forge_copy, delay_copy, show_early))(rng, log)
    return log


def _written(rng: random.Random, tree: Tree, inserted: int) -> int:
    """What a leaf says: nobody compares the leaves of a period's first tree with their epochs."""
    return rng.randint(tree.first_epoch, tree.last_epoch) + 1 if inserted == tree.first_epoch else inserted


def forge_version(rng: random.Random, log: Log) -> None:
    """A later version than the owner's last one, with what a lookup of it shows."""
    tree = rng.choice(log.trees)
    inserted = rng.randint(tree.first_epoch, tree.last_epoch)
    own = len(log.own(tree.number, tree.last_epoch))
    for version in pahd.ladder(own + rng.randrange(1, 4)):
        if version not in tree.leaves:
            tree.put(version, inserted, _written(rng, tree, inserted), model.FORGED)
            inserted = min(inserted + 1, tree.last_epoch)


def _later(rng: random.Random, log: Log) -> Tree:
    return log.trees[rng.randrange(1, len(log.trees))]


def forge_copy(rng: random.Random, log: Log) -> None:
    """Another value from the switch on, or one for a key that has none; taken on by the copy of the next period or not."""
    tree = _later(rng, log)
    tree.put(1, tree.first_epoch, 0, rng.choice((model.FORGED, *log.sets.values())))


def delay_copy(rng: random.Random, log: Log) -> None:
    """The copy is not there at the switch, and comes later."""
    tree = _later(rng, log)
    if 1 in tree.leaves and tree.leaves[1][0] == 0 and tree.first_epoch < tree.last_epoch:
        inserted = rng.randrange(tree.first_epoch + 1, tree.last_epoch + 1)
        tree.put(1, inserted, rng.choice((0, inserted)), tree.leaves[1][1])


def show_early(rng: random.Random, log: Log) -> None:
    """What the owner is about to set is there at the switch already, as if it were a copy."""
    tree = _later(rng, log)
    if 1 in tree.leaves and tree.leaves[1][0] != 0:
        tree.put(1, tree.first_epoch, 0, tree.leaves[1][1])


# Verdicts.


@dataclass
class Tally:
    logs: int = 0
    audited: int = 0
    detected: int = 0
    undetected: int = 0
    no_guarantee: int = 0
    example: Log | None = field(default=None, repr=False)


def stories(log: Log, before: int, epoch: int) -> Iterator[Story]:
    """The truth, and everything else that a server may tell about where periods ended."""
    ended = list(range(log.period_at(before), log.period_at(epoch)))
    choices = [range(max(log.starts[number], before), log.end(number) + 1) for number in ended]
    for ends in itertools.product(*choices):
        for skipped in ([], *([number] for number in ended)):
            yield Story(dict(zip(ended, ends, strict=True)), frozenset(skipped))


def is_found_out(log: Log, checks: list[int], left_out: str | None) -> tuple[bool, bool]:
    """(whether the owner is alarmed, whatever the server tells it; whether it was told of a period without guarantee)."""
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
        # What an owner knows does not depend on the story any more, but for what it was told.
        owners = list({(one.told, one.known, one.version, one.value): one for one in survivors}.values())
        before = epoch
    return not owners, any(owner.told for owner in owners)


def play(logs: int, seed: int, left_out: str | None = None) -> Tally:
    rng, tally = random.Random(seed), Tally()
    with without(left_out):
        for _ in range(logs):
            log = random_log(rng, left_out)
            checks = _checks(rng, log)
            tally.logs += 1
            if not log.passes_audit(left_out):
                continue
            tally.audited += 1
            alarmed, told = is_found_out(log, checks, left_out)
            tally.no_guarantee += told
            if log.untrue_lookups():
                tally.detected += alarmed
                tally.undetected += not alarmed
                if not alarmed:
                    tally.example = tally.example or log
    return tally


def false_alarms(logs: int, seed: int) -> tuple[int, int]:
    """(owners who are alarmed by a server that does and tells the truth, hand-overs that they made)."""
    rng, alarms, handovers = random.Random(seed), 0, 0
    for _ in range(logs):
        log = random_log(rng, None, honest=True)
        owner = Owner(log, None)
        for epoch in _checks(rng, log):
            before = owner.period
            try:
                owner.check(epoch, Story({number: log.end(number) for number in range(len(log.starts))}, frozenset()))
            except (Alarm, Refused):
                alarms += 1
                break
            handovers += owner.period - before
        alarms += log.untrue_lookups() > 0 or not log.passes_audit(None) or owner.told > 0
    return alarms, handovers


def _checks(rng: random.Random, log: Log) -> list[int]:
    """The epochs at which the owner looks: the gaps are at most (R - 1) * T."""
    checks, at = [], 0
    while at < log.last_epoch:
        at = min(at + rng.randrange(1, (RETAINED - 1) * log.length + 1), log.last_epoch)
        checks.append(at)
    return checks


CHECKS = (
    LOOKING_BACK,
    "absent_rungs",
    "handover_period",
    "handover_unset",
    "handover_missing",
    "handover_value",
    *AUDITED,
)


def main(logs: int) -> None:
    print(play(logs, 1))
    print("  honest logs: alarms, hand-overs:", false_alarms(logs, 1))
    for check in CHECKS:
        print(f"  without {check}:", play(logs, 1, check))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
