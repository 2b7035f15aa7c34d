"""Extends the directory of directory.py by users (docs/spec/users.md and docs/spec/user-monitor.md). Changes of users are staged, and
publish_users() publishes them in one epoch."""

from dataclasses import dataclass, field, replace
from typing import Self

import board
import facts
import pahd
import user_monitor
from codec import decode_whole
from codec_users import (
    CURRENT,
    HAS_LEFT,
    NO_SUCH_USER,
    DeviceList,
    Entry,
    Generations,
    PartRecord,
    UserLookup,
    UserLookupAnswer,
    UserMonitorAnswer,
    VersionedEntry,
)
from directory import Directory
from record import EpochRecord
from user_monitor import Own
from users import Asked, Kept


@dataclass(frozen=True)
class At:
    """The epochs at which the parts of the answer about one user are true. If `name` is None, the answer omits the name's entry."""

    name: int | None
    decommissioned: int
    devices: int
    keys: int

    @classmethod
    def all(cls, epoch: int) -> Self:
        return cls(epoch, epoch, epoch, epoch)

    @property
    def epochs(self) -> set[int]:
        return {self.name, self.decommissioned, self.devices, self.keys} - {None}


@dataclass(frozen=True)
class State:
    """The true state of a username at one epoch. `keys` has the version and value of each device's key, in the order of the device list."""

    kind: int
    user: bytes | None = None
    keys: dict[bytes, tuple[int, bytes | None]] = field(default_factory=dict)
    earlier: list[bytes] = field(default_factory=list)


