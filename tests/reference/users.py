"""Verifies answers about users: docs/spec/users.md sections 3 to 5 and docs/spec/recycled-names.md. A verdict changes no state: the caller
decides what to keep."""

from dataclasses import dataclass, field, replace

import ecvrf
import facts
import pahd
import record
from board import Checkpoint
from codec import Member, decode_whole
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
    VersionedEntry,
)
from record import Configuration, EpochRecord
from refused import Refused, require
from verify import Verifier, check_included, vrf_key


@dataclass(frozen=True)
class KeptList:
    """A verifier's knowledge of a user's device list, with the octets of the DeviceList."""

    known: pahd.Known
    devices: bytes


@dataclass(frozen=True)
class Kept:
    """The content of all valid answers about one username (section 2). `devices` and `keys` are about the user with the user id."""

    user: bytes | None = None
    has_left: bool = False
    least_epoch: int = 0
    devices: KeptList | None = None
    keys: dict[bytes, pahd.Known] = field(default_factory=dict)
    # In a log that reassigns usernames: the latest known generation, whose user is `user`; 0 if no generation is known.
    generation: int = 0


@dataclass(frozen=True)
class Asked:
    """One user of a request. If `device` is set, only that device's key is requested."""

    username: bytes
    device: bytes | None = None
    kept: Kept = Kept()


@dataclass(frozen=True)
class Earlier:
    """An earlier user of a name. The name led to this user from the epoch `since` until the user left for good at the epoch `left`."""

    user: bytes
    since: int
    left: int


@dataclass(frozen=True)
class UserResult:
    """The accepted answer about one user. `epoch` is e*. `devices` and `keys` are present only for a current user, with keys in the order
    of the device list.

    `generation` is 0 in a log that does not reassign usernames; `earlier` has the earlier users of the name.
    """

    kind: int
    user: bytes | None
    epoch: int
    ids: list[bytes] = field(default_factory=list)
    devices: pahd.Result | None = None
    keys: dict[bytes, pahd.Result] = field(default_factory=dict)
    generation: int = 0
    earlier: list[Earlier] = field(default_factory=list)

    def kept(self, before: Kept) -> Kept:
        """Returns the state that the verifier keeps from now on. `before` is the state that the question named."""
        if self.user is None:
            return Kept(least_epoch=self.epoch)
        if self.devices is None:
            return Kept(self.user, True, self.epoch, generation=self.generation)
        if self.generation:
            return Kept(self.user, False, self.epoch, generation=self.generation)
        octets = before.devices.devices if self.devices.value is None else self.devices.value
        keys = {device: result.known for device, result in self.keys.items()}
        return Kept(self.user, False, self.epoch, KeptList(self.devices.known, octets), before.keys | keys)


def verify_users(v: Verifier, answer: bytes, asked: list[Asked]) -> list[UserResult]:
    """Verifies an answer about users (section 4)."""
    decoded = decode_whole(UserLookupAnswer.decode, answer)
    head, checkpoint = v.verify_head_of_any_time(decoded.head)
    records = [head]
    for part in decoded.parts:
        records.append(_check_part(v, head, records[1:], part, checkpoint))
    for r in records:
        v.check_not_ahead(r)
    require(len(decoded.users) == len(asked), "answer_count")
    keys = [vrf_key(head, number) for number in facts.STRUCTURES]
    results = [_User(v, records, keys, one).verify(user) for one, user in zip(asked, decoded.users, strict=True)]
    used = {entry.record for user in decoded.users for entry in user.entries}
    require(used.issuperset(range(1, len(records))), "part_unused")
    return results


def _check_part(
    v: Verifier, head: EpochRecord, before: list[EpochRecord], part: PartRecord, checkpoint: Checkpoint
) -> EpochRecord:
    """Verifies the record of a part of the answer (section 4 step 3)."""
    r = EpochRecord.parse(part.record)
    record.check_alone(r, v.anchor.log_id)
    require(r.epoch != head.epoch and all(r.epoch > earlier.epoch for earlier in before), "part_order")
    require(r.period == head.period, "part_period")
    check_included(r, checkpoint, part.inclusion)
    v.check_kept_record(r)
    record.check_same_log(r, head, v.anchor.configuration.period_length_ms)
    return r


def epoch_of_state(records: list[EpochRecord], user: UserLookup) -> int:
    """Returns e* (section 3). Each Lookup has at least one NonMember, because C(a) is never empty for a version in range."""
    absences = [
        records[entry.record].epoch
        for entry in user.entries
        if isinstance(entry, VersionedEntry | Generations) or not entry.present
    ]
    require(user.entries != [], "user_name_missing")
    return min(absences) if absences else max(records[entry.record].epoch for entry in user.entries)


