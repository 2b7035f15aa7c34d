"""Makes the checks of live.py for ended periods: the bounds of periods, the answers about ended periods, and the hand-over."""

import urllib.error
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import facts
import mutations
import mutations_periods
from codec import VersionsAnswer, decode_whole
from codec_periods import PeriodsAnswer
from handover import EndState
from live_users import monitor_query, user_queries
from mutations import Change
from record import EpochRecord
from refused import require
from rows import Rows, WrongVerdict
from user_monitor import Own
from users import Asked
from verify import TrustAnchor, Verifier


class Http(Protocol):
    """The members of live.py's HTTP client that this module uses."""

    def request(self, path: str, accept: str | None = None, body: bytes | None = None) -> bytes: ...

    def ask(self, form: str, keys: list[bytes], versions: list[tuple[int, int]], kept_size: int = 0, period: int | None = None) -> bytes: ...


class Session(Protocol):
    """The members of live.py's session that this module uses."""

    http: Http
    anchor: TrustAnchor
    rows: Rows
    chain: list[EpochRecord]

    def verifier(self, **kept) -> Verifier: ...

    def changed(self, form: str, v: Verifier, keys: list[bytes], changes) -> None: ...

    def post(self, path: str, form: str, query: str, body: bytes) -> bytes: ...


