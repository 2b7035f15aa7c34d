"""Defines the exception that every check of the reference raises, with a reason of docs/spec/reasons.md."""

from facts import REASONS


class Refused(Exception):
    """A check failed. `reason` is the stable name of the first check that fails."""

    def __init__(self, reason: str):
        assert reason in REASONS, reason
        super().__init__(reason)
        self.reason = reason


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Refused(reason)
