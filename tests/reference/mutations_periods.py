"""Named changes of an honest PeriodsAnswer and of an owner's end states for a hand-over, each with the reason for which a verifier must
refuse it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import facts
import mutations
from codec_periods import PeriodsAnswer
from codec_users import PartRecord
from handover import EndState
from mutations import Change
from record import EpochRecord


def bounds_changes(answer: PeriodsAnswer, size: int) -> Iterator[Change]:
    """Yields changes of an honest answer. `size` is the size of the answer's checkpoint, and is greater than 1."""
    bounds = answer.bounds

    def of_bounds(name: str, changed: list[PartRecord], reason: str = "period_bounds") -> Change:
        return f"periods_{name}", replace(answer, bounds=changed).encode(), reason

    def of_record(name: str, change: Callable[[EpochRecord], EpochRecord], reason: str) -> Change:
        changed = replace(bounds[0], record=change(EpochRecord.parse(bounds[0].record)).encode())
        return of_bounds(f"bound_of_another_{name}", [changed, *bounds[1:]], reason)

    yield of_bounds("without_bounds", [])
    yield of_bounds("first_bound_left_out", bounds[1:])
    yield of_bounds("last_bound_left_out", bounds[:-1])
    yield of_bounds("a_bound_twice", [bounds[0], *bounds])
    yield of_bounds("last_bound_twice", [*bounds, bounds[-1]])
    yield of_bounds("too_many_bounds", [bounds[0]] * (facts.MAX_PERIOD_BOUNDS + 1))
    yield of_bounds("head_instead_of_the_bounds", [PartRecord(answer.head.record, answer.head.inclusion)])
    if len(bounds) > 1:
        yield of_bounds("reversed", bounds[::-1])
        moved = replace(bounds[0], inclusion=bounds[-1].inclusion)
        yield of_bounds("inclusion_of_another_bound", [moved, *bounds[1:]], "inclusion_proof")
    yield of_bounds("bound_without_its_inclusion", [replace(bounds[0], inclusion=[]), *bounds[1:]], "inclusion_proof")
    yield of_record("format", lambda r: replace(r, format=2), "record_format")
    yield of_record("log_id", lambda r: replace(r, log_id=bytes(32)), "record_log_id")
    yield of_record("epoch", lambda r: replace(r, epoch=size), "inclusion_index")
    yield of_record("time", lambda r: replace(r, time_ms=r.time_ms + 1), "inclusion_proof")
    encoded = answer.encode()
    yield from mutations.whole_changes(encoded)
    at = len(answer.head.encode())
    short = (int.from_bytes(encoded[at : at + 3], "big") - 1).to_bytes(3, "big")
    yield "periods_vector_too_short", encoded[:at] + short + encoded[at + 3 :], "malformed_truncated"
    yield "periods_cut", encoded[:-40], "malformed_truncated"


def end_changes(end: EndState) -> Iterator[tuple[str, EndState, str]]:
    """Yields end states that an owner could have instead of the true end state, for a key that has a version."""
    assert end.version > 0
    yield "of_another_period", replace(end, period=end.period + 1), "handover_period"
    yield "of_an_earlier_epoch", replace(end, last_epoch=end.last_epoch - 1), "handover_period"
    yield "of_a_later_epoch", replace(end, last_epoch=end.last_epoch + 1), "handover_period"
    yield "of_another_value", replace(end, value=end.value + b"\0"), "handover_value"
    yield "of_an_empty_value", replace(end, value=b""), "valid" if end.value == b"" else "handover_value"
    yield "of_nothing", replace(end, version=0, value=None), "handover_unset"
