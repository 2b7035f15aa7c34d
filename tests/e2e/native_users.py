"""Calls the native verifier's functions about users with rows of tests/reference/rows.py."""

import time
from collections.abc import Callable
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64

from native import (
    ABI_E_BUFFER,
    Context,
    HeadResult,
    Known,
    LookupResult,
    NativeVerifier,
    VersionEntry,
    VersionsResult,
    check,
    check_sizes,
    context_of,
    strings,
    value_of,
    versions_shown,
)

from facts import DEVICES, KEYS

KINDS = ("none", "left", "current")


class UserState(Structure):
    _fields_ = [("least_epoch", c_uint64), ("num_keys", c_size_t), ("has_left", c_uint32), ("generation", c_uint32)]


class UserResult(Structure):
    _fields_ = [("epoch", c_uint64), ("largest_epoch", c_uint64), ("devices_epoch", c_uint64), ("user_offset", c_size_t), ("user_len", c_size_t),
                ("devices", LookupResult), ("num_devices", c_size_t), ("kind", c_int32), ("generation", c_uint32)]


class DeviceResult(Structure):
    _fields_ = [("id_offset", c_size_t), ("id_len", c_size_t), ("record_epoch", c_uint64), ("key", LookupResult)]


class OwnKeyResult(Structure):
    _fields_ = [("id_offset", c_size_t), ("id_len", c_size_t), ("versions", VersionsResult), ("id_is_brought", c_int32), ("reserved", c_int32)]


class UsersVerdict(Structure):
    _fields_ = [("head", HeadResult), ("record_offset", c_size_t), ("users", POINTER(UserResult)), ("devices", POINTER(DeviceResult)),
                ("devices_capacity", c_size_t), ("num_devices", c_size_t), ("failed", c_size_t), ("reason", c_int32), ("reserved", c_int32)]


class UserMonitorVerdict(Structure):
    _fields_ = [("head", HeadResult), ("list", VersionsResult), ("keys", POINTER(OwnKeyResult)), ("keys_capacity", c_size_t),
                ("num_keys", c_size_t), ("entries", POINTER(VersionEntry)), ("entries_capacity", c_size_t), ("num_entries", c_size_t),
                ("reason", c_int32), ("has_left", c_int32)]


STRUCTS = {"optiks_user_state_t": UserState, "optiks_user_result_t": UserResult, "optiks_device_result_t": DeviceResult,
           "optiks_own_key_result_t": OwnKeyResult, "optiks_users_verdict_t": UsersVerdict, "optiks_user_monitor_verdict_t": UserMonitorVerdict}


