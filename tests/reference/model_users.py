"""The model behind docs/spec/users.md section 3: python3 tests/reference/model_users.py [histories]. test_users.py makes bounded runs of
it.

The model has random histories, and answers assembled from parts of any epochs. The trees only grow, which auditors check. The server
chooses the epoch of every part, and leaves out or repeats keys. Every answer that a client accepts must be the state of the user at e*,
even if the client remembers earlier answers. With reuse, names of users who have left are reassigned (docs/spec/recycled-names.md).
"""

import contextlib
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import board
import pahd
import users
from board import Checkpoint
from codec_users import CURRENT
from directory_users import At, State, UserDirectory
from refused import Refused, require
from users import Asked, Kept, KeptList, UserResult
from verify import Verifier

NAMES = [b"anna", b"anna@work", b"ben", b"nobody"]
DEVICES = {b"A": [b"a1", b"a2", b"a3"], b"B": [b"b1", b"b2"], b"C": [b"c1", b"c2"], b"D": [b"d1"]}
# FIRST has the names of each first user. LATER has the later users, who take names of users who have left.
FIRST, LATER = {b"A": [b"anna", b"anna@work"], b"B": [b"ben"]}, [b"C", b"D"]


@contextlib.contextmanager
def without(reason: str) -> Iterator[None]:
    """A context manager. Within it, the verifier works without one rule of docs/spec/users.md."""
    users.require = lambda condition, name: None if name == reason else require(condition, name)
    try:
        yield
    finally:
        users.require = require


def random_history(rng: random.Random, epochs: int, reuse: bool = False) -> UserDirectory:
    d = UserDirectory(seed=rng.getrandbits(32), username_reuse=int(reuse))
    for _ in range(epochs):
        # The names of users who had left before this epoch.
        free = [name for name, user in d.users.items() if reuse and user in d.left]
        for user, names in FIRST.items():
            if rng.random() < 0.7:
                _random_change(rng, d, user, [name for name in names if name not in d.users])
        for user in LATER:
            if user in d.lists or free:
                _random_change(rng, d, user, [name for name in free if d.users[name] in d.left])
        d.publish_users()
    return d


def _random_change(rng: random.Random, d: UserDirectory, user: bytes, names: list[bytes]) -> None:
    if user in d.left:
        return
    if user not in d.lists:
        some = rng.sample(DEVICES[user], rng.randrange(len(DEVICES[user])))
        d.create(user, names[:1], {one: rng.choice((None, rng.randbytes(2))) for one in some})
        return
    mine, others = d.lists[user], [one for one in DEVICES[user] if one not in d.lists[user]]
    match rng.randrange(8):
        case 0 | 1 if others:
            d.add_device(user, others[0], rng.randbytes(2))
        case 2 | 3 if mine:
            d.remove_device(user, rng.choice(mine))
        case 4 | 5 if mine:
            d.set_device(rng.choice(mine), rng.randbytes(2))
        case 6 if names:
            d.add_username(user, names[0])
        case 7 if rng.random() < 0.5:
            d.decommission(user)


