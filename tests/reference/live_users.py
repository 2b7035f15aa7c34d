"""Makes the checks of live.py for users, with honest and changed answers of a running server."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import facts
import mutations
import mutations_monitor
import mutations_users
from codec import decode_whole, uint, vector
from codec_users import CURRENT, HAS_LEFT, NO_SUCH_USER, UserLookupAnswer, UserMonitorAnswer
from mutations import Change
from rows import Rows, WrongVerdict
from user_monitor import MonitorResult, Own
from users import Asked, Kept, UserResult
from verify import Verifier


class Session(Protocol):
    """The members of live.py's session that this module uses."""

    rows: Rows

    def verifier(self, **kept) -> Verifier: ...

    def post(self, path: str, form: str, query: str, body: bytes) -> bytes: ...


@dataclass(frozen=True)
class Names:
    """The usernames that the checks use.

    `one` leads to a user who has one device now and had another device earlier. This user's list has two versions or more, and so has the
    first key in a monitoring answer about this user. `left` led to a user who has left. `nobody` is a name that no user has.
    """

    one: bytes
    left: bytes
    nobody: bytes


def user_queries(asked: Iterable[Asked]) -> bytes:
    """Encodes a UserQueryList, docs/spec/rest.md section 4."""

    def query(one: Asked) -> bytes:
        kept = one.kept
        known = sorted((device, found) for device, found in kept.keys.items() if found.version)
        period = next((found.period for _, found in known), kept.devices.known.period if kept.devices else 0)
        octets = vector(255, one.username) + vector(255, one.device or b"") + uint(kept.user is not None, 1) + uint(period, 8)
        octets += uint(kept.devices.known.version if kept.devices else 0, 8)
        return octets + vector(2**24 - 1, b"".join(vector(255, device) + uint(found.version, 8) for device, found in known))

    return vector(2**24 - 1, b"".join(map(query, asked)))


def monitor_query(own: Own) -> bytes:
    """Encodes a UserMonitorQuery, docs/spec/rest.md section 4."""
    known = own.devices.known if own.devices else None
    keys = b"".join(vector(255, device) + uint(found.version + 1 if found else 1, 8) for device, found in sorted(own.keys.items()))
    octets = vector(255, own.user) + vector(2**16 - 1, b"".join(vector(255, name) for name in own.names))
    return octets + uint(known.period if known else 0, 8) + uint(known.version + 1 if known else 1, 8) + vector(2**24 - 1, keys)


class LiveUsers:
    """Makes the checks of live.py for users: verifies every honest answer, and checks that each changed copy is refused for its reason."""

    def __init__(self, session: Session, names: Names):
        self._session, self._names = session, names

    def run(self, can_monitor: bool) -> None:
        shown = self._look_up()
        if can_monitor:
            self._monitor(shown.user)

    def _look_up(self) -> UserResult:
        names = self._names
        whole, results = self._lookup("live", [Asked(name) for name in (names.one, names.left, names.nobody)])
        for name, result, kind in zip((names.one, names.left, names.nobody), results, (CURRENT, HAS_LEFT, NO_SUCH_USER), strict=True):
            print(f"verified lookup of user {name!r}: " + ("no such user", "has left", f"{len(result.keys)} devices")[result.kind])
            if result.kind != kind:
                raise WrongVerdict(f"user {name!r}: kind {result.kind}")
        shown = results[0]
        again, (unchanged,) = self._lookup("live_kept_state", [Asked(names.one, kept=shown.kept(Kept()))])
        if any(result.value is not None for result in (unchanged.devices, *unchanged.keys.values())):
            raise WrongVerdict("a value that was known was sent again")
        device = shown.ids[0]
        self._lookup("live_one_device", [Asked(names.one, device)])
        # This is an answer about a single user, cut out of the honest answer; the head is the same.
        one, left, none = (replace(whole, users=[user]) for user in whole.users)
        self._changed(Asked(names.one), mutations_users.user_changes(one))
        self._changed(Asked(names.left), mutations_users.left_changes(left, one.users[0]))
        self._changed(Asked(names.nobody), mutations_users.none_changes(none))
        self._changed(Asked(names.nobody), mutations.whole_changes(none.encode()))
        self._changed(Asked(names.nobody), mutations.head_changes(none))
        kept = replace(shown.kept(Kept()), user=bytes(16))
        self._changed(Asked(names.one, kept=kept), [("another_user_id_than_before", one.encode(), "user_changed")])
        self._changed(Asked(names.one, kept=Kept(has_left=True)), [("left_before", one.encode(), "user_returned")])
        self._changed(Asked(names.one, kept=Kept(least_epoch=shown.epoch + 1)), [("older_than_seen_before", one.encode(), "stale")])
        return shown

    def _lookup(self, kind: str, asked: list[Asked]) -> tuple[UserLookupAnswer, list[UserResult]]:
        encoded = self._session.post("/v1/users/lookup", "user-lookup", "user-query", user_queries(asked))
        results = self._session.rows.users(kind, self._session.verifier(), asked, encoded, "valid")
        return decode_whole(UserLookupAnswer.decode, encoded), results

    def _changed(self, asked: Asked, changes: Iterable[Change]) -> None:
        for kind, encoded, reason in changes:
            self._session.rows.users(kind, self._session.verifier(), [asked], encoded, reason)
            print(f"refused  {kind}: {reason}")

    def _monitor(self, user: bytes) -> None:
        own = Own(user, [self._names.one])
        encoded, shown = self._own("live", own)
        print(f"verified monitor of user {user.hex()}: list {shown.devices.version}, {len(shown.keys)} keys")
        answer = decode_whole(UserMonitorAnswer.decode, encoded)
        for kind, changed, reason in self._monitor_changes(answer):
            self._session.rows.monitor(kind, self._session.verifier(), own, changed, reason)
            print(f"refused  {kind}: {reason}")
        # Sends the request of an owner who continues from the last result, since which nothing has changed.
        later = shown.brought_next(own, self._session.verifier().anchor.configuration)
        _, nothing = self._own("live_nothing_new", later)
        if nothing.devices.values or any(found.values for found in nothing.keys.values()):
            raise WrongVerdict("versions that were seen before are listed again")

    def _own(self, kind: str, own: Own) -> tuple[bytes, MonitorResult]:
        encoded = self._session.post("/v1/users/monitor", "user-monitor", "user-monitor-query", monitor_query(own))
        result = self._session.rows.monitor(kind, self._session.verifier(), own, encoded, "valid")
        if not result.complete:
            raise WrongVerdict("a page, where all is little")
        return encoded, result

    @staticmethod
    def _monitor_changes(answer: UserMonitorAnswer) -> Iterator[Change]:
        yield from mutations_monitor.layout_changes(answer)
        yield from mutations_monitor.entry_changes(answer)
        yield from mutations_monitor.list_changes(answer)
        yield from mutations_monitor.key_changes(answer, 0)
