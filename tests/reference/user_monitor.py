"""Makes an owner's checks of its own user (docs/spec/user-monitor.md). A verdict changes no state: the caller decides what to keep."""

from dataclasses import dataclass, field

import ecvrf
import facts
import handover
import pahd
from codec import decode_whole
from codec_users import UserMonitorAnswer
from record import Configuration, EpochRecord
from refused import require
from users import EntryChecks, KeptList, device_ids
from verify import Verifier, vrf_key


@dataclass(frozen=True)
class Own:
    """The verifier's question and state (section 2). `names`: the usernames that the answer must show. `keys`: the ids that the question
    names, each with the known state of its key, or None.

    `ends`: the known states of the list and of keys at the end of the previous period, by structure and key (docs/spec/periods.md section
    6).
    """

    user: bytes
    names: list[bytes] = field(default_factory=list)
    has_left: bool = False
    least_epoch: int = 0
    devices: KeptList | None = None
    keys: dict[bytes, pahd.Known | None] = field(default_factory=dict)
    ends: dict[tuple[int, bytes], handover.EndState] = field(default_factory=dict)

    def kept_list(self, period: int) -> bytes | None:
        """Returns the octets of the kept device list if the list is from this period."""
        return self.devices.devices if self.devices and self.devices.known.period == period else None


@dataclass(frozen=True)
class MonitorResult:
    """An accepted answer's content. `devices` is None for a user who has left. `lists` has the ids of each opened version of the list.
    `keys` has the result for each followed id, in order."""

    epoch: int
    period: int
    devices: pahd.Result | None = None
    lists: dict[int, list[bytes]] = field(default_factory=dict)
    keys: dict[bytes, pahd.Result] = field(default_factory=dict)

    @property
    def has_left(self) -> bool:
        return self.devices is None

    @property
    def complete(self) -> bool:
        """Returns whether the answer is a complete result. A page is not (section 5)."""
        return self.has_left or all(one.complete for one in (self.devices, *self.keys.values()))

    def brought_next(self, before: Own, configuration: Configuration) -> Own:
        """Returns the content of the next question after a page, or the kept state after a result."""
        if self.has_left:
            return Own(before.user, has_left=True, least_epoch=self.epoch)
        opened = [self.devices.values[version] for version in sorted(self.lists)]
        octets = opened[-1] if opened else before.kept_list(self.period)
        kept = None if octets is None else KeptList(self.devices.known, octets)
        named = set(device_ids(octets, configuration)) if octets is not None else set()
        named |= {one for one, found in self.keys.items() if not found.complete}
        keys = {one: found.known for one, found in self.keys.items() if one in named}
        return Own(before.user, [], False, self.epoch, kept, keys)


def verify_user_monitor(v: Verifier, answer: bytes, own: Own) -> MonitorResult:
    """Verifies an answer about the owner's own user (section 4)."""
    decoded = decode_whole(UserMonitorAnswer.decode, answer)
    require(v.anchor.configuration.username_reuse == 0 or not own.names, "configuration")
    head, _ = v.verify_head(decoded.head)
    require(len(decoded.names) == len(own.names), "answer_count")
    keys = [vrf_key(head, number) for number in facts.STRUCTURES]
    require(head.epoch >= own.least_epoch, "stale")
    require(all(entry.record == 0 for entry in (*decoded.names, decoded.decommissioned)), "part_unknown")
    return _Owner(v, head, keys, own).verify(decoded)


def followed_ids(named: set[bytes], kept_list: list[bytes], lists: list[list[bytes]]) -> list[bytes]:
    """Returns the ids of the devices that the owner follows (section 3)."""
    return sorted(named.union(kept_list, *lists))


class _Owner(EntryChecks):
    """Makes the checks of section 4 from step 7 on."""

    def __init__(self, v: Verifier, head: EpochRecord, keys: list[ecvrf.PublicKey], own: Own):
        super().__init__(v, [head], keys, own.has_left)
        self.head, self.own = head, own

    def verify(self, answer: UserMonitorAnswer) -> MonitorResult:
        user = self.own.user
        for name, entry in zip(self.own.names, answer.names, strict=True):
            require(entry.present, "user_changed")
            require(self.check_entry(facts.USERNAMES, name, entry) == user, "user_changed")
        if self.has_left(user, answer.decommissioned):
            return MonitorResult(self.head.epoch, self.head.period)
        known = self.own.devices.known if self.own.devices else None
        listed = pahd.verify_versions(self.structure(facts.DEVICES, user), answer.devices, known)
        require(listed.version >= 1, "devices_missing")
        lists = self._lists(listed)
        ids = followed_ids(set(self.own.keys), self._kept_ids(), list(lists.values()))
        require(len(answer.keys) == len(ids), "device_count")
        shown = {}
        for device, versions in zip(ids, answer.keys, strict=False):
            shown[device] = pahd.verify_versions(self.structure(facts.KEYS, device), versions, self.own.keys.get(device))
        self._check_handovers(answer, ids)
        return MonitorResult(self.head.epoch, self.head.period, listed, lists, shown)

    def _check_handovers(self, answer: UserMonitorAnswer, ids: list[bytes]) -> None:
        """Checks the hand-over of the list first, and then the hand-over of each followed key, in order (section 6)."""
        keys = ((facts.KEYS, device) for device in ids)
        for key, versions in zip([(facts.DEVICES, self.own.user), *keys], [answer.devices, *answer.keys], strict=False):
            end = self.own.ends.get(key)
            if end is not None and versions.start == 1:
                handover.check_handover(self.head.period, self.head.period_first_epoch, versions, end)

    def _lists(self, listed: pahd.Result) -> dict[int, list[bytes]]:
        opened = {version: value for version, value in listed.values.items() if value is not None}
        return {version: device_ids(value, self.configuration) for version, value in opened.items()}

    def _kept_ids(self) -> list[bytes]:
        octets = self.own.kept_list(self.head.period)
        return [] if octets is None else device_ids(octets, self.configuration)