def device_ids(octets: bytes, configuration: Configuration) -> list[bytes]:
    """Returns the ids of a DeviceList that was sent as a value."""
    try:
        ids = decode_whole(DeviceList.decode, octets).ids
    except Refused:
        raise Refused("device_list") from None
    increasing = all(one < other for one, other in zip(ids, ids[1:], strict=False))
    short = all(len(one) <= configuration.max_key_len for one in ids)
    require(increasing and short and len(ids) <= configuration.max_devices, "device_list")
    return ids


class EntryChecks:
    """Checks entries, each at its own record. `times` has the leaf epochs of all checked members. `has_left` says whether the user is
    already known to have left."""

    def __init__(self, v: Verifier, records: list[EpochRecord], keys: list[ecvrf.PublicKey], has_left: bool):
        self.v, self.records, self.keys, self.known_to_have_left = v, records, keys, has_left
        self.configuration = v.anchor.configuration
        self.times: list[int] = []

    def has_left(self, user_id: bytes, entry: Entry) -> bool:
        """Returns whether the entry shows that the user has left (section 5 step 5)."""
        if entry.present:
            require(self.check_entry(facts.DECOMMISSIONED, user_id, entry) == b"\1", "decommission_value")
            return True
        require(not self.known_to_have_left, "user_returned")
        self.structure(facts.DECOMMISSIONED, user_id, entry).verify_absent(0, entry.proof)
        return False

    def structure(self, number: int, key: bytes, entry: Entry | VersionedEntry | Generations | None = None) -> pahd.ProvenStructure:
        """Returns the key's view of the structure at the entry's record, or at the head's record if `entry` is None."""
        r = self.records[entry.record if entry else 0]
        state, limit = r.structure(number), self.configuration.max_value_len
        public = self.keys[number - 1]
        return pahd.ProvenStructure(
            r.epoch, r.period_first_epoch, r.period, limit, number, state.root, state.count, public, key
        )

    def check_entry(self, number: int, key: bytes, entry: Entry) -> bytes:
        s, member = self.structure(number, key, entry), entry.proof
        require(member.kind == 1, "member_kind")
        require(len(member.value) <= s.max_value_len, "value_too_long")
        s.verify_member(0, member)
        require(member.epoch <= s.epoch, "leaf_epoch_future")
        require(member.epoch != 0, "leaf_epoch_period")
        self.meet(member)
        return member.value

    def meet(self, member: Member) -> None:
        self.times.append(member.epoch)


