"""Makes tests/vectors/periods/user_handover.json: hand-overs of users, with the owner's state and the verdict."""

from collections.abc import Callable
from dataclasses import replace

import facts
import pahd
from codec_users import DeviceList
from directory import STEP_MS, Stored
from rows import Rows
from user_monitor import Own
from vectors_users_lies import Liar
from verify import Verifier

LENGTH_MS = 5 * STEP_MS
NAME, USER, BOB = b"alice", b"id-alice", b"id-bob"
LAPTOP, OLD, PHONE, NEW = b"laptop", b"old", b"phone", b"unset"
LIST = (facts.DEVICES, USER)


class Forger(Liar):
    """A directory that copies false values at a switch, and omits the copies of some keys."""

    left_out: tuple[tuple[int, bytes], ...] = ()

    def copied(self, structure: int, key: bytes) -> bool:
        return (structure, key) not in self.left_out and super().copied(structure, key)

    def forge(self, structure: int, key: bytes, value: bytes) -> None:
        """Sets a false value for the key's copy in the next period. The current period never published this value."""
        self.stored[structure - 1].setdefault(key, []).append(Stored(self.epoch, bytes(16), value))

    def switch(self) -> None:
        """Switches the period as early as allowed."""
        self.switch_period(self.records[self.period_first_epoch].time_ms + self.configuration.period_length_ms)


def first_period(d: Forger) -> Forger:
    """Makes epochs 0 to 2 of period 0: Alice has a laptop, a phone and a device without a key; her old device was removed."""
    d.create(USER, [NAME], {LAPTOP: b"laptop 1", OLD: b"old 1", PHONE: b"phone 1"})
    d.create(BOB, [b"bob"], {b"b1": b"b1 1"})
    d.publish_users()
    d.remove_device(USER, OLD)
    d.set_device(LAPTOP, b"laptop 2")
    d.publish_users()
    d.add_device(USER, NEW, None)
    d.publish_users()
    return d


def own_at(d: Forger, period: int) -> Own:
    """Returns an owner that saw the end of this period."""
    keys = (LAPTOP, OLD, PHONE, NEW)
    ends = {(structure, key): d.end_state(key, period, structure) for structure, key in (LIST, *((facts.KEYS, one) for one in keys))}
    return Own(USER, [NAME], keys=dict.fromkeys(keys), ends=ends)


def user_handover_rows(rows: Rows) -> None:
    d = first_period(Forger(seed=97, period_length_ms=LENGTH_MS))
    d.switch()
    d.set_device(PHONE, b"phone 2")
    d.publish_users()
    d.switch()
    d.set_device(LAPTOP, b"laptop 3")
    d.publish_users()
    v, own = Verifier(d.anchor, d.now_ms), own_at(d, 1)

    def row(kind: str, own: Own, reason: str, epoch: int | None = None, page: int | None = None, **brought) -> None:
        rows.monitor(kind, replace(v, **brought), own, d.user_monitor(own, epoch, page).encode(), reason)

    row("handover", own, "valid")
    row("handover_of_some", replace(own, ends={LIST: own.ends[LIST]}), "valid")
    ended = d.last_epoch(1)
    row("handover_of_an_ended_period", own_at(d, 0), "valid", ended, ended_record=d.records[ended])
    row("handover_two_periods_on", own_at(d, 0), "handover_period")
    row("handover_in_a_first_page", own, "valid", page=1)

    def changed(kind: str, key: tuple[int, bytes], reason: str, **change) -> None:
        row(f"handover_{kind}", replace(own, ends=own.ends | {key: replace(own.ends[key], **change)}), reason)

    phone, unset = (facts.KEYS, PHONE), (facts.KEYS, NEW)
    for name, key in (("list", LIST), ("key", phone)):
        changed(f"of_another_period_of_the_{name}", key, "handover_period", period=0)
        changed(f"of_an_earlier_epoch_of_the_{name}", key, "handover_period", last_epoch=ended - 1)
        changed(f"of_another_value_of_the_{name}", key, "handover_value", value=b"another")
        changed(f"of_nothing_of_the_{name}", key, "handover_unset", version=0, value=None)
    changed("of_a_key_that_is_none", unset, "handover_missing", version=1, value=b"x")
    # The verifier checks the list first, then the keys in order.
    both = own.ends | {LIST: replace(own.ends[LIST], version=0), phone: replace(own.ends[phone], value=b"another")}
    row("handover_of_a_list_and_a_key", replace(own, ends=both), "handover_unset")
    both = own.ends | {(facts.KEYS, LAPTOP): replace(own.ends[phone], value=b"another"), phone: replace(own.ends[phone], version=0)}
    row("handover_of_two_keys", replace(own, ends=both), "handover_value")
    row("handover_after_the_checks", replace(own, least_epoch=d.epoch + 1, ends={LIST: replace(own.ends[LIST], value=b"")}), "stale")
    # On an earlier page, the owner already compared version 1 of the laptop's key with the end state.
    laptop = (facts.KEYS, LAPTOP)
    after = pahd.Known(2, 1, None, d.period_first_epoch, 2)
    forged = replace(own, keys=own.keys | {LAPTOP: after}, ends=own.ends | {laptop: replace(own.ends[laptop], value=b"another")})
    row("handover_in_a_second_page", forged, "valid")
    _lying_rows(rows)


def _lying_rows(rows: Rows) -> None:
    """Adds rows of lies at a switch, which the log's operator signs. The owner's end states are true."""

    def lie(kind: str, reason: str, before: Callable[[Forger], None] = lambda d: None, after: Callable[[Forger], None] = lambda d: None) -> None:
        d = first_period(Forger(seed=98, period_length_ms=LENGTH_MS))
        own = own_at(d, 0)
        before(d)
        d.switch()
        after(d)
        d.publish_users()
        rows.monitor(f"signed_{kind}", Verifier(d.anchor, d.now_ms), own, d.user_monitor(own).encode(), reason)

    def leave_out(*left_out: tuple[int, bytes]) -> Callable[[Forger], None]:
        return lambda d: setattr(d, "left_out", left_out)

    more = DeviceList([LAPTOP, b"mallory's", PHONE, NEW]).encode()
    fewer = DeviceList([LAPTOP, NEW]).encode()
    lie("control", "valid")
    lie("copy_of_a_list_with_one_more", "handover_value", lambda d: d.forge(*LIST, more))
    lie("copy_of_a_list_with_one_less", "handover_value", lambda d: d.forge(*LIST, fewer))
    lie("list_left_out", "devices_missing", leave_out(LIST))
    lie("list_comes_later", "handover_missing", leave_out(LIST), lambda d: d.add_device(USER, b"tablet", None))
    lie("copy_of_another_value", "handover_value", lambda d: d.forge(facts.KEYS, PHONE, b"mallory's"))
    lie("copy_of_an_older_value", "handover_value", lambda d: d.forge(facts.KEYS, LAPTOP, b"laptop 1"))
    lie("key_of_a_removed_device_changed", "handover_value", lambda d: d.forge(facts.KEYS, OLD, b"mallory's"))
    lie("key_left_out", "handover_missing", leave_out((facts.KEYS, PHONE)))
    lie("key_comes_later", "handover_missing", leave_out((facts.KEYS, PHONE)), lambda d: d.set_device(PHONE, b"phone 1"))
    lie("copy_of_what_was_never_set", "handover_unset", lambda d: d.forge(facts.KEYS, NEW, b"soon"))
    lie("first_version_after_the_switch", "valid", after=lambda d: d.set_device(NEW, b"own"))
    lie("left_since", "valid", after=lambda d: d.decommission(USER))
