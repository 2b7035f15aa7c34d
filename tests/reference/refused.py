"""What every check of the reference raises: one reason of docs/spec/reasons.md."""


class Refused(Exception):
    """reason is the stable name; the first check that fails decides it."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Refused(reason)
