"""Verifies the records of periods' first and last epochs: docs/spec/periods.md section 4. A verdict changes no state."""

from itertools import pairwise

import facts
import record
from codec import decode_whole
from codec_periods import PeriodsAnswer
from record import EpochRecord
from refused import require
from verify import Verifier, check_included


def verify_periods(v: Verifier, answer: bytes, period: int) -> list[EpochRecord]:
    """Verifies an answer about the bounds of periods, and returns the bounds from this period on (section 4)."""
    decoded = decode_whole(PeriodsAnswer.decode, answer)
    head, checkpoint = v.verify_head_alone(decoded.head)
    require(1 <= len(decoded.bounds) <= facts.MAX_PERIOD_BOUNDS, "period_bounds")
    bounds = []
    for part in decoded.bounds:
        r = EpochRecord.parse(part.record)
        record.check_alone(r, v.anchor.log_id)
        check_included(r, checkpoint, part.inclusion)
        bounds.append(r)
    _check_shape(bounds, head, period)
    length_ms = v.anchor.configuration.period_length_ms
    starts = {r.period: r.time_ms for r in bounds if _is_first(r)}
    for earlier, later in pairwise([*bounds, head]):
        record.check_same_log(earlier, later, length_ms, starts[earlier.period])
    if v.record is not None:
        for r in [*bounds, head]:
            earlier = min(v.record, r, key=lambda one: one.epoch)
            record.check_same_log(r, v.record, length_ms, starts.get(earlier.period))
    v.check_not_ahead(head)
    v.check_fresh(head)
    return bounds


def _is_first(r: EpochRecord) -> bool:
    return r.epoch == r.period_first_epoch


def _check_shape(bounds: list[EpochRecord], head: EpochRecord, period: int) -> None:
    """Checks the order of the bounds (section 4 step 4)."""
    require(bounds[0].period == period and _is_first(bounds[0]), "period_bounds")
    for before, r in pairwise(bounds):
        if r.period == before.period:
            require(_is_first(before) and r.epoch > before.epoch, "period_bounds")
        else:
            follows = r.period == before.period + 1 and r.epoch == before.epoch + 1 and _is_first(r)
            require(follows, "period_bounds")
    last = bounds[-1]
    require(last.period == head.period and last.epoch == head.period_first_epoch and _is_first(last), "period_bounds")