class LivePeriods:
    """Makes all period checks of one server. `username` leads to a user who existed in each served period; if it is empty, no user is
    followed."""

    def __init__(self, session: Session, keys: list[bytes], absent: list[bytes], username: bytes):
        self._s = session
        self._keys, self._absent, self._username = keys, absent, username
        self._bounds: list[EpochRecord] = []

    def run(self, can_monitor: bool) -> None:
        self._read_bounds()
        if can_monitor and len(self._bounds) > 1:
            self._hand_over()
            if self._username:
                self._hand_over_user()

    def _read_bounds(self) -> None:
        s, v = self._s, self._s.verifier()
        for period in range(s.chain[-1].period + 1):
            encoded = s.http.request(f"/v1/periods?from={period}", "periods")
            bounds = s.rows.periods("live", v, period, encoded, "valid")
            self._bounds = self._bounds or bounds
            # The board must have the same records as the answer about the bounds.
            for r in bounds:
                require(r.epoch >= len(s.chain) or r == s.chain[r.epoch], "fork")
        # Sends the requests of a client that keeps a record, with records of several epochs, including the first and the last of each
        # period.
        encoded = s.http.request("/v1/periods?from=0", "periods")
        for r in {0: s.chain[0], **{r.epoch: r for r in self._bounds}}.values():
            s.rows.periods("live_kept_record", replace(v, record=r), 0, encoded, "valid")
        print(f"verified the bounds of {s.chain[-1].period + 1} periods")
        answer = decode_whole(PeriodsAnswer.decode, encoded)
        self._changed(v, mutations_periods.bounds_changes(answer, mutations.checkpoint_size(answer.head)))
        if len(self._bounds) > 1:
            self._changed(v, [("periods_of_another_one", s.http.request("/v1/periods?from=1", "periods"), "period_bounds")])
        kept = self._bounds[0]
        other = replace(kept, time_ms=kept.time_ms + 1)
        self._changed(replace(v, record=other), [("periods_kept_record_of_another_time", encoded, "fork")])
        self._changed(replace(v, now_ms=0), [("periods_from_the_future", encoded, "record_from_future")])
        late = v.now_ms + s.anchor.configuration.max_behind_ms + 86_400_000
        self._changed(replace(v, now_ms=late), [("periods_too_old", encoded, "record_too_old")])

    def _changed(self, v: Verifier, changes: Iterator[Change] | list[Change]) -> None:
        for kind, encoded, reason in changes:
            self._s.rows.periods(kind, v, 0, encoded, reason)
            print(f"refused  {kind}: {reason}")

    def _ends(self) -> dict[int, EpochRecord]:
        return {a.period: a for a, b in zip(self._bounds, self._bounds[1:], strict=False) if a.period != b.period}

    def _hand_over(self) -> None:
        s, ends = self._s, self._ends()
        current = self._bounds[-1].period
        first = max(0, current - s.anchor.configuration.retained_periods + 1)
        self._unserved(first, current)
        keys = self._keys + self._absent
        before: dict[bytes, EndState] = {}
        for period in range(first, current + 1):
            ended = ends.get(period)
            asked = None if ended is None else period
            encoded = s.http.ask("monitor", keys, [(0, 1)] * len(keys), period=asked)
            v = s.verifier(ended_record=ended, ends=before)
            results = s.rows.answer("monitor", "live_period", v, keys, encoded, "valid")
            if before:
                print(f"verified hand-over of {len(keys)} keys to period {period}")
                self._changed_ends(v, keys, encoded, before)
            if ended is None:
                return
            history = s.http.ask("history", keys, [(0, 1)] * len(keys), period=asked)
            s.rows.answer("history", "live_period", replace(v, ends={}), keys, history, "valid")
            self._changed_record(v, keys, encoded, ended)
            # Only an answer that ends a key's list gives the key's end state; a page does not.
            before = {
                key: EndState(period, ended.epoch, found.version, found.values[found.version] if found.version else None)
                for key, found in zip(keys, results, strict=True)
                if found.complete
            }

    def _hand_over_user(self) -> None:
        s, ends, asked = self._s, self._ends(), [Asked(self._username)]
        found = s.post("/v1/users/lookup", "user-lookup", "user-query", user_queries(asked))
        user = s.rows.users("live_handed_over", s.verifier(), asked, found, "valid")[0].user
        current = self._bounds[-1].period
        own = Own(user)
        for period in range(max(0, current - s.anchor.configuration.retained_periods + 1), current + 1):
            ended = ends.get(period)
            path = "/v1/users/monitor" + ("" if ended is None else f"?period={period}")
            encoded = s.post(path, "user-monitor", "user-monitor-query", monitor_query(own))
            v = s.verifier(ended_record=ended)
            result = s.rows.monitor("live_period", v, own, encoded, "valid")
            if own.ends:
                print(f"verified hand-over of user {self._username!r} to period {period}")
            for key, end in own.ends.items():
                for kind, changed, reason in mutations_periods.end_changes(end) if end.version else []:
                    s.rows.monitor(f"handover_{kind}", v, replace(own, ends={key: changed}), encoded, reason)
                    print(f"refused  user's handover_{kind}: {reason}")
            if ended is None:
                return
            shown = {(facts.DEVICES, user): result.devices, **{(facts.KEYS, one): found for one, found in result.keys.items()}}
            own = Own(user, keys=dict.fromkeys(result.keys), ends={
                key: EndState(period, ended.epoch, found.version, found.values.get(found.version)) for key, found in shown.items()})

    def _unserved(self, first: int, current: int) -> None:
        for period, status in [(first - 1, 410), (current, 404), (current + 1, 404)]:
            if period < 0:
                continue
            try:
                self._s.http.ask("history", self._keys[:1], [(0, 1)], period=period)
            except urllib.error.HTTPError as error:
                if error.code == status:
                    print(f"refused  a question about period {period}: {status}")
                    continue
                raise
            raise WrongVerdict(f"period {period} is served")

    def _changed_ends(self, v: Verifier, keys: list[bytes], encoded: bytes, before: dict[bytes, EndState]) -> None:
        key = self._keys[0]
        if key not in before:
            print("skipped  changed hand-overs: the list does not end on one page")
            return
        answer = decode_whole(VersionsAnswer.decode, encoded)
        one = replace(answer, items=[answer.items[keys.index(key)]]).encode()
        for kind, end, reason in mutations_periods.end_changes(before[key]):
            self._s.changed("monitor", replace(v, ends={key: end}), [key], [(f"handover_{kind}", one, reason)])
        for other in self._absent:
            end = EndState(before[key].period, before[key].last_epoch, 1, b"x")
            item = replace(answer, items=[answer.items[keys.index(other)]]).encode()
            self._s.changed("monitor", replace(v, ends={other: end}), [other], [("handover_of_what_is_not_there", item, "handover_missing")])

    def _changed_record(self, v: Verifier, keys: list[bytes], encoded: bytes, ended: EpochRecord) -> None:
        s = self._s
        answer = decode_whole(VersionsAnswer.decode, encoded)
        one = replace(answer, items=answer.items[:1])
        bare = replace(v, ends={})
        other = replace(ended, time_ms=ended.time_ms + 1)
        s.changed("monitor", replace(bare, ended_record=other), keys[:1], [("ended_period_of_another_record", one.encode(), "record_epoch")])
        current = s.http.ask("monitor", keys[:1], [(0, 1)])
        s.changed("monitor", bare, keys[:1], [("current_epoch_for_the_end_of_a_period", current, "record_epoch")])
        if one.items[0].version >= 2 and one.items[0].absent and all(m.value is not None for m in one.items[0].members):
            s.changed("monitor", bare, keys[:1], mutations.versions_changes(one))
        late = v.now_ms + s.anchor.configuration.max_behind_ms + 86_400_000
        s.rows.answer("monitor", "live_period_long_ago", replace(bare, now_ms=late), keys[:1], one.encode(), "valid")

