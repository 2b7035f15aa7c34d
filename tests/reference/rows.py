"""Makes rows of JSON from whole answers, for tests/vectors/lookup/ and live.py --export. A row has the verifier's state, the answer's
octets and the verdict."""

import pahd
from handover import EndState
from periods import verify_periods
from record import EpochRecord
from refused import Refused
from user_monitor import MonitorResult, Own, verify_user_monitor
from users import Asked, Kept, UserResult, verify_users
from verify import TrustAnchor, Verifier

NOTE = (
    "what a verifier brings (anchor: an index into anchors; left out: it keeps none), the answer, the reason, "
    "and for valid ones the results"
)


class WrongVerdict(Exception):
    """The reference's verdict on a row differs from the verdict that the row's author expects."""


class Rows:
    """Collects rows. Compares the reference's verdict on each row with the reason that the row's author expects."""

    def __init__(self) -> None:
        self.anchors: list[TrustAnchor] = []
        self.rows: list[dict] = []

    def _anchor(self, anchor: TrustAnchor) -> int:
        if anchor not in self.anchors:
            self.anchors.append(anchor)
        return self.anchors.index(anchor)

    def anchors_json(self) -> list[dict]:
        return [
            {"configuration": a.configuration.encode().hex(), "log_key": a.log_key.public.hex(), "log_id": a.log_id.hex()}
            for a in self.anchors
        ]

    def content(self) -> dict:
        return {"note": NOTE, "anchors": self.anchors_json(), "vectors": self.rows}

    def answer(
        self, form: str, kind: str, v: Verifier, keys: list[bytes], encoded: bytes, reason: str
    ) -> list[pahd.Result]:
        """Adds a row about an answer of the form `form`: lookup, history or monitor. Returns the content of the answer if it is valid."""
        try:
            if form == "lookup":
                results = v.verify_lookup(encoded, keys)
            else:
                results = v.verify_versions(encoded, keys)
            found = "valid"
        except Refused as refused:
            results, found = [], refused.reason
        _expect(f"{form} {kind}", found, reason)
        row = self._brought(form, kind, v)
        row["keys"] = [key.hex() for key in keys]
        if v.least_epoch:
            row["least_epoch"] = [v.least_epoch.get(key, 0) for key in keys]
        if v.known:
            row["known"] = [_known(v.known.get(key)) for key in keys]
        if v.ended_record is not None:
            row["ended_record"] = v.ended_record.encode().hex()
        if v.ends:
            row["ends"] = [_end(v.ends.get(key)) for key in keys]
        row["answer"] = encoded.hex()
        row["reason"] = reason
        if reason == "valid":
            row["results"] = [_result(result) for result in results]
        self.rows.append(row)
        return results

    def users(self, kind: str, v: Verifier, asked: list[Asked], encoded: bytes, reason: str) -> list[UserResult]:
        """Adds a row about a lookup of users. Returns the content of the answer if it is valid."""
        try:
            results = verify_users(v, encoded, asked)
            found = "valid"
        except Refused as refused:
            results, found = [], refused.reason
        _expect(f"user-lookup {kind}", found, reason)
        row = self._brought("user-lookup", kind, v)
        row |= {"users": [_asked(one) for one in asked], "answer": encoded.hex(), "reason": reason}
        if reason == "valid":
            row["results"] = [_user_result(result) for result in results]
        self.rows.append(row)
        return results

    def monitor(self, kind: str, v: Verifier, own: Own, encoded: bytes, reason: str) -> MonitorResult | None:
        """Adds a row about an answer to an owner. Returns the content of the answer if it is valid."""
        try:
            result = verify_user_monitor(v, encoded, own)
            found = "valid"
        except Refused as refused:
            result, found = None, refused.reason
        _expect(f"user-monitor {kind}", found, reason)
        row = self._brought("user-monitor", kind, v)
        if v.ended_record is not None:
            row["ended_record"] = v.ended_record.encode().hex()
        row |= {"own": _own(own), "answer": encoded.hex(), "reason": reason}
        if result is not None:
            row["result"] = _monitor_result(result)
        self.rows.append(row)
        return result

    def periods(self, kind: str, v: Verifier, period: int, encoded: bytes, reason: str) -> list[EpochRecord]:
        """Adds a row about an answer with bounds of periods. Returns the bounds if the answer is valid."""
        try:
            bounds = verify_periods(v, encoded, period)
            found = "valid"
        except Refused as refused:
            bounds, found = [], refused.reason
        _expect(f"periods {kind}", found, reason)
        row = self._brought("periods", kind, v) | {"period": period, "answer": encoded.hex(), "reason": reason}
        if reason == "valid":
            row["results"] = [r.epoch for r in bounds]
        self.rows.append(row)
        return bounds

    def _brought(self, form: str, kind: str, v: Verifier) -> dict:
        row = {"kind": kind, "form": form, "anchor": self._anchor(v.anchor), "now_ms": v.now_ms}
        if v.checkpoint is not None:
            row["checkpoint"] = {"size": v.checkpoint.size, "root": v.checkpoint.root.hex()}
        if v.record is not None:
            row["record"] = v.record.encode().hex()
        if v.period_record is not None:
            row["period_record"] = v.period_record.encode().hex()
        return row

    def audit(
        self, kind: str, v: Verifier, stored: EpochRecord, start: EpochRecord, encoded: bytes, reason: str
    ) -> None:
        """Adds a row about an audit proof. `start` is the record of the first epoch of the stored record's period."""
        structures = []
        try:
            structures = v.verify_audit(encoded, stored, start).structures
            found = "valid"
        except Refused as refused:
            found = refused.reason
        _expect(f"audit {kind}", found, reason)
        row = {"kind": kind, "form": "audit", "anchor": self._anchor(v.anchor), "now_ms": v.now_ms}
        row |= {"stored": stored.encode().hex(), "period_record": start.encode().hex()}
        row |= {"answer": encoded.hex(), "reason": reason}
        if reason == "valid":
            row["structures"] = structures
        self.rows.append(row)