class _User(EntryChecks):
    """Makes the checks of section 5 for one user of an answer."""

    def __init__(self, v: Verifier, records: list[EpochRecord], keys: list[ecvrf.PublicKey], asked: Asked):
        super().__init__(v, records, keys, asked.kept.has_left)
        self.asked, self.kept = asked, asked.kept

    @property
    def by_generations(self) -> bool:
        return self.configuration.username_reuse == 1

    def verify(self, user: UserLookup) -> UserResult:
        require(all(entry.record < len(self.records) for entry in user.entries), "part_unknown")
        e = epoch_of_state(self.records, user)
        require(e >= self.kept.least_epoch, "stale")
        self.v.check_fresh(next(r for r in self.records if r.epoch == e))
        result = self._verify_at(e, user)
        require(all(time <= e for time in self.times), "part_epoch")
        return result

    def _verify_at(self, e: int, user: UserLookup) -> UserResult:
        """Makes the checks of section 5 from step 3 to step 7, with e* = `e`."""
        require((user.generations is not None) == self.by_generations, "user_kind")
        if user.name is not None:
            require(user.name.present == (user.kind != NO_SUCH_USER), "user_kind")
        if user.decommissioned is not None:
            require(user.decommissioned.present == (user.kind == HAS_LEFT), "user_kind")
        generation, earlier = 0, []
        if user.generations is not None:
            generation = user.generations.names.version
            require((generation == 0) == (user.kind == NO_SUCH_USER), "user_kind")
            user_id, earlier = self._generations(user.generations)
            # The verifier may use its knowledge that the user has left only for the generation to which this knowledge belongs.
            self.known_to_have_left = self.known_to_have_left and generation == self.kept.generation
        else:
            if user.name is None:
                require(user.kind != NO_SUCH_USER and self.kept.user is not None, "user_name_missing")
            user_id = self._user_id(user)
        if user.kind == NO_SUCH_USER:
            return UserResult(user.kind, None, e)
        if self.has_left(user_id, user.decommissioned):
            return UserResult(user.kind, user_id, e, generation=generation, earlier=earlier)
        assert user.kind == CURRENT
        listed = self._devices(user_id, user.devices)
        ids = device_ids(self._list_octets(listed), self.configuration)
        wanted = [one for one in ids if self.asked.device in (None, one)]
        require(len(user.keys) == len(wanted), "device_count")
        shown = {}
        for device, entry in zip(wanted, user.keys, strict=False):
            known = None if self.by_generations else self.kept.keys.get(device)
            shown[device] = self._versioned(facts.KEYS, device, entry, known)
            if known is not None and self._was_listed(known.period, device):
                self._check_not_lost(known, entry)
        return UserResult(user.kind, user_id, e, ids, listed, shown, generation, earlier)

    def _user_id(self, user: UserLookup) -> bytes | None:
        """Returns the user id, or None for a name that leads to no user (step 4)."""
        if user.name is None:
            return self.kept.user
        if not user.name.present:
            require(self.kept.user is None, "user_changed")
            self.structure(facts.USERNAMES, self.asked.username, user.name).verify_absent(0, user.name.proof)
            return None
        user_id = self.check_entry(facts.USERNAMES, self.asked.username, user.name)
        require(1 <= len(user_id) <= self.configuration.max_key_len, "user_id_length")
        require(self.kept.user in (None, user_id), "user_changed")
        return user_id

    def _generations(self, shown: Generations) -> tuple[bytes | None, list[Earlier]]:
        """Verifies all generations, in place of step 4 (docs/spec/recycled-names.md section 3). Returns the user of the latest generation,
        and the earlier users."""
        names, kept = shown.names, self.kept
        require(names.version <= facts.MAX_GENERATIONS, "version_range")
        require(len(names.members) == names.version, "ladder_count")
        require(names.version >= kept.generation, "version_regressed")
        s = self.structure(facts.USERNAMES, self.asked.username, shown)
        # The tree of usernames lives as long as the log, so its only period is 0.
        pahd.verify_versions(replace(s, period=0, first_epoch=0), names)
        users: list[bytes] = []
        for member in names.members:
            require(member.kind == 1, "member_kind")
            require(1 <= len(member.value) <= self.configuration.max_key_len, "user_id_length")
            require(member.value not in users, "user_returned")
            users.append(member.value)
            self.meet(member)
        require(kept.generation == 0 or users[kept.generation - 1] == kept.user, "user_changed")
        require(len(shown.left) == max(len(users), 1) - 1, "generation_left")
        earlier = []
        for i, (user, entry) in enumerate(zip(users, shown.left, strict=False)):
            require(entry.present, "generation_left")
            self.has_left(user, entry)
            require(entry.proof.epoch < names.members[i + 1].epoch, "generation_order")
            earlier.append(Earlier(user, names.members[i].epoch, entry.proof.epoch))
        return (users[-1] if users else None), earlier

    def _devices(self, user_id: bytes, entry: VersionedEntry) -> pahd.Result:
        """Verifies the entry of the device list, but not the form of the list itself (step 6)."""
        kept = None if self.by_generations else self.kept.devices
        listed = self._versioned(facts.DEVICES, user_id, entry, None if kept is None else kept.known)
        require(listed.version >= 1, "devices_missing")
        if kept is not None:
            self._check_not_lost(kept.known, entry)
        return listed

    def _check_not_lost(self, known: pahd.Known, entry: VersionedEntry) -> None:
        """Checks that a key or list was not lost (steps 6 and 7). A key or list that had a version in an earlier period begins each later
        period with a copy, as long as its user is current."""
        if known.version and known.period < self.records[entry.record].period:
            members = entry.lookup.members
            require(members != [] and members[0].epoch == 0, "handover_missing")

    def _was_listed(self, period: int, device: bytes) -> bool:
        listed = self.kept.devices
        if listed is None or listed.known.period != period or listed.known.version == 0:
            return False
        return device in decode_whole(DeviceList.decode, listed.devices).ids

    def _list_octets(self, listed: pahd.Result) -> bytes:
        """Returns the list of the answer or, if the known version is unchanged, the kept list."""
        if listed.value is not None:
            return listed.value
        # An earlier check refuses version 0. So version 0 occurs here only in the model, which can leave that check out.
        return self.kept.devices.devices if listed.version else DeviceList([]).encode()

    def _versioned(self, number: int, key: bytes, entry: VersionedEntry, known: pahd.Known | None) -> pahd.Result:
        result = pahd.verify_lookup(self.structure(number, key, entry), entry.lookup, known)
        for member in entry.lookup.members:
            self.meet(member)
        return result
