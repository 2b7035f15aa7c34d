"""Makes logs for model_periods.py, and a dishonest server's moves in these logs."""

import random
from collections.abc import Callable

import model
import pahd
from model_periods_log import AFTER_THE_SWITCH, BEFORE_THE_SWITCH, LOOKING_BACK, REMEMBERED, RETAINED, Log, Tree


def random_log(rng: random.Random, left_out: str | None, honest: bool = False) -> Log:
    """Returns a log of two to four periods, up to three changes by the owner, and one or two moves of a dishonest server.

    One of the moves is the move that the left-out check is meant to find.
    """
    length = rng.randrange(3, 5)
    least = 1 if left_out == "period_length" else length
    numbers = list(range(rng.randrange(2, 4))) if honest else _numbers(rng, left_out)
    starts = [0]
    for i in range(1, len(numbers)):
        periods = max(numbers[i] - numbers[i - 1], 1)
        starts.append(starts[-1] + (periods - 1) * length + rng.randrange(least, length + 2))
    last = starts[-1] + rng.randrange(1, 5)
    free = [epoch for epoch in range(1, last + 1) if epoch not in starts]
    chosen = sorted(rng.sample(free, min(len(free), rng.randrange(4))))
    log = Log(length, starts, numbers, last, {epoch: b"own %d" % i for i, epoch in enumerate(chosen, start=1)})
    if not honest:
        AGAINST.get(left_out, rng.choice(MOVES))(rng, log)
        for _ in range(rng.randrange(2)):
            rng.choice(MOVES)(rng, log)
    return log


def _numbers(rng: random.Random, left_out: str | None) -> list[int]:
    """Returns the numbers that successive periods have in the records. One number may be missing, or may occur twice. The two occurrences
    follow each other directly, or the next number is between them."""
    honest = list(range(rng.randrange(2, 4)))
    skipped = rng.choice(([0, 2], [0, 2, 3], [0, 1, 3]))
    again = rng.choice(([0, 1, 1], [0, 1, 2, 1]))
    special = {"period_length": [0, 1, 2], "period_skipped": skipped, "period_again": again}
    if left_out in special:
        return special[left_out]
    return rng.choices((honest, skipped, again), (18, 1, 1))[0]


def random_checks(rng: random.Random, log: Log) -> list[int]:
    """Returns the epochs at which the owner checks its key, with gaps of at most (R - 1) * T."""
    checks, at = [], 0
    while at < log.last_epoch:
        at = min(at + rng.randrange(1, (RETAINED - 1) * log.length + 1), log.last_epoch)
        checks.append(at)
    return checks


def _written(rng: random.Random, tree: Tree, inserted: int) -> int:
    """Returns the epoch that a leaf names. In a period's first tree this epoch may be wrong, because nobody compares those leaves with the
    epochs that inserted them."""
    return rng.randint(tree.first_epoch, tree.last_epoch) + 1 if inserted == tree.first_epoch else inserted


def _forge(rng: random.Random, tree: Tree, target: int, inserted: int) -> list[int]:
    """Inserts, at successive epochs, the missing versions that a lookup of the target shows. Returns these versions."""
    forged = [version for version in pahd.ladder(target) if version not in tree.leaves]
    for version in forged:
        tree.put(version, inserted, _written(rng, tree, inserted), model.FORGED)
        inserted = min(inserted + 1, tree.last_epoch)
    return forged


def forge_version(rng: random.Random, log: Log) -> None:
    """Forges a version after the owner's last version."""
    tree = rng.choice(log.trees)
    _forge(rng, tree, log.owned(tree) + rng.randrange(1, 4), rng.randint(tree.first_epoch, tree.last_epoch))


def forge_late(rng: random.Random, log: Log) -> None:
    """Forges a later version in the last epochs of a period, when the owner may already have looked for the last time."""
    tree = rng.choice(log.trees[:-1])
    inserted = rng.randint(max(tree.last_epoch - 1, tree.first_epoch), tree.last_epoch)
    _forge(rng, tree, log.owned(tree) + 1, inserted)


