"""Compares what an owner is shown with the owner's state: docs/spec/state.md section 3 and docs/spec/user-monitor.md section 6. This module
finds only the alarms, because the verifier reports everything else.

Lists are compared by their octets, because only one client sets the lists, and this client knows all of them. A client that shares its user
with others compares the ids that were added and removed.
"""

from dataclasses import dataclass, field

import facts
from user_monitor import MonitorResult, Own

Key = tuple[int, bytes]


@dataclass
class Owner:
    """An owner's state. `expected`: for each key, the values that the owner set and has not yet seen, in order. `overtaken`: the expected
    values that a later value overtook.

    `asked_to_leave`: whether the owner asked to decommission the user.

    `brought`: the content of the next question. `shown`: the versions on the pages since the last result.
    """

    brought: Own
    expected: dict[Key, list[bytes]] = field(default_factory=dict)
    overtaken: dict[Key, list[bytes]] = field(default_factory=dict)
    asked_to_leave: bool = False
    latest: dict[Key, bytes] = field(default_factory=dict)
    period: int = 0
    shown: list[tuple[Key, int, bytes | None]] = field(default_factory=list)

    def set(self, structure: int, key: bytes, value: bytes) -> None:
        self.expected.setdefault((structure, key), []).append(value)

    def look(self, result: MonitorResult, configuration) -> list[str] | None:
        """Takes an accepted result and returns the alarms. After a page it returns None, because a page raises no alarm yet."""
        user = self.brought.user
        self.brought = result.brought_next(self.brought, configuration)
        if result.has_left:
            return [] if self.asked_to_leave else ["left"]
        for key, found in [((facts.DEVICES, user), result.devices), *(((facts.KEYS, k), r) for k, r in result.keys.items())]:
            self.shown += [(key, version, value) for version, value in found.values.items()]
        if not result.complete:
            return None
        alarms = [alarm for one in self.shown for alarm in self._compare(*one, switched=result.period != self.period)]
        self.shown, self.period = [], result.period
        return alarms

    def _compare(self, key: Key, version: int, value: bytes | None, switched: bool) -> list[str]:
        if value is None:
            return ["withheld"]
        before, self.latest[key] = self.latest.get(key), value
        # This code does not compare the copy with the previous period's value, because the hand-over makes that comparison
        # (docs/spec/periods.md section 6).
        if switched and version == 1 and before is not None:
            return []
        waiting, overtaken = self.expected.get(key, []), self.overtaken.setdefault(key, [])
        if value in waiting:
            at = waiting.index(value)
            overtaken += waiting[:at]
            del waiting[: at + 1]
            return []
        if value in overtaken:
            overtaken.remove(value)
        return ["not set"]