class UserDirectory(Directory):
    def __init__(self, *arguments, **configuration):
        self.users: dict[bytes, bytes] = {}
        self.lists: dict[bytes, list[bytes]] = {}
        self.left: set[bytes] = set()
        self.staged: dict[int, dict[bytes, bytes]] = {number: {} for number in facts.STRUCTURES}
        super().__init__(*arguments, **configuration)

    # Changes.

    def create(self, user: bytes, usernames: list[bytes], devices: dict[bytes, bytes | None]) -> None:
        """Stages a new user. A device without a key has the value None."""
        assert user not in self.lists
        for username in usernames:
            self.add_username(user, username)
        self._set_list(user, list(devices))
        for device, value in devices.items():
            if value is not None:
                self.set_device(device, value)

    def add_username(self, user: bytes, username: bytes) -> None:
        assert username not in self.users or (self.has_versions(facts.USERNAMES) and self.users[username] in self.left)
        self.users[username] = user
        self.staged[facts.USERNAMES][username] = user

    def add_device(self, user: bytes, device: bytes, value: bytes | None) -> None:
        self._set_list(user, [*self.lists[user], device])
        if value is not None:
            self.set_device(device, value)

    def set_device(self, device: bytes, value: bytes) -> None:
        self.staged[facts.KEYS][device] = value

    def remove_device(self, user: bytes, device: bytes) -> None:
        self._set_list(user, [one for one in self.lists[user] if one != device])

    def decommission(self, user: bytes) -> None:
        self.left.add(user)
        self.staged[facts.DECOMMISSIONED][user] = b"\1"

    def _set_list(self, user: bytes, devices: list[bytes]) -> None:
        self.lists[user] = sorted(devices)
        self.staged[facts.DEVICES][user] = DeviceList(self.lists[user]).encode()

    def publish_users(self, time_ms: int | None = None) -> EpochRecord:
        staged = {number: dict(updates) for number, updates in self.staged.items()}
        for updates in self.staged.values():
            updates.clear()
        return self.publish_in(staged, time_ms=time_ms)

    def copied(self, structure: int, key: bytes) -> bool:
        if structure == facts.DEVICES:
            return key not in self.left
        return not any(key in self.lists[user] for user in self.left)

    # The true state.

    def value_at(self, epoch: int, structure: int, key: bytes) -> bytes | None:
        mine = self.stored_at[epoch][structure - 1].get(key)
        return mine[-1].value if mine else None

    def state(self, username: bytes, epoch: int) -> State:
        user = self.value_at(epoch, facts.USERNAMES, username)
        if user is None:
            return State(NO_SUCH_USER)
        earlier = [stored.value for stored in self.stored_at[epoch][facts.USERNAMES - 1][username][:-1]]
        if self.value_at(epoch, facts.DECOMMISSIONED, user) is not None:
            return State(HAS_LEFT, user, earlier=earlier)
        shown = {one: (self.latest(epoch, one), self.value_at(epoch, facts.KEYS, one)) for one in self.ids_at(epoch, user)}
        return State(CURRENT, user, shown, earlier)

    def ids_at(self, epoch: int, user: bytes) -> list[bytes]:
        octets = self.value_at(epoch, facts.DEVICES, user)
        return [] if octets is None else list_ids(octets)

    # Answers.

    def entry(self, epoch: int, structure: int, key: bytes, record: int = 0) -> Entry:
        if self.value_at(epoch, structure, key) is None:
            return Entry(record, self.absent(epoch, key, 0, structure))
        return Entry(record, self.member(epoch, key, 0, True, structure))

    def versioned(self, epoch: int, structure: int, key: bytes, known: int = 0, record: int = 0) -> VersionedEntry:
        return VersionedEntry(record, self.lookup_item(epoch, key, known, structure))

    def generations(self, username: bytes, at: At, records: dict[int, int]) -> Generations:
        names = self.versions_item(at.name, username, 1, None, facts.USERNAMES)
        users = [stored.value for stored in self.stored_at[at.name][facts.USERNAMES - 1].get(username, [])]
        record = records[at.decommissioned]
        left = [self.entry(at.decommissioned, facts.DECOMMISSIONED, user, record) for user in users[:-1]]
        return Generations(records[at.name], names, left)

    def user_item(self, asked: Asked, at: At, records: dict[int, int]) -> UserLookup:
        """Returns the item about one user, in which each entry is true at its own epoch. `records` maps each epoch to the number of its
        record in the answer."""
        kept, name, generations = asked.kept, None, None
        if self.has_versions(facts.USERNAMES):
            # The server ignores the known state in the question, because it might belong to another user of the name.
            kept = Kept()
            user = self.value_at(at.name, facts.USERNAMES, asked.username)
            generations = self.generations(asked.username, at, records)
        elif at.name is None:
            user = kept.user
        else:
            user = self.value_at(at.name, facts.USERNAMES, asked.username)
            name = self.entry(at.name, facts.USERNAMES, asked.username, records[at.name])
        if user is None:
            return UserLookup(NO_SUCH_USER, name, None, None, [], generations)
        left = self.entry(at.decommissioned, facts.DECOMMISSIONED, user, records[at.decommissioned])
        if left.present:
            return UserLookup(HAS_LEFT, name, left, None, [], generations)
        period = self.records[at.devices].period
        known = kept.devices.known.version if kept.devices and kept.devices.known.period == period else 0
        devices = self.versioned(at.devices, facts.DEVICES, user, known, records[at.devices])
        keys = []
        for one in self.ids_at(at.devices, user):
            if asked.device in (None, one):
                of_key = kept.keys.get(one)
                known = of_key.version if of_key and of_key.period == period else 0
                keys.append(self.versioned(at.keys, facts.KEYS, one, known, records[at.keys]))
        return UserLookup(CURRENT, name, left, devices, keys, generations)

    def part(self, epoch: int, size: int) -> PartRecord:
        return PartRecord(self.records[epoch].encode(), board.make_inclusion(self.entries(size), epoch))

    def user_lookup(
        self, asked: list[Asked], at: list[At] | None = None, epoch: int | None = None, **head
    ) -> UserLookupAnswer:
        """Answers a lookup of users. `epoch` is the head's epoch; `at` has the epochs of the parts (default: all at the head's epoch). The
        answer omits parts to which no entry refers."""
        epoch = self.epoch if epoch is None else epoch
        at = at or [At.all(epoch) for _ in asked]
        others = sorted(set().union(*(one.epochs for one in at)) - {epoch})
        records = {epoch: 0} | {other: i for i, other in enumerate(others, 1)}
        users = [self.user_item(one, when, records) for one, when in zip(asked, at, strict=True)]
        answer = UserLookupAnswer(self.head(epoch, **head), [], users)
        size = head.get("size") or len(self.records)
        return renumbered(replace(answer, parts=[self.part(other, size) for other in others]))

    def user_monitor(
        self, own: Own, epoch: int | None = None, page: int | None = None, **head
    ) -> UserMonitorAnswer:
        """Answers an owner's monitoring. `page` is the maximum number of versions of the list, and of each key."""
        epoch = self.epoch if epoch is None else epoch
        names = [self.entry(epoch, facts.USERNAMES, name) for name in own.names]
        left = self.entry(epoch, facts.DECOMMISSIONED, own.user)
        if left.present:
            return UserMonitorAnswer(self.head(epoch, **head), names, left, None, [])
        period = self.records[epoch].period

        def first(known: pahd.Known | None) -> int:
            return known.version + 1 if known is not None and known.period == period else 1

        start = first(own.devices.known if own.devices else None)
        devices = self.versions_item(epoch, own.user, start, page, facts.DEVICES)
        before = self.list_version(epoch, own.user, start - 1)
        lists = [list_ids(member.value) for member in devices.members if member.kind == 1]
        ids = user_monitor.followed_ids(set(own.keys), before, lists)
        keys = [self.versions_item(epoch, one, first(own.keys.get(one)), page) for one in ids]
        return UserMonitorAnswer(self.head(epoch, **head), names, left, devices, keys)

    def list_version(self, epoch: int, user: bytes, version: int) -> list[bytes]:
        """Returns the ids of this version of the list, or an empty list if the version was erased or does not exist."""
        if not 0 < version <= self.latest(epoch, user, facts.DEVICES) or (facts.DEVICES, user, version) in self.erased:
            return []
        return list_ids(self.stored_at[epoch][facts.DEVICES - 1][user][version - 1].value)


def list_ids(octets: bytes) -> list[bytes]:
    """Returns the ids in a device list that this directory made."""
    return decode_whole(DeviceList.decode, octets).ids


def renumbered(answer: UserLookupAnswer) -> UserLookupAnswer:
    """Returns the answer without the parts to which no entry refers, and with entries that refer to the remaining parts by their new
    numbers."""
    used = sorted({entry.record for user in answer.users for entry in user.entries} - {0})
    numbers = {0: 0} | {old: new for new, old in enumerate(used, 1)}

    def moved(entry):
        return None if entry is None else replace(entry, record=numbers[entry.record])

    def of_user(u: UserLookup) -> UserLookup:
        shown = u.generations and replace(moved(u.generations), left=[moved(entry) for entry in u.generations.left])
        return UserLookup(u.kind, moved(u.name), moved(u.decommissioned), moved(u.devices), [moved(key) for key in u.keys], shown)

    users = [of_user(u) for u in answer.users]
    return replace(answer, parts=[answer.parts[old - 1] for old in used], users=users)
