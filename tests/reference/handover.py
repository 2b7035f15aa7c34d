"""What an owner checks of a key when the next period takes it over: docs/spec/periods.md section 6."""

from dataclasses import dataclass

import pahd
from codec import Versions
from refused import require


@dataclass(frozen=True)
class EndState:
    """What an owner knows of a key at the last epoch of a period: its latest version there, and that one's value."""

    period: int
    last_epoch: int
    version: int
    value: bytes | None


def check_handover(s: pahd.Structure, answer: Versions, end: EndState) -> None:
    """Section 6: the first accepted answer about a key in the next period, which lists from version 1."""
    require(s.period == end.period + 1 and s.first_epoch == end.last_epoch + 1, "handover_period")
    first = answer.members[0] if answer.members else None
    if end.version == 0:
        require(first is None or first.epoch != 0, "handover_unset")
        return
    require(first is not None and first.epoch == 0, "handover_missing")
    require(first is not None and first.value == end.value, "handover_value")