@dataclass
class Client:
    """A client that remembers accepted answers: about each username, and about each user's list and each device's key under any name.

    The least epoch in its question is the largest e* of the knowledge that the question names, because the answer omits an unchanged
    version.
    """

    names: dict[bytes, Kept] = field(default_factory=dict)
    lists: dict[bytes, tuple[int, KeptList]] = field(default_factory=dict)
    keys: dict[bytes, tuple[int, pahd.Known]] = field(default_factory=dict)
    values: dict[bytes, bytes | None] = field(default_factory=dict)

    def brought(self, name: bytes) -> Kept:
        kept = self.names.get(name, Kept())
        if kept.user is None:
            return kept
        of_list = self.lists.get(kept.user)
        of_keys = {one: self.keys[one] for one in DEVICES[kept.user] if one in self.keys}
        epochs = [epoch for epoch, _ in of_keys.values()] + ([of_list[0]] if of_list else [])
        least = max([kept.least_epoch, *epochs])
        known = {one: version for one, (_, version) in of_keys.items()}
        return replace(kept, least_epoch=least, devices=of_list[1] if of_list else None, keys=known)

    def state(self, result: UserResult) -> State:
        """Returns the result's content, with the remembered value where a version is unchanged."""
        keys = {}
        for one, found in result.keys.items():
            stands = found.version and found.value is None
            keys[one] = (found.version, self.values.get(one) if stands else found.value)
        return State(result.kind, result.user, {one: keys.get(one) for one in result.ids}, [one.user for one in result.earlier])

    def remember(self, name: bytes, before: Kept, result: UserResult) -> None:
        for one, (_, value) in self.state(result).keys.items():
            self.values[one] = value
        kept = result.kept(before)
        self.names[name] = Kept(kept.user, kept.has_left, kept.least_epoch, generation=kept.generation)
        # In a log that reassigns usernames (there `generation` is not 0), the name may lead to another user in the next answer. So the
        # client does not keep the list and the keys of this user.
        if result.devices is not None and not result.generation:
            self.lists[kept.user] = (result.epoch, kept.devices)
            self.keys |= {one: (result.epoch, found.known) for one, found in result.keys.items()}


@dataclass
class Tally:
    accepted: int = 0
    mixed: int = 0
    reused: int = 0
    """The accepted answers about names that had other users before."""
    refused: int = 0
    wrong: int = 0
    example: str = ""


def parted_answers(histories: int, answers: int, seed: int, reuse: bool = False) -> Tally:
    """Counts the verdicts on answers that are assembled from parts; `answers` is the number of answers for each history."""
    rng, tally = random.Random(seed), Tally()
    for _ in range(histories):
        d = random_history(rng, 8 if reuse else 6, reuse)
        size = len(d.records)
        v = Verifier(d.anchor, d.now_ms, checkpoint=Checkpoint(size, board.root_of(d.entries(size))))
        clients = [Client() for _ in range(4)]
        for _ in range(answers):
            _one_answer(rng, d, v, rng.choice(clients), tally)
    return tally


def _one_answer(rng: random.Random, d: UserDirectory, v: Verifier, client: Client, tally: Tally) -> None:
    name, base = rng.choice(NAMES), rng.randrange(d.epoch + 1)
    kept = client.brought(name)
    at = At(*(min(d.epoch, max(0, base + rng.choice((-1, 0, 0, 0, 1, 2)))) for _ in range(4)))
    if kept.user is not None and not kept.generation and rng.random() < 0.3:
        at = replace(at, name=None)
    asked = Asked(name, kept=kept)
    answer = d.user_lookup([asked], [at], epoch=base, kept_size=len(d.records))
    user = answer.users[0]
    if user.generations is not None and user.generations.left and rng.random() < 0.3:
        shown = replace(user.generations, left=user.generations.left[:-1])
        answer = replace(answer, users=[user := replace(user, generations=shown)])
    if user.kind == CURRENT and user.keys and rng.random() < 0.2:
        keys = rng.choice((user.keys[:-1], user.keys[1:], [*user.keys, user.keys[0]]))
        answer = replace(answer, users=[replace(user, keys=keys)])
    try:
        result = users.verify_users(v, answer.encode(), [asked])[0]
    except Refused:
        tally.refused += 1
        return
    tally.accepted += 1
    tally.mixed += len(answer.parts) > 0
    tally.reused += len(result.earlier) > 0
    shown, true = client.state(result), d.state(name, result.epoch)
    if shown != true:
        tally.wrong += 1
        tally.example = f"{name} at {at}, e* {result.epoch}: {shown}, not {true}"
    elif rng.random() < 0.3:
        client.remember(name, kept, result)


if __name__ == "__main__":
    for names_again in (False, True):
        print(parted_answers(int(sys.argv[1]) if len(sys.argv) > 1 else 100, 240, seed=1, reuse=names_again))
