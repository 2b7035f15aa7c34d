"""Calls the native verifier (ozks/include/optiks/optiks.h) through ctypes with rows of tests/reference/rows.py."""

import ctypes
import hashlib
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_size_t, c_uint8, c_uint32, c_uint64
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

from facts import ABI_E_BUFFER, ABI_OK, ABI_VERSION, RECORD_LEN

VALUE_OFFSET_FIELDS = [("value_offset", c_size_t), ("value_len", c_size_t), ("has_value", c_int32), ("reserved", c_int32)]


class Anchor(Structure):
    _fields_ = [("configuration", c_char_p), ("configuration_len", c_size_t), ("log_public_key", c_uint8 * 32),
                ("reserved", c_uint8 * 8)]


class Context(Structure):
    _fields_ = [("anchor", Anchor), ("now_ms", c_uint64), ("kept_size", c_uint64), ("kept_root", c_uint8 * 32),
                ("kept_record", c_char_p), ("kept_period_record", c_char_p), ("ended_record", c_char_p)]


class Known(Structure):
    _fields_ = [("least_epoch", c_uint64), ("period", c_uint64), ("version", c_uint64), ("time", c_uint64),
                ("absent_epoch", c_uint64), ("page_version", c_uint64), ("has_absent", c_uint32), ("reserved", c_uint32)]


class End(Structure):
    _fields_ = [("period", c_uint64), ("last_epoch", c_uint64), ("version", c_uint64), ("value_sha256", c_uint8 * 32)]


class HeadResult(Structure):
    _fields_ = [("epoch", c_uint64), ("period", c_uint64), ("period_first_epoch", c_uint64), ("time_ms", c_uint64),
                ("size", c_uint64), ("root", c_uint8 * 32), ("record_offset", c_size_t), ("checkpoint_offset", c_size_t),
                ("checkpoint_len", c_size_t)]


class LookupResult(Structure):
    _fields_ = [("version", c_uint64), ("time", c_uint64), ("leaf_epoch", c_uint64), *VALUE_OFFSET_FIELDS]


class VersionEntry(Structure):
    _fields_ = [("version", c_uint64), ("leaf_epoch", c_uint64), ("time", c_uint64), *VALUE_OFFSET_FIELDS]


class VersionsResult(Structure):
    _fields_ = [("version", c_uint64), ("from", c_uint64), ("num_entries", c_size_t), ("complete", c_int32),
                ("reserved", c_int32)]


class VersionsVerdict(Structure):
    _fields_ = [("head", HeadResult), ("results", POINTER(VersionsResult)), ("entries", POINTER(VersionEntry)), ("entries_capacity", c_size_t),
                ("num_entries", c_size_t), ("failed", c_size_t), ("reason", c_int32), ("reserved", c_int32)]


STRUCTS = {"optiks_anchor_t": Anchor, "optiks_context_t": Context, "optiks_known_t": Known, "optiks_end_t": End,
           "optiks_head_result_t": HeadResult, "optiks_lookup_result_t": LookupResult,
           "optiks_version_entry_t": VersionEntry, "optiks_versions_result_t": VersionsResult,
           "optiks_versions_verdict_t": VersionsVerdict}


class NativeError(Exception):
    """A call of the native library failed. This is never a verdict."""


