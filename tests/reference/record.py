"""Decodes and checks configurations and epoch records, and computes log ids (docs/spec/records.md)."""

import unicodedata
from dataclasses import dataclass, replace

import facts
import tree
from codec import Reader, decode_whole, uint, vector
from refused import Refused, require


@dataclass(frozen=True)
class Configuration:
    origin: bytes
    period_length_ms: int = 7_776_000_000
    retained_periods: int = 2
    username_reuse: int = 0
    max_key_len: int = facts.MAX_KEY_LEN
    max_value_len: int = facts.DEFAULT_MAX_VALUE_LEN
    max_devices: int = 64
    heartbeat_ms: int = 60_000
    max_ahead_ms: int = 60_000
    max_behind_ms: int = 300_000
    username_form: int = 0
    format: int = 1
    suite: int = 1

    _WIDTHS = (
        ("period_length_ms", 8),
        ("retained_periods", 1),
        ("username_reuse", 1),
        ("max_key_len", 1),
        ("max_value_len", 4),
        ("max_devices", 2),
        ("heartbeat_ms", 4),
        ("max_ahead_ms", 4),
        ("max_behind_ms", 4),
    )

    @classmethod
    def decode(cls, r: Reader) -> "Configuration":
        """Decodes only the layout of a configuration; check() checks the bounds of its values."""
        head = {"format": r.uint(2), "suite": r.uint(2), "origin": r.opaque(1, 255)}
        fields = {name: r.uint(width) for name, width in cls._WIDTHS}
        return cls(**head, **fields, username_form=r.uint(1) if head["format"] == 2 else 0)

    def encode(self) -> bytes:
        head = uint(self.format, 2) + uint(self.suite, 2) + vector(255, self.origin)
        fields = b"".join(uint(getattr(self, name), width) for name, width in self._WIDTHS)
        return head + fields + (uint(self.username_form, 1) if self.format == 2 else b"")

    def check(self) -> "Configuration":
        try:
            origin = self.origin.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("configuration") from None
        well_named = not any(c == "+" or c.isspace() or unicodedata.category(c) == "Cc" for c in origin)
        require(
            self.format in (1, 2)
            and self.suite == 1
            and well_named
            and not origin.endswith("/")
            and 1 <= self.period_length_ms < 2**53
            and self.retained_periods >= 2
            and self.username_reuse <= 1
            and self.username_form <= 1
            and self.max_key_len >= 1
            and 1 <= self.max_value_len <= facts.MAX_VALUE_LEN
            and self.max_devices >= 1
            and self.heartbeat_ms >= 1,
            "configuration",
        )
        return self

    def log_id(self, log_public_key: bytes) -> bytes:
        return tree.H(facts.TAG_LOG_ID, self.encode(), log_public_key)


@dataclass(frozen=True)
class StructureState:
    root: bytes
    count: int
    vrf_public_key: bytes


@dataclass(frozen=True)
class EpochRecord:
    log_id: bytes
    epoch: int
    period: int
    period_first_epoch: int
    time_ms: int
    structures: tuple[StructureState, ...]  # element i is the state of the structure with id i + 1
    previous: bytes
    format: int = 1

    @classmethod
    def decode(cls, r: Reader) -> "EpochRecord":
        fmt, log_id = r.uint(2), r.take(32)
        epoch, period, first, time_ms = (r.uint(8) for _ in range(4))
        states = tuple(StructureState(r.take(32), r.uint(8), r.take(32)) for _ in facts.STRUCTURES)
        return cls(log_id, epoch, period, first, time_ms, states, r.take(32), fmt)

    @classmethod
    def parse(cls, octets: bytes) -> "EpochRecord":
        return decode_whole(cls.decode, octets)

    def encode(self) -> bytes:
        numbers = b"".join(uint(n, 8) for n in (self.epoch, self.period, self.period_first_epoch, self.time_ms))
        states = b"".join(s.root + uint(s.count, 8) + s.vrf_public_key for s in self.structures)
        return uint(self.format, 2) + self.log_id + numbers + states + self.previous

    @property
    def hash(self) -> bytes:
        return tree.H(facts.TAG_RECORD, self.encode())

    def structure(self, number: int) -> StructureState:
        return self.structures[number - 1]

    def with_structure(self, number: int, **changes) -> "EpochRecord":
        states = list(self.structures)
        states[number - 1] = replace(states[number - 1], **changes)
        return replace(self, structures=tuple(states))


def check_alone(r: EpochRecord, log_id: bytes) -> None:
    """Checks a single record, without comparing it with other records (section 3)."""
    require(r.format == 1, "record_format")
    require(r.log_id == log_id, "record_log_id")
    require(r.period_first_epoch <= r.epoch, "record_period")
    require((r.period == 0) == (r.period_first_epoch == 0), "record_period")
    for state in r.structures:
        require((state.count == 0) == (state.root == tree.EMPTY), "record_count")
    if r.epoch == 0:
        require(all(state.count == 0 for state in r.structures), "record_count")
        require(r.previous == bytes(32), "record_previous")


def check_after(r: EpochRecord, q: EpochRecord, period_length_ms: int, period_start_ms: int | None = None) -> None:
    """Checks `r` against the earlier record `q` (section 4). `period_start_ms` is the time of the first epoch of q's period, if this time
    is known."""
    assert q.epoch < r.epoch
    gap = r.epoch - q.epoch
    if gap == 1:
        require(r.previous == q.hash, "record_previous")
    require(r.time_ms >= q.time_ms + gap, "record_time")
    require(0 <= r.period - q.period <= gap, "record_period")
    if r.period == q.period:
        require(r.period_first_epoch == q.period_first_epoch, "record_period")
    else:
        require(r.period_first_epoch > q.epoch, "record_period")
        if gap == 1:
            require(r.period_first_epoch == r.epoch, "record_period")
        if period_start_ms is None and q.epoch == q.period_first_epoch:
            period_start_ms = q.time_ms
        require(period_start_ms is not None, "record_period")
        require(r.time_ms >= period_start_ms + (r.period - q.period) * period_length_ms, "record_period")
    same_period = r.period == q.period
    pairs = list(enumerate(zip(q.structures, r.structures, strict=True), start=1))
    for number, (before, after) in pairs:
        same_key = before.vrf_public_key == after.vrf_public_key
        require(same_key == (same_period or number not in facts.PER_PERIOD), "record_vrf_key")
    for number, (before, after) in pairs:
        require(after.count >= before.count or (number in facts.PER_PERIOD and not same_period), "record_count")


def check_same_log(a: EpochRecord, b: EpochRecord, period_length_ms: int, period_start_ms: int | None = None) -> None:
    """Checks two records, which may be in any order (docs/spec/answers.md section 3 step 5). `period_start_ms` is the time of the first
    epoch of the earlier record's period."""
    if a.epoch == b.epoch:
        require(a == b, "fork")
        return
    earlier, later = sorted((a, b), key=lambda one: one.epoch)
    check_after(later, earlier, period_length_ms, period_start_ms)


def check_period_start(s: EpochRecord, q: EpochRecord, log_id: bytes, period_length_ms: int) -> None:
    """Checks `s` as the record of the first epoch of q's period (section 5)."""
    check_alone(s, log_id)
    require(s.epoch == q.period_first_epoch, "record_period")
    check_same_log(s, q, period_length_ms)
