"""Verifies receipts, and judges evidence of broken promises: docs/spec/receipts.md."""

import base64
import re
import uuid
from dataclasses import dataclass

import board
import ed25519
import facts
import pahd
import tree
from board import LogKey
from codec import Head, VersionsAnswer, decode_whole
from record import EpochRecord
from refused import Refused, require
from verify import TrustAnchor, Verifier

MAX_NUMBER = 2**53 - 1


@dataclass(frozen=True)
class ReceiptKey:
    key: LogKey
    from_ms: int
    until_ms: int


@dataclass(frozen=True)
class Receipt:
    request_id: uuid.UUID
    after: int
    by: int
    time_ms: int
    items: tuple[bytes, ...]

    def text(self, anchor: TrustAnchor) -> str:
        lines = [f"request {self.request_id}", f"after {self.after}", f"by {self.by}", f"time {self.time_ms}"]
        return "\n".join([f"{anchor.log_key.name}/receipt", _log_line(anchor), *lines, *(f"item {base64_of(item)}" for item in self.items)]) + "\n"


def keys_text(anchor: TrustAnchor, keys: list[ReceiptKey]) -> str:
    lines = [f"key {one.key.vkey} {one.from_ms} {one.until_ms}" for one in keys]
    return "\n".join([f"{anchor.log_key.name}/receipts", _log_line(anchor), *lines]) + "\n"


def sign(text: str, *signers: tuple[LogKey, bytes]) -> bytes:
    """Returns the signed note that has this text and a signature line of each signer. A signer is a key and its seed."""
    lines = [board.signature_line(key.name, key.key_id, ed25519.sign(seed, text.encode())) for key, seed in signers]
    return (text + "\n" + "".join(lines)).encode()


def item_hash(request_id: uuid.UUID, item: int, key: bytes, value: bytes) -> bytes:
    return tree.H(facts.TAG_PROMISE, request_id.bytes, item.to_bytes(2, "big"), bytes([facts.KEYS, len(key)]), key, value)


def verify_keys(anchor: TrustAnchor, note: bytes) -> list[ReceiptKey]:
    """Verifies the note of receipt keys and returns the keys (section 2)."""
    text, signatures = _note(note, "receipt_voucher")
    require(text.count("\n") > 2, "receipt_voucher")
    first, log, *lines = text[:-1].split("\n")
    require(first == f"{anchor.log_key.name}/receipts" and log == _log_line(anchor), "receipt_voucher")
    require(len(lines) <= facts.MAX_RECEIPT_KEYS, "receipt_voucher")
    keys = [_key_line(line) for line in lines]
    publics = [one.key.public for one in keys] + [anchor.log_key.public]
    require(len(set(publics)) == len(publics), "receipt_voucher")
    of_log = [raw[4:] for name, raw in signatures if name == anchor.log_key.name and raw[:4] == anchor.log_key.key_id]
    require(len(of_log) == 1 and ed25519.verify(anchor.log_key.public, text.encode(), of_log[0]), "receipt_voucher")
    return keys


def verify_receipt(anchor: TrustAnchor, keys: list[ReceiptKey], note: bytes) -> Receipt:
    """Verifies a receipt (section 3), without the checks against the request."""
    text, signatures = _note(note, "receipt_malformed")
    number, octets = "(0|[1-9][0-9]*)", "([A-Za-z0-9+/]{43}=)"
    identity = "([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
    form = f"([^\n]*/receipt)\nlog {octets}\nrequest {identity}\nafter {number}\nby {number}\ntime {number}\n((?:item {octets}\n)+)"
    match = re.fullmatch(form, text)
    require(match is not None, "receipt_malformed")
    first, log, request, after, by, time, items, _ = match.groups()
    hashes = [board.canonical_base64(line.removeprefix("item ")) for line in items[:-1].split("\n")]
    require(board.canonical_base64(log) is not None and None not in hashes and len(hashes) <= facts.MAX_ITEMS, "receipt_malformed")
    receipt = Receipt(uuid.UUID(request), int(after), int(by), int(time), tuple(hashes))
    require(max(receipt.after, receipt.by, receipt.time_ms) <= MAX_NUMBER, "receipt_malformed")
    require(0 < receipt.by - receipt.after <= facts.MAX_PROMISED_EPOCHS, "receipt_malformed")
    require(first == f"{anchor.log_key.name}/receipt" and f"log {log}" == _log_line(anchor), "receipt_log")
    valid = [one.key for one in keys if one.from_ms <= receipt.time_ms < one.until_ms]
    lines = [(key, raw[4:]) for key in valid for name, raw in signatures if name == key.name and raw[:4] == key.key_id]
    require(len(lines) == 1, "receipt_key")
    require(ed25519.verify(lines[0][0].public, text.encode(), lines[0][1]), "receipt_signature")
    return receipt