class NativeUsers:
    """Uses the same library and verdicts as NativeVerifier. `seconds` is the time that the last call of the native verifier took, without
    the work of this class."""

    def __init__(self, verifier: NativeVerifier):
        self._verifier, self._name, self._library = verifier, verifier.name, verifier.library
        self.seconds = 0.0
        check_sizes(self._library, STRUCTS)
        texts, answer = [c_char_p, POINTER(c_uint64)], [c_char_p, c_size_t]
        self._library.optiks_verify_users.argtypes = [
            POINTER(Context), c_size_t, *texts, POINTER(UserState), POINTER(Known), *answer, POINTER(UsersVerdict)]
        self._library.optiks_verify_user_monitor.argtypes = [
            POINTER(Context), POINTER(UserState), c_size_t, *texts, POINTER(Known), *answer, POINTER(UserMonitorVerdict)]

    def lookup(self, anchors: list[dict], row: dict) -> tuple[str, list[dict]]:
        """Returns the verifier's reason for a row and, for a valid answer, its contents about each user, in the form of the row's
        `results`. Members that the native call does not return are missing."""
        users, answer = row["users"], bytes.fromhex(row["answer"])
        texts, devices, states, lists, keys = [], [], [], [], []
        for user in users:
            kept = user["kept"] or {"user": None, "has_left": False, "least_epoch": 0, "devices": None, "keys": {}}
            listed, own = kept["devices"], sorted(kept["keys"].items())
            texts += [user["username"], user["device"] or "", kept["user"] or "", listed["list"] if listed else ""]
            devices += [device for device, _ in own]
            states.append(UserState(kept["least_epoch"], len(own), kept["has_left"], kept.get("generation", 0)))
            lists.append(_known(listed))
            keys += [_known(known) for _, known in own]
        context, results, states = context_of(anchors[row["anchor"]], row), (UserResult * len(users))(), (UserState * len(users))(*states)
        known, octets = (Known * len(lists + keys))(*lists, *keys), strings([bytes.fromhex(text) for text in texts + devices])

        def call(capacity: int) -> tuple:
            room = (DeviceResult * capacity)()
            verdict = UsersVerdict(users=results, devices=room, devices_capacity=capacity, reason=-1)
            status = self._library.optiks_verify_users(byref(context), len(users), *octets, states, known, answer, len(answer), byref(verdict))
            return (verdict, room), status, verdict.num_devices

        verdict, room = self._with_room(call)
        shown, start = [], 0
        for one in results:
            own = room[start:start + one.num_devices]
            start += one.num_devices
            shown.append({"kind": KINDS[one.kind], "epoch": one.epoch, "generation": one.generation, "devices": _looked_up(one.devices, answer),
                          "keys": [_looked_up(device.key, answer) for device in own]})
        return self._name(verdict.reason), shown

    def monitor(self, anchors: list[dict], row: dict) -> tuple[str, dict]:
        """Returns the verifier's reason for a row and, for a valid answer, its contents about an owner's own user."""
        own, answer = row["own"], bytes.fromhex(row["answer"])
        listed, keys = own["devices"], own["keys"]
        octets = strings([bytes.fromhex(text) for text in (own["user"], *own["names"], listed["list"] if listed else "", *(one["device"] for one in keys))])
        known = [_known(listed), *(_known(one["known"]) for one in keys)]
        context, state = context_of(anchors[row["anchor"]], row), UserState(own["least_epoch"], len(keys), own["has_left"])

        def call(capacity: int) -> tuple:
            keys, entries = (OwnKeyResult * capacity)(), (VersionEntry * capacity)()
            verdict = UserMonitorVerdict(keys=keys, keys_capacity=capacity, entries=entries, entries_capacity=capacity, reason=-1)
            status = self._library.optiks_verify_user_monitor(
                byref(context), byref(state), len(own["names"]), *octets, (Known * len(known))(*known), answer, len(answer), byref(verdict))
            return (verdict, keys[:verdict.num_keys], entries), status, max(verdict.num_keys, verdict.num_entries)

        verdict, followed, entries = self._with_room(call)
        head, results, judged = verdict.head, [verdict.list, *(one.versions for one in followed)], self._name(verdict.reason)
        if judged == "valid" and not verdict.has_left:
            ids = [(octets[0] if one.id_is_brought else answer)[one.id_offset:one.id_offset + one.id_len] for one in followed]
            ends = {(end["structure"], end["key"]): end for end in own.get("ends", [])}
            own_ends = [ends.get((DEVICES, own["user"])), *(ends.get((KEYS, one.hex())) for one in ids)]
            judged = self._verifier.handed_over(head, results, entries, answer, own_ends)
        lists = versions_shown(results, entries, answer)
        return judged, {"epoch": head.epoch, "has_left": bool(verdict.has_left), "devices": lists[0], "keys": lists[1:]}

    def _with_room(self, call: Callable[[int], tuple]):
        """Makes a call with a capacity and returns its result. `call` returns the result, the status, and the capacity that the call needs.
        If the buffers were too small, repeats the call with that capacity (rule 4 of optiks.h)."""
        started = time.perf_counter()
        result, status, needed = call(16)
        if status == ABI_E_BUFFER:
            result, status, _ = call(needed)
        self.seconds = time.perf_counter() - started
        check(status)
        return result


def _known(known: dict | None) -> Known:
    if known is None:
        return Known()
    found = Known(period=known["period"], version=known["version"], time=known.get("page_time") or 0, page_version=known.get("page_version") or 0)
    found.has_absent, found.absent_epoch = known["absent_at"] is not None, known["absent_at"] or 0
    return found


def _looked_up(found: LookupResult, answer: bytes) -> dict:
    return {"version": found.version, "value": value_of(found, answer)}
