"""The model behind docs/spec/user-monitor.md: python3 tests/reference/model_monitor.py [histories]. test_monitor.py makes bounded runs of
it.

The model has random histories of one user, in which the log forges list versions and values of devices. The trees only grow, which auditors
check. The server answers at any epoch, in pages of any length. It claims any latest version in a page, withholds values, and leaves out,
repeats and exchanges parts. When the owner has a result of epoch e, it must have seen everything that a lookup of its user may have shown
to anybody at an epoch up to e.
"""

import contextlib
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import board
import facts
import pahd
import user_monitor
from board import Checkpoint
from codec import Versions
from codec_users import UserMonitorAnswer
from directory_users import UserDirectory
from refused import Refused, require
from user_monitor import MonitorResult, Own, followed_ids, verify_user_monitor
from verify import Verifier

USER, NAME, DEVICES = b"U", b"name", [b"d1", b"d2", b"d3"]
FORGED = b"forged"


@contextlib.contextmanager
def without(reason: str) -> Iterator[None]:
    """A context manager. Within it, the verifier works without one rule."""
    def all_but_one(condition: bool, name: str) -> None:
        if name != reason:
            require(condition, name)

    user_monitor.require = pahd.require = all_but_one
    try:
        yield
    finally:
        user_monitor.require = pahd.require = require


@contextlib.contextmanager
def following(ids) -> Iterator[None]:
    """A context manager. Within it, verifier and server use the function `ids` in place of the rule for followed ids (section 3)."""
    user_monitor.followed_ids = ids
    try:
        yield
    finally:
        user_monitor.followed_ids = followed_ids


def random_history(rng: random.Random, epochs: int) -> UserDirectory:
    """Returns a history in which epoch 1 creates the user. The owner did not set the values that begin with FORGED."""
    d = UserDirectory(seed=rng.getrandbits(32))
    d.create(USER, [NAME], {DEVICES[0]: b"1"})
    d.publish_users()
    for _ in range(epochs - 1):
        mine = d.lists[USER]
        for _ in range(rng.choice((0, 1, 1, 2))):
            others = [one for one in DEVICES if one not in mine]
            match rng.randrange(4):
                case 0 if others:
                    d.add_device(USER, others[0], rng.choice((None, rng.randbytes(1), FORGED)))
                case 1 if mine:
                    d.remove_device(USER, rng.choice(mine))
                case 2 | 3 if mine:
                    d.set_device(rng.choice(mine), rng.choice((rng.randbytes(1), FORGED)))
            mine = d.lists[USER]
        d.publish_users()
    return d


@dataclass
class Owner:
    """An owner with its state. `brought`: the content of the next question. `shown`: the versions on the pages since the last result.
    `seen`: the versions of all results."""

    brought: Own = Own(USER, [NAME])
    shown: dict[tuple[int, bytes, int], bytes | None] = field(default_factory=dict)
    seen: dict[tuple[int, bytes, int], bytes | None] = field(default_factory=dict)

    def take(self, d: UserDirectory, result: MonitorResult) -> bool:
        """Adds an accepted answer to the state. Returns whether the answer completes a result."""
        self.brought = result.brought_next(self.brought, d.configuration)
        for version, value in result.devices.values.items():
            self.shown[facts.DEVICES, USER, version] = value
        for one, found in result.keys.items():
            self.shown |= {(facts.KEYS, one, version): value for version, value in found.values.items()}
        if result.complete:
            self.seen |= self.shown
            self.shown = {}
        return result.complete

    def missed(self, d: UserDirectory, e: int) -> str:
        """Describes a version that a lookup of an epoch up to `e` shows and the owner did not see. The text is empty if there is no such
        version.

        A withheld value raises an alarm and so does not count as missed, unless it is the latest value. The same holds for devices of a
        withheld list.
        """
        for j in range(1, e + 1):
            list_name = (facts.DEVICES, USER, d.latest(j, USER, facts.DEVICES))
            names = [list_name]
            if self.seen.get(list_name) is not None:
                names += [(facts.KEYS, one, d.latest(j, one)) for one in d.ids_at(j, USER)]
            for name in names:
                structure, key, version = name
                if version and not self._saw(name, d.value_at(j, structure, key), d.latest(e, key, structure) == version):
                    return f"{name} of epoch {j}, in a result of {e}"
        return ""

    def _saw(self, name: tuple[int, bytes, int], true: bytes | None, stands: bool) -> bool:
        return name in self.seen and (self.seen[name] == true or self.seen[name] is None and not stands)


