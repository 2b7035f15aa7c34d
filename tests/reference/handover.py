"""Makes an owner's checks that the next period took over a key correctly (docs/spec/periods.md section 6)."""

from dataclasses import dataclass

from codec import Versions
from refused import require


@dataclass(frozen=True)
class EndState:
    """An owner's knowledge of a key at the last epoch of a period: its latest version there, and that version's value."""

    period: int
    last_epoch: int
    version: int
    value: bytes | None


def check_handover(period: int, first_epoch: int, answer: Versions, end: EndState) -> None:
    """Checks the list of the key's versions, from version 1 on, in an accepted answer of the next period (section 6). `period` and
    `first_epoch` come from the answer's record."""
    require(period == end.period + 1 and first_epoch == end.last_epoch + 1, "handover_period")
    first = answer.members[0] if answer.members else None
    if end.version == 0:
        require(first is None or first.epoch != 0, "handover_unset")
        return
    require(first is not None and first.epoch == 0, "handover_missing")
    require(first is not None and first.value == end.value, "handover_value")
