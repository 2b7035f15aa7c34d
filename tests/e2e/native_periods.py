"""Calls the native verifier's function for bounds of periods with rows of tests/reference/rows.py."""

from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint64

from native import Context, HeadResult, NativeVerifier, check, context_of

from facts import MAX_PERIOD_BOUNDS, RECORD_LEN

EPOCH_OFFSET = 34


class NativePeriods:
    def __init__(self, native: NativeVerifier):
        self._native = native
        native.library.optiks_verify_periods.argtypes = [
            POINTER(Context), c_uint64, c_char_p, c_size_t, POINTER(c_int32), POINTER(HeadResult), POINTER(c_size_t), c_size_t, POINTER(c_size_t)]

    def verdict(self, anchors: list[dict], row: dict) -> tuple[str, list[int]]:
        """Returns the verifier's reason for a row and, for a valid answer, the epochs of the bounds in it."""
        answer = bytes.fromhex(row["answer"])
        reason, head, count = c_int32(-1), HeadResult(), c_size_t()
        bounds = (c_size_t * MAX_PERIOD_BOUNDS)()
        check(self._native.library.optiks_verify_periods(
            byref(context_of(anchors[row["anchor"]], row)), row["period"], answer, len(answer), byref(reason), byref(head), bounds, len(bounds), byref(count)))
        records = [answer[at:at + RECORD_LEN] for at in bounds[:count.value]]
        return self._native.name(reason), [int.from_bytes(r[EPOCH_OFFSET:EPOCH_OFFSET + 8], "big") for r in records]