def forge_beyond(rng: random.Random, log: Log) -> None:
    """Forges version a + 2 without forging version a + 1. A lookup that shows version a + 2 proves nothing about version a + 1."""
    trees = [tree for tree in log.trees if log.owned(tree) >= 2 and log.owned(tree) % 2 == 0]
    if trees:
        tree = rng.choice(trees)
        _forge(rng, tree, log.owned(tree) + 2, tree.last_epoch)


def forge_for_a_while(rng: random.Random, log: Log) -> None:
    """Forges a later version shortly after or before a switch, and removes it within the period."""
    tree = rng.choice(log.trees)
    inserted = max(tree.first_epoch, rng.choice((tree.first_epoch + 1, tree.last_epoch - 1, tree.last_epoch - 2)))
    for version in _forge(rng, tree, log.owned(tree) + 1, inserted):
        if tree.inserted[version] < tree.last_epoch:
            tree.removed[version] = min(tree.inserted[version] + rng.randrange(1, 3), tree.last_epoch)


def _later(rng: random.Random, log: Log) -> Tree:
    return log.trees[rng.randrange(1, len(log.trees))]


def forge_copy(rng: random.Random, log: Log) -> None:
    """Forges another value from the switch on, or a value for a key that has no value. The copy of the next period may adopt it."""
    tree = _later(rng, log)
    tree.put(1, tree.first_epoch, 0, rng.choice((model.FORGED, *log.sets.values())))


def delay_copy(rng: random.Random, log: Log) -> None:
    """Omits the copy of the key at a switch, and adds the copy in a later epoch."""
    tree = _later(rng, log)
    if log.has_copy(tree) and 1 in tree.leaves and tree.first_epoch < tree.last_epoch:
        inserted = rng.randrange(tree.first_epoch + 1, tree.last_epoch + 1)
        tree.put(1, inserted, rng.choice((0, inserted)), tree.leaves[1][1])


def drop_copy(rng: random.Random, log: Log) -> None:
    """Drops the key at a switch, so that the next period has no copy of it."""
    _later(rng, log).leaves.pop(1, None)


def show_early(rng: random.Random, log: Log) -> None:
    """Already at the switch, shows the value that the owner will set only later, as if it were a copy."""
    tree = _later(rng, log)
    if not log.has_copy(tree) and 1 in tree.leaves:
        tree.put(1, tree.first_epoch, 0, tree.leaves[1][1])


def exchange_vrf_key(rng: random.Random, log: Log) -> None:
    """Exchanges the VRF key at one epoch after the first epoch of a period. Under the other VRF key, the owner's key is absent or has one
    forged version."""
    tree = rng.choice([tree for tree in log.trees if tree.first_epoch < tree.last_epoch])
    epoch = rng.randint(tree.first_epoch + 1, tree.last_epoch)
    other = Tree({}, 0, tree.last_epoch, tree.first_epoch, number=tree.number)
    if rng.random() < 0.5:
        other.put(1, epoch, epoch, model.FORGED)
    log.others[epoch] = other


Move = Callable[[random.Random, Log], None]
MOVES: tuple[Move, ...] = (
    *(forge_version, forge_version, forge_beyond, forge_copy, forge_copy, delay_copy, show_early, drop_copy),
    *(forge_for_a_while, exchange_vrf_key),
)
AGAINST: dict[str | None, Move] = {
    LOOKING_BACK: forge_late,
    "absent_rungs": forge_beyond,
    "handover_period": forge_late,
    "handover_unset": show_early,
    "handover_missing": delay_copy,
    "handover_value": forge_copy,
    "period_length": forge_late,
    "period_skipped": forge_late,
    "period_again": forge_copy,
    "record_vrf_key": exchange_vrf_key,
    "copy_mark_after_the_switch": delay_copy,
    BEFORE_THE_SWITCH: forge_for_a_while,
    AFTER_THE_SWITCH: forge_for_a_while,
    REMEMBERED: drop_copy,
}