class NativeVerifier:
    """The verifier of the liboptiks at a path. Its verdicts are names of docs/spec/reasons.md."""

    def __init__(self, path: Path):
        self.library = library = ctypes.CDLL(str(path))
        library.optiks_abi_version.restype = c_uint32
        library.optiks_sizeof.argtypes, library.optiks_sizeof.restype = [c_char_p], c_size_t
        octets, out_reason, out_len = c_char_p, POINTER(c_int32), POINTER(c_size_t)
        keys = [POINTER(Context), c_size_t, c_char_p, POINTER(c_uint64), POINTER(Known), octets, c_size_t]
        library.optiks_verify_lookup.argtypes = [*keys, out_reason, out_len, POINTER(HeadResult), POINTER(LookupResult)]
        library.optiks_verify_versions.argtypes = [*keys, POINTER(VersionsVerdict)]
        library.optiks_verify_audit.argtypes = [
            POINTER(Context), octets, octets, octets, c_size_t, out_reason, c_char_p, POINTER(c_uint32)]
        library.optiks_verify_handover.argtypes = [
            POINTER(HeadResult), POINTER(VersionEntry), octets, c_size_t, POINTER(End), out_reason]
        library.optiks_reason_name.argtypes = [c_int32, c_char_p, c_size_t, out_len]
        if library.optiks_abi_version() != ABI_VERSION:
            raise NativeError(f"{path} has ABI version {library.optiks_abi_version()}")
        check_sizes(library, STRUCTS)

    def verdict(self, anchors: list[dict], row: dict) -> tuple[str, list[dict] | None]:
        """Returns the verifier's reason for a row. For a valid answer about keys, also returns the answer's contents, in the form of the
        row's `results`."""
        context = context_of(anchors[row["anchor"]], row)
        answer = bytes.fromhex(row["answer"])
        if row["form"] == "audit":
            return self._audit(context, bytes.fromhex(row["stored"]), bytes.fromhex(row["period_record"]), answer), None
        keys = [bytes.fromhex(key) for key in row["keys"]]
        known = (Known * len(keys))(*_known(row, len(keys)))
        asked = (byref(context), len(keys), *strings(keys), known)
        if row["form"] == "lookup":
            return self._lookup(asked, answer)
        return self._versions(asked, answer, row.get("ends", [None] * len(keys)))

    def _audit(self, context: Context, stored: bytes, start: bytes, answer: bytes) -> str:
        reason, record, structures = c_int32(-1), ctypes.create_string_buffer(RECORD_LEN), c_uint32()
        check(self.library.optiks_verify_audit(
            byref(context), stored, start, answer, len(answer), byref(reason), record, byref(structures)))
        return self.name(reason)

    def _lookup(self, asked: tuple, answer: bytes) -> tuple[str, list[dict]]:
        reason, failed, head = c_int32(-1), c_size_t(), HeadResult()
        results = (LookupResult * asked[1])()
        check(self.library.optiks_verify_lookup(
            *asked, answer, len(answer), byref(reason), byref(failed), byref(head), results))
        return self.name(reason), [{"version": one.version, "value": value_of(one, answer)} for one in results]

    def _versions(self, asked: tuple, answer: bytes, ends: list[dict | None]) -> tuple[str, list[dict]]:
        results, capacity = (VersionsResult * asked[1])(), 16
        while True:
            entries = (VersionEntry * capacity)()
            verdict = VersionsVerdict(results=results, entries=entries, entries_capacity=capacity, reason=-1)
            status = self.library.optiks_verify_versions(*asked, answer, len(answer), byref(verdict))
            if status != ABI_E_BUFFER:
                break
            capacity = verdict.num_entries
        check(status)
        judged = self.name(verdict.reason)
        if judged == "valid":
            judged = self.handed_over(verdict.head, results, entries, answer, ends)
        return judged, versions_shown(results, entries, answer)

    def handed_over(self, head: HeadResult, results, entries, answer: bytes, ends: list[dict | None]) -> str:
        """Returns the reason for the first list that does not correctly take over its end state. The verifier must have accepted the
        answer. In `entries`, the entries of one list follow those of the list before it."""
        start = 0
        for one, end in zip(results, ends, strict=True):
            first = byref(entries[start]) if one.num_entries else None
            start += one.num_entries
            if end is not None and getattr(one, "from") == 1:
                reason = c_int32(-1)
                check(self.library.optiks_verify_handover(
                    byref(head), first, answer, len(answer), byref(_end(end)), byref(reason)))
                if reason.value != 0:
                    return self.name(reason)
        return "valid"

    def name(self, reason: int | c_int32) -> str:
        name, length = ctypes.create_string_buffer(64), c_size_t()
        check(self.library.optiks_reason_name(reason, name, len(name), byref(length)))
        return name.raw[:length.value].decode()


def check(status: int) -> None:
    if status != ABI_OK:
        raise NativeError(f"status {status}")


def check_sizes(library: ctypes.CDLL, structs: dict[str, type[Structure]]) -> None:
    for name, struct in structs.items():
        if library.optiks_sizeof(name.encode()) != ctypes.sizeof(struct):
            raise NativeError(f"{name} has {library.optiks_sizeof(name.encode())} octets in the library")


def strings(texts: list[bytes]) -> tuple[bytes, ctypes.Array]:
    """Joins the texts. Returns the joined text, and the offsets where each text begins and the last text ends."""
    ends = [0]
    for text in texts:
        ends.append(ends[-1] + len(text))
    return b"".join(texts), (c_uint64 * len(ends))(*ends)


def versions_shown(results, entries, answer: bytes) -> list[dict]:
    """Returns the contents of each list of versions. In `entries`, the entries of one list follow those of the list before it."""
    shown, start = [], 0
    for one in results:
        own = entries[start:start + one.num_entries]
        start += one.num_entries
        values = {str(entry.version): value_of(entry, answer) for entry in own}
        shown.append({"version": one.version, "values": values, "complete": bool(one.complete)})
    return shown


def value_of(result: Structure, answer: bytes) -> str | None:
    return answer[result.value_offset:result.value_offset + result.value_len].hex() if result.has_value else None


def context_of(anchor: dict, row: dict) -> Context:
    configuration, record = bytes.fromhex(anchor["configuration"]), row.get("record")
    context = Context(now_ms=row["now_ms"], kept_record=bytes.fromhex(record) if record else None)
    if record and (start := row.get("period_record")):
        context.kept_period_record = bytes.fromhex(start)
    if ended := row.get("ended_record"):
        context.ended_record = bytes.fromhex(ended)
    context.anchor = Anchor(configuration, len(configuration), (c_uint8 * 32)(*bytes.fromhex(anchor["log_key"])))
    if checkpoint := row.get("checkpoint"):
        context.kept_size = checkpoint["size"]
        context.kept_root = (c_uint8 * 32)(*bytes.fromhex(checkpoint["root"]))
    return context


def _end(end: dict) -> End:
    value = b"" if end["value"] is None else bytes.fromhex(end["value"])
    return End(end["period"], end["last_epoch"], end["version"], (c_uint8 * 32)(*hashlib.sha256(value).digest()))


def _known(row: dict, count: int) -> list[Known]:
    least, known = row.get("least_epoch", [0] * count), row.get("known", [None] * count)
    result = []
    for epoch, one in zip(least, known, strict=True):
        found = Known(least_epoch=epoch)
        if one is not None:
            found.period, found.version, found.time = one["period"], one["version"], one["page_time"] or 0
            found.page_version = one["page_version"]
            found.has_absent, found.absent_epoch = one["absent_at"] is not None, one["absent_at"] or 0
        result.append(found)
    return result