@dataclass
class Tally:
    accepted: int = 0
    results: int = 0
    refused: int = 0
    wrong: int = 0
    example: str = ""


def hostile_answers(histories: int, answers: int, seed: int) -> Tally:
    """Counts the verdicts on hostile answers; `answers` is the number of answers for each history."""
    rng, tally = random.Random(seed), Tally()
    for _ in range(histories):
        d = random_history(rng, 9)
        size = len(d.records)
        v = Verifier(d.anchor, d.now_ms, checkpoint=Checkpoint(size, board.root_of(d.entries(size))))
        owner, epoch = Owner(), 1
        for _ in range(answers):
            epoch = min(d.epoch, epoch + rng.choice((0, 0, 0, 1, 2)))
            if _one_answer(rng, d, v, owner, epoch, tally) and epoch == d.epoch:
                owner, epoch = Owner(), 1
    return tally


def _one_answer(rng: random.Random, d: UserDirectory, v: Verifier, owner: Owner, epoch: int, tally: Tally) -> bool:
    shown = max(1, epoch - rng.choice((0, 0, 0, 1)))
    answer = hostile(rng, d, owner.brought, shown)
    try:
        result = verify_user_monitor(v, answer.encode(), owner.brought)
    except Refused:
        tally.refused += 1
        return False
    tally.accepted += 1
    if not owner.take(d, result):
        return False
    tally.results += 1
    missed = owner.missed(d, result.epoch)
    if missed:
        tally.wrong += 1
        tally.example = missed
    return bool(missed) or rng.random() < 0.2


def hostile(rng: random.Random, d: UserDirectory, own: Own, epoch: int) -> UserMonitorAnswer:
    """Returns an answer that usually differs from the honest answer in some way."""
    d.erased = set()
    if rng.random() < 0.3:
        names = [(facts.DEVICES, USER), *((facts.KEYS, one) for one in DEVICES)]
        d.erased = {(*name, version) for name in names for version in range(1, 10) if rng.random() < 0.5}
    answer = d.user_monitor(own, epoch, rng.choice((None, 1, 1, 2)), kept_size=len(d.records))
    d.erased = set()
    devices, keys = answer.devices, answer.keys
    match rng.randrange(8):
        case 0:
            devices = _other_claim(rng, d, devices, USER, facts.DEVICES, epoch)
        case 1 if keys:
            i = rng.randrange(len(keys))
            ids = _ids_of(answer, own)
            if i < len(ids):
                keys = [*keys[:i], _other_claim(rng, d, keys[i], ids[i], facts.KEYS, epoch), *keys[i + 1 :]]
        case 2 if keys:
            i = rng.randrange(len(keys))
            keys = rng.choice(([*keys[:i], *keys[i + 1 :]], [*keys, keys[i]]))
    return replace(answer, devices=devices, keys=keys)


def _ids_of(answer: UserMonitorAnswer, own: Own) -> list[bytes]:
    return sorted(own.keys) if len(own.keys) == len(answer.keys) else []


def _other_claim(
    rng: random.Random, d: UserDirectory, versions: Versions, key: bytes, structure: int, epoch: int
) -> Versions:
    """Returns a list that claims another latest version, with those proofs of absence that this claim requires and that exist."""
    claimed = max(0, versions.version + rng.choice((-2, -1, 1, 2)))
    members = versions.members[: max(0, claimed - versions.start + 1)]
    ends = versions.start + len(members) - 1 == claimed
    try:
        absent = [d.absent(epoch, key, i, structure) for i in pahd.next_rungs(claimed)] if ends else []
    except (AssertionError, KeyError, ValueError):
        absent = []
    return Versions(claimed, versions.start, members, absent)


if __name__ == "__main__":
    print(hostile_answers(int(sys.argv[1]) if len(sys.argv) > 1 else 100, 120, seed=1))
