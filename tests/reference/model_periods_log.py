"""The logs of model_periods.py, whose trees are reduced to a single key, and the auditors' checks of these logs."""

import itertools
from dataclasses import dataclass, field

import model

RETAINED = 2
# The names of the model's own checks. The other checks have the names of reasons in docs/spec/reasons.md, or are checks of the ladder.
LOOKING_BACK = "monitoring_at_the_end"
REMEMBERED = "remembered_copy"
RECORDS = ("period_length", "period_skipped", "period_again", "record_vrf_key")
BEFORE_THE_SWITCH, AFTER_THE_SWITCH = COVERAGE = ("coverage_before_the_switch", "coverage_after_the_switch")
AUDITED = (*RECORDS, "copy_mark_after_the_switch", *COVERAGE)


@dataclass
class Tree(model.World):
    """A period's tree, reduced to one key. The epoch that inserted a leaf may differ from the epoch that the leaf names."""

    number: int = 0
    inserted: dict[int, int] = field(default_factory=dict)
    # For each removed version, the first epoch whose tree no longer has the version's leaf.
    removed: dict[int, int] = field(default_factory=dict)

    @property
    def period(self) -> int:
        return self.number

    def holds(self, version: int) -> bool:
        if version not in self.leaves or self.epoch < self.inserted[version]:
            return False
        return version not in self.removed or self.epoch < self.removed[version]

    def put(self, version: int, inserted: int, written: int, value: bytes) -> None:
        self.leaves[version] = (written, value)
        self.inserted[version] = inserted


@dataclass
class Log:
    """A log of one key. `sets` maps an epoch to the value that the owner published in it. A period ends at the epoch before the next
    period's first epoch.

    `starts` has the first epochs of the periods, and `numbers` has the period numbers in the records. `others` maps an epoch to a tree
    under another VRF key, which only the record of this epoch names. Under that key, the leaves of the same tree have other labels, so they
    look like another tree.
    """

    length: int
    starts: list[int]
    numbers: list[int]
    last_epoch: int
    sets: dict[int, bytes]
    trees: list[Tree] = field(default_factory=list)
    others: dict[int, Tree] = field(default_factory=dict)

    def __post_init__(self):
        for i, (start, number) in enumerate(zip(self.starts, self.numbers, strict=True)):
            tree = Tree({}, 0, self.end(i), start, number=number)
            for version, (epoch, value) in enumerate(self.own(i, self.end(i)), start=1):
                tree.put(version, max(epoch, start), epoch, value)
            self.trees.append(tree)

    def end(self, i: int) -> int:
        return self.starts[i + 1] - 1 if i + 1 < len(self.starts) else self.last_epoch

    def index_at(self, epoch: int) -> int:
        return sum(1 for start in self.starts if start <= epoch) - 1

    def view(self, epoch: int) -> Tree:
        """Returns the tree that proofs under this epoch's record show."""
        return self.others.get(epoch, self.trees[self.index_at(epoch)]).at(epoch)

    def own(self, i: int, epoch: int) -> list[tuple[int, bytes]]:
        """Returns the leaf epoch and the value of each version that the owner expects at an epoch of the i-th period."""
        start = self.starts[i]
        before = [value for at, value in sorted(self.sets.items()) if at < start]
        copy = [(0, before[-1])] if before else []
        return copy + [(at, value) for at, value in sorted(self.sets.items()) if start < at <= epoch]

    def owned(self, tree: Tree) -> int:
        return len(self.own(self.trees.index(tree), tree.last_epoch))

    def has_copy(self, tree: Tree) -> bool:
        """Returns whether an honest server would copy the key into the tree."""
        return self.true_at(tree.first_epoch - 1) is not None

    def true_at(self, epoch: int) -> bytes | None:
        values = [value for at, value in sorted(self.sets.items()) if at <= epoch]
        return values[-1] if values else None

    def records_hold(self, epochs: list[int], left_out: str | None = None) -> bool:
        """Returns whether rules 3 and 4 of docs/spec/records.md section 4 hold. The client keeps each epoch's record for the check of the
        next epoch."""
        for before, after in itertools.pairwise(epochs):
            q, r = self.index_at(before), self.index_at(after)
            ahead = self.numbers[r] - self.numbers[q]
            broken = {
                "period_length": q != r and self.starts[r] - self.starts[q] < ahead * self.length,
                "period_skipped": ahead > after - before,
                "period_again": q != r and ahead <= 0,
                "record_vrf_key": q == r and not self.others.keys().isdisjoint((before, after)),
            }
            if any(is_broken and rule != left_out for rule, is_broken in broken.items()):
                return False
        return True

    def with_bounds(self, before: int, after: int) -> list[int]:
        """Returns the epochs whose records a client compares if it looks at these two epochs. If the period changed between the two epochs,
        the result includes the bounds of all periods from the earlier epoch's period on."""
        first, last = self.index_at(before), self.index_at(after)
        ends = [epoch for i in range(first, last) for epoch in (self.starts[i], self.end(i))]
        return sorted({before, after, *ends, *([self.starts[last]] if ends else [])})

    def uncovered(self, checks: list[int], left_out: str | None) -> set[int]:
        """Returns the epochs that no auditor compares with the previous epoch, if the check `left_out` is left out: one of the two ranges
        of epochs that auditors must cover (docs/spec/periods.md section 6)."""
        ranges = []
        for end, start in ((start - 1, start) for start in self.starts[1:]):
            if left_out == BEFORE_THE_SWITCH:
                ranges.append(range(max((at for at in checks if at <= end), default=0) + 1, end + 1))
            if left_out == AFTER_THE_SWITCH:
                ranges.append(range(start + 1, min(at for at in checks if at >= start) + 1))
        return {epoch for one in ranges for epoch in one}

    def passes_audit(self, checks: list[int], left_out: str | None) -> bool:
        """Returns whether the log passes an audit by docs/spec/periods.md section 3, which skips a period's first tree."""
        if not self.records_hold(list(range(self.last_epoch + 1)), left_out):
            return False
        uncovered = self.uncovered(checks, left_out)
        for tree in self.trees:
            if not uncovered.issuperset(tree.removed.values()):
                return False
            for version, (written, _) in tree.leaves.items():
                at = tree.inserted[version]
                marked = written == 0 and left_out == "copy_mark_after_the_switch"
                if at > tree.first_epoch and written != at and not marked and at not in uncovered:
                    return False
        return True