def _expect(name: str, found: str, reason: str) -> None:
    if found != reason:
        raise WrongVerdict(f"{name}: {found}, expected {reason}")


def _known(known: pahd.Known | None) -> dict | None:
    if known is None:
        return None
    kept = {"period": known.period, "version": known.version, "absent_at": known.absent_at}
    return kept | {"page_time": known.page_time, "page_version": known.page_version}


def _end(end: EndState | None) -> dict | None:
    if end is None:
        return None
    kept = {"period": end.period, "last_epoch": end.last_epoch, "version": end.version}
    return kept | {"value": _hex(end.value)}


def _result(result: pahd.Result) -> dict:
    values = {str(version): None if value is None else value.hex() for version, value in result.values.items()}
    return {"version": result.version, "time": result.time, "values": values, "complete": result.complete}


def _hex(octets: bytes | None) -> str | None:
    return None if octets is None else octets.hex()


def _asked(asked: Asked) -> dict:
    kept = None if asked.kept == Kept() else _kept(asked.kept)
    return {"username": asked.username.hex(), "device": _hex(asked.device), "kept": kept}


def _kept(kept: Kept) -> dict:
    devices = None
    if kept.devices is not None:
        devices = _version_known(kept.devices.known) | {"list": kept.devices.devices.hex()}
    keys = {device.hex(): _version_known(known) for device, known in kept.keys.items()}
    state = {"user": _hex(kept.user), "has_left": kept.has_left, "least_epoch": kept.least_epoch}
    state |= {"generation": kept.generation} if kept.generation else {}
    return state | {"devices": devices, "keys": keys}


def _own(own: Own) -> dict:
    devices = None
    if own.devices is not None:
        devices = _known(own.devices.known) | {"list": own.devices.devices.hex()}
    keys = [{"device": one.hex(), "known": _known(known)} for one, known in sorted(own.keys.items())]
    state = {"user": own.user.hex(), "names": [name.hex() for name in own.names]}
    state |= {"has_left": own.has_left, "least_epoch": own.least_epoch, "devices": devices, "keys": keys}
    ends = [{"structure": structure, "key": key.hex()} | _end(end) for (structure, key), end in sorted(own.ends.items())]
    return state | ({"ends": ends} if ends else {})


def _monitor_result(result: MonitorResult) -> dict:
    devices = None if result.devices is None else _result(result.devices)
    keys = [{"device": one.hex()} | _result(found) for one, found in result.keys.items()]
    return {"epoch": result.epoch, "has_left": result.has_left, "complete": result.complete, "devices": devices, "keys": keys}


def _version_known(known: pahd.Known) -> dict:
    return {"period": known.period, "version": known.version, "absent_at": known.absent_at}


def _user_result(result: UserResult) -> dict:
    devices = None if result.devices is None else _version(result.devices)
    keys = [{"device": device.hex()} | _version(shown) for device, shown in result.keys.items()]
    kind = ("none", "left", "current")[result.kind]
    shown = {"kind": kind, "user": _hex(result.user), "epoch": result.epoch, "devices": devices, "keys": keys}
    if not result.generation:
        return shown
    earlier = [{"user": one.user.hex(), "since": one.since, "left": one.left} for one in result.earlier]
    return shown | {"generation": result.generation, "earlier": earlier}


def _version(result: pahd.Result) -> dict:
    return {"version": result.version, "time": result.time, "value": _hex(result.value)}