def check_request(receipt: Receipt, request_id: uuid.UUID, items: list[tuple[bytes, bytes]]) -> None:
    """Checks that the receipt belongs to the request with these keys and values (section 3)."""
    hashes = tuple(item_hash(request_id, i, key, value) for i, (key, value) in enumerate(items))
    require(receipt.request_id == request_id and receipt.items == hashes, "receipt_request")


@dataclass
class _List:
    """The part of one period's list of versions that has been read so far."""

    record: EpochRecord
    known: pahd.Known
    ended: bool
    last_epoch: int


def check_time(anchor: TrustAnchor, receipt: Receipt, after: bytes) -> None:
    """Checks that the promise is no older than the epoch after which it counts, whatever time the receipt's signer wrote (section 6 step
    2)."""
    head = decode_whole(Head.decode, after)
    record = EpochRecord.parse(head.record)
    Verifier(anchor, 0, ended_record=record).verify_head(head)
    require(record.epoch == receipt.after and record.time_ms <= receipt.time_ms + anchor.configuration.max_ahead_ms, "receipt_time")


def judge(anchor: TrustAnchor, keys: bytes, note: bytes, key: bytes, value: bytes, after: bytes, answers: list[bytes]) -> Receipt:
    """Returns the receipt whose promise is proven broken (section 6). Raises Refused with the reason if the evidence proves nothing."""
    receipt = verify_receipt(anchor, verify_keys(anchor, keys), note)
    require(any(item_hash(receipt.request_id, i, key, value) == item for i, item in enumerate(receipt.items)), "receipt_request")
    check_time(anchor, receipt, after)
    covers, erased, kept, current = True, False, False, None
    for answer in answers:
        shown, current, continues = _read(anchor, receipt, key, answer, current)
        covers = covers and continues
        for epoch, found in shown:
            if receipt.after < epoch <= receipt.by:
                erased = erased or found is None
                kept = kept or found == value
    require(not kept, "promise_kept")
    require(covers and current is not None, "promise_uncovered")
    require(current.ended and current.record.epoch >= receipt.by or current.last_epoch > receipt.by, "promise_uncovered")
    require(current.record.time_ms + anchor.configuration.max_ahead_ms >= receipt.time_ms, "promise_uncovered")
    require(not erased, "promise_erased")
    return receipt


def _read(anchor: TrustAnchor, receipt: Receipt, key: bytes, answer: bytes, before: _List | None) -> tuple[list, _List, bool]:
    """Verifies one answer (section 6 step 3), and compares it with the answer before it (this comparison is part of step 5)."""
    decoded = decode_whole(VersionsAnswer.decode, answer)
    record = EpochRecord.parse(decoded.head.record)
    goes_on = before is not None and not before.ended and before.record.period == record.period
    start = decoded.items[0].start
    if goes_on:
        known = before.known
    else:
        known = pahd.Known(record.period, start - 1, page_time=0, page_version=start) if start > 1 else pahd.Known(record.period)
    v = Verifier(anchor, 0, known={key: known}, ended_record=record)
    [result] = v.verify_versions(answer, [key])
    members = decoded.items[0].members
    shown = [(member.epoch, member.value) for member in members]
    last = members[-1].epoch if members else before.last_epoch if goes_on else 0
    now = _List(record, result.known, result.complete, last)
    if goes_on:
        return shown, now, record.epoch >= before.record.epoch
    if before is not None:
        follows = record.period == before.record.period + 1 and record.period_first_epoch == before.record.epoch + 1
        return shown, now, start == 1 and before.ended and follows
    return shown, now, record.period_first_epoch <= receipt.after + 1 and (start == 1 or members[0].epoch <= receipt.after)


def _key_line(line: str) -> ReceiptKey:
    match = re.fullmatch("key ([^ ]+) (0|[1-9][0-9]*) (0|[1-9][0-9]*)", line)
    require(match is not None, "receipt_voucher")
    try:
        key = LogKey.parse(match[1])
    except Refused:
        raise Refused("receipt_voucher") from None
    from_ms, until_ms = int(match[2]), int(match[3])
    require(key.name != "" and not any(c.isspace() for c in key.name), "receipt_voucher")
    require(from_ms < until_ms <= MAX_NUMBER, "receipt_voucher")
    return ReceiptKey(key, from_ms, until_ms)


def _note(note: bytes, reason: str) -> tuple[str, list[tuple[str, bytes]]]:
    try:
        return board.parse_note(note)
    except Refused:
        raise Refused(reason) from None


def _log_line(anchor: TrustAnchor) -> str:
    return f"log {base64_of(anchor.log_id)}"


def base64_of(octets: bytes) -> str:
    return base64.b64encode(octets).decode()
