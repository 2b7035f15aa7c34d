"""Makes receipts, and evidence of broken promises, with the verdicts: tests/vectors/receipts/."""

import uuid
from dataclasses import replace

import board
import ed25519
import facts
import receipts
from board import LogKey
from codec import VersionsAnswer
from directory import STEP_MS, Directory, Stored
from receipts import Receipt, ReceiptKey
from refused import Refused
from verify import TrustAnchor

REQUEST = uuid.UUID("0193a2f0-7c1e-7abc-8def-0123456789ab")
OTHER_REQUEST = uuid.UUID("0193a2f0-7c1e-7abc-8def-0123456789ac")
ALICE, BOB, CAROL = b"alice", b"bob", b"carol"
FROM_MS, UNTIL_MS = 1_750_000_000_000, 1_760_000_000_000
SEEDS = [bytes([40 + i]) * 32 for i in range(3)]
SIGNERS = [(LogKey(f"example.com/receipts/{i}", ed25519.public_key(seed)), seed) for i, seed in enumerate(SEEDS)]
KEYS = [ReceiptKey(key, FROM_MS, UNTIL_MS + i) for i, (key, _) in enumerate(SIGNERS[:2])]
LENGTH_MS = 5 * STEP_MS


def _promise(after: int, by: int, *items: tuple[bytes, bytes]) -> Receipt:
    hashes = tuple(receipts.item_hash(REQUEST, i, key, value) for i, (key, value) in enumerate(items))
    return Receipt(REQUEST, after, by, FROM_MS + 5, hashes)


class _Log:
    """A directory with receipt keys."""

    def __init__(self, d: Directory, keys: list[ReceiptKey] = KEYS):
        self.d = d
        self.anchor: TrustAnchor = d.anchor
        self.signer = (d.log_key, d.log_seed)
        self.keys = receipts.sign(receipts.keys_text(d.anchor, keys), self.signer)

    def receipt(self, promise: Receipt) -> bytes:
        return receipts.sign(promise.text(self.anchor), SIGNERS[0])


def _verdict(check, expected: str, kind: str) -> None:
    try:
        check()
        found = "valid"
    except Refused as refused:
        found = refused.reason
    assert found == expected, f"{kind}: {found} instead of {expected}"


def receipt_rows() -> dict:
    log = _Log(Directory(seed=131))
    anchor, rows = log.anchor, []
    one = _promise(7, 30, (ALICE, b"alice 1"))
    good = log.receipt(one)
    text = one.text(anchor)
    keys_text = receipts.keys_text(anchor, KEYS)

    def row(kind: str, reason: str, receipt: bytes = good, keys: bytes = log.keys, request: uuid.UUID = REQUEST, items=((ALICE, b"alice 1"),)) -> None:
        def check() -> None:
            receipts.check_request(receipts.verify_receipt(anchor, receipts.verify_keys(anchor, keys), receipt), request, list(items))

        _verdict(check, reason, kind)
        rows.append({"kind": kind, "receipt_keys": keys.hex(), "receipt": receipt.hex(), "request_id": str(request),
                     "items": [[key.hex(), value.hex()] for key, value in items], "reason": reason})

    def signed(changed: str) -> bytes:
        return receipts.sign(changed, SIGNERS[0])

    def vouched(changed: str, *signers) -> bytes:
        return receipts.sign(changed, *(signers or (log.signer,)))

    row("honest", "valid")
    row("by_the_second_key", "valid", receipts.sign(text, SIGNERS[1]))
    row("a_strangers_line_beside_it", "valid", receipts.sign(text, SIGNERS[2], SIGNERS[0]))
    items = [(ALICE, b"alice 1"), (BOB, b""), (b"\x00" * 255, b"\xff" * 100)]
    row("several_items", "valid", log.receipt(_promise(0, 1, *items)), items=items)
    row("another_line_on_the_keys", "valid", keys=vouched(keys_text, SIGNERS[2], log.signer))
    row("at_the_first_moment_of_the_key", "valid", log.receipt(replace(one, time_ms=FROM_MS)))
    row("at_the_last_moment_of_the_key", "valid", log.receipt(replace(one, time_ms=UNTIL_MS - 1)))
    row("as_many_epochs_as_there_may_be", "valid", log.receipt(replace(one, by=7 + facts.MAX_PROMISED_EPOCHS)))
    row("the_largest_numbers", "valid", log.receipt(replace(one, after=2**53 - 2, by=2**53 - 1)))

    # These rows change each field of the note of receipt keys, and its signers (docs/spec/receipts.md section 2).
    log_line = keys_text.split("\n")[1]
    wrong_keys = {
        "keys_of_another_origin": keys_text.replace("/receipts\n", "x/receipts\n", 1),
        "keys_of_no_origin": keys_text.replace("/receipts\n", "\n", 1),
        "keys_of_another_log_id": keys_text.replace(log_line, f"log {receipts.base64_of(bytes(32))}"),
        "keys_without_a_log_id": keys_text.replace(log_line + "\n", ""),
        "no_keys": "\n".join(keys_text.split("\n")[:2]) + "\n",
        "a_line_more": keys_text + "more\n",
        "an_empty_line_more": keys_text + "\n",
        "a_time_with_a_zero_before_it": keys_text.replace(str(FROM_MS), f"0{FROM_MS}", 1),
        "a_time_that_is_too_large": keys_text.replace(str(UNTIL_MS), str(2**53), 1),
        "a_key_that_ends_when_it_begins": receipts.keys_text(anchor, [replace(KEYS[0], until_ms=FROM_MS)]),
        "a_key_twice": receipts.keys_text(anchor, [KEYS[0], replace(KEYS[0], until_ms=UNTIL_MS + 9)]),
        "a_key_under_two_names": receipts.keys_text(anchor, [KEYS[0], replace(KEYS[1], key=LogKey("other", KEYS[0].key.public))]),
        "the_logs_own_key": receipts.keys_text(anchor, [KEYS[0], ReceiptKey(log.signer[0], FROM_MS, UNTIL_MS)]),
        "a_cosigners_key": receipts.keys_text(anchor, [replace(KEYS[0], key=replace(KEYS[0].key, type=board.KEY_TYPE_COSIGNER))]),
        "a_false_key_id": keys_text.replace(KEYS[0].key.key_id.hex(), "00000000"),
        "more_keys_than_there_may_be": receipts.keys_text(
            anchor, [ReceiptKey(LogKey("k", ed25519.public_key(bytes([i + 1]) * 32)), 1, 2**53 - 1) for i in range(facts.MAX_RECEIPT_KEYS + 1)]),
    }
    for kind, changed in wrong_keys.items():
        row(kind, "receipt_voucher", keys=vouched(changed))
    row("keys_that_a_receipt_key_signed", "receipt_voucher", keys=vouched(keys_text, SIGNERS[0]))
    row("keys_that_another_key_of_the_logs_name_signed", "receipt_voucher", keys=vouched(keys_text, (LogKey(log.signer[0].name, SIGNERS[2][0].public), SEEDS[2])))
    row("keys_that_the_log_signed_twice", "receipt_voucher", keys=vouched(keys_text, log.signer, log.signer))
    row("keys_with_a_false_signature", "receipt_voucher", keys=receipts.sign(keys_text, log.signer).replace(keys_text.encode(), keys_text.replace(str(UNTIL_MS), str(UNTIL_MS + 1), 1).encode()))
    row("keys_that_are_no_note", "receipt_voucher", keys=keys_text.encode())
    row("a_checkpoint_for_the_keys", "receipt_voucher", keys=log.d.checkpoint(1))
    row("a_receipt_for_the_keys", "receipt_voucher", keys=receipts.sign(text, log.signer))

    # These rows change each line of a receipt (docs/spec/receipts.md section 3).
    malformed = {
        "after_with_a_zero_before_it": text.replace("after 7", "after 07"),
        "after_with_a_sign": text.replace("after 7", "after +7"),
        "a_number_that_is_too_large": text.replace("by 30", f"by {2**53}"),
        "by_before_after": text.replace("by 30", "by 6"),
        "by_at_after": text.replace("by 30", "by 7"),
        "more_epochs_than_there_may_be": replace(one, by=8 + facts.MAX_PROMISED_EPOCHS).text(anchor),
        "a_request_id_in_upper_case": text.replace(str(REQUEST), str(REQUEST).upper()),
        "a_request_id_without_dashes": text.replace(str(REQUEST), REQUEST.hex),
        "without_a_request": text.replace(f"request {REQUEST}\n", ""),
        "lines_exchanged": text.replace("after 7\nby 30\n", "by 30\nafter 7\n"),
        "no_items": text[: text.index("item ")],
        "an_item_of_31_octets": text.replace(receipts.base64_of(one.items[0]), receipts.base64_of(one.items[0][:31])),
        "an_item_in_another_spelling": text[:-3] + chr(ord(text[-3]) + 1) + "=\n",
        "a_field_more": text + "more 1\n",
        "an_empty_line_more": text + "\n",
        "more_items_than_there_may_be": replace(one, items=one.items * 257).text(anchor),
        "another_first_line": text.replace("/receipt\n", "/receipts\n", 1),
    }
    for kind, changed in malformed.items():
        row(kind, "receipt_malformed", signed(changed))
    row("no_note", "receipt_malformed", text.encode())
    row("no_octets", "receipt_malformed", b"")
    row("the_keys_for_the_receipt", "receipt_malformed", log.keys)
    row("a_checkpoint_for_the_receipt", "receipt_malformed", log.d.checkpoint(1))
    row("of_another_origin", "receipt_log", signed(text.replace("example.com", "example.org", 1)))
    row("of_another_log_id", "receipt_log", signed(text.replace(log_line, f"log {receipts.base64_of(bytes(32))}")))
    row("by_a_stranger", "receipt_key", receipts.sign(text, SIGNERS[2]))
    row("by_the_log_itself", "receipt_key", receipts.sign(text, log.signer))
    row("by_two_of_the_keys", "receipt_key", receipts.sign(text, SIGNERS[0], SIGNERS[1]))
    row("twice_by_one_key", "receipt_key", receipts.sign(text, SIGNERS[0], SIGNERS[0]))
    row("before_the_keys_time", "receipt_key", log.receipt(replace(one, time_ms=FROM_MS - 1)))
    row("after_the_keys_time", "receipt_key", log.receipt(replace(one, time_ms=UNTIL_MS)))
    row("of_a_key_that_is_not_vouched_for", "receipt_key", keys=vouched(receipts.keys_text(anchor, KEYS[1:])))
    # Each of these receipts has one changed field, but the signature of the original receipt.
    for kind, (old, new) in {"after": ("after 7", "after 6"), "by": ("by 30", "by 31"), "time": (f"time {FROM_MS + 5}", f"time {FROM_MS + 6}"), "request": (str(REQUEST), str(OTHER_REQUEST)),
                             "item": (receipts.base64_of(one.items[0]), receipts.base64_of(bytes(32)))}.items():
        assert old in text
        row(f"{kind}_changed_after_it_was_signed", "receipt_signature", good.replace(old.encode(), new.encode()))
    row("of_another_request", "receipt_request", request=OTHER_REQUEST)
    row("of_another_value", "receipt_request", items=[(ALICE, b"alice 2")])
    row("of_another_key", "receipt_request", items=[(BOB, b"alice 1")])
    row("where_key_and_value_meet_elsewhere", "receipt_request", items=[(b"alicea", b"lice 1")])
    row("of_fewer_items", "receipt_request", log.receipt(_promise(7, 30, *items)), items=items[:2])
    row("of_more_items", "receipt_request", items=items[:2])
    row("of_items_in_another_order", "receipt_request", log.receipt(_promise(7, 30, *items)), items=items[::-1])
    return {"note": "a receipt for the request with this id and these items (pairs of key and value), under this trust anchor", "trust_anchor": anchor.render(), "vectors": rows}


def promise_rows() -> dict:
    # Period 0 has epochs 0 to 4, and period 1 has epochs 5 to 9. Alice's key has versions 1, 2 and 3 at epochs 1, 2 and 4 of period 0. In
    # period 1 it has the copy, and version 2 at epoch 7.
    d = Directory(seed=132, period_length_ms=LENGTH_MS)
    d.publish({ALICE: b"alice 1"})
    d.publish({ALICE: b"alice 2"})
    d.publish({})
    d.publish({ALICE: b"alice 3"})
    d.switch_period(d.records[0].time_ms + LENGTH_MS)
    for updates in ({}, {ALICE: b"alice 4"}, {}, {BOB: b"bob 1"}):
        d.publish(updates)
    log, rows = _Log(d, [replace(key, from_ms=1) for key in KEYS]), []

    def history(key: bytes, epoch: int, start: int = 1, page: int | None = None) -> bytes:
        return VersionsAnswer(d.head(epoch), [d.versions_item(epoch, key, start, page)]).encode()

    def row(kind: str, reason: str, promise: Receipt, answers: list[bytes], key: bytes = ALICE, value: bytes = b"dropped", **notes: bytes) -> None:
        keys, receipt = notes.get("keys", log.keys), notes.get("receipt", log.receipt(promise))
        after = notes.get("after", d.head(promise.after).encode())
        _verdict(lambda: receipts.judge(log.anchor, keys, receipt, key, value, after, answers), "valid" if reason == "promise_broken" else reason, kind)
        rows.append({"kind": kind, "receipt_keys": keys.hex(), "receipt": receipt.hex(), "key": key.hex(), "value": value.hex(),
                     "after": after.hex(), "answers": [answer.hex() for answer in answers], "reason": reason})

    def promised(after: int, by: int, value: bytes = b"dropped", key: bytes = ALICE) -> Receipt:
        return replace(_promise(after, by, (key, value)), time_ms=d.records[after].time_ms + 5)

    row("dropped", "promise_broken", promised(1, 3), [history(ALICE, 4)])
    row("dropped_before_the_first_version", "promise_broken", promised(0, 3), [history(ALICE, 3)])
    row("a_key_that_never_was", "promise_broken", promised(5, 8, b"bob 1", BOB), [history(BOB, 8)], BOB, b"bob 1")
    row("the_end_of_the_list_at_the_last_epoch", "promise_broken", promised(0, 2), [history(ALICE, 2)])
    row("from_the_version_before_on", "promise_broken", promised(1, 3), [history(ALICE, 4, 1)])
    row("from_a_later_version_on", "promise_broken", promised(2, 3), [history(ALICE, 4, 2)])
    row("a_page_up_to_a_later_version", "promise_broken", promised(1, 1 + 1), [history(ALICE, 4, 1, 2), history(ALICE, 4, 3)])
    row("pages_of_several_epochs", "promise_broken", promised(0, 4), [history(ALICE, 2, 1, 1), history(ALICE, 4, 2, 1), history(ALICE, 4, 3)])
    row("a_page_that_goes_beyond_the_last_epoch", "promise_broken", promised(0, 1), [history(ALICE, 4, 1, 2)])
    row("a_value_of_an_earlier_version_again", "promise_broken", promised(2, 4, b"alice 1"), [history(ALICE, 4)], value=b"alice 1")
    row("a_value_of_a_later_version", "promise_broken", promised(0, 3, b"alice 3"), [history(ALICE, 4)], value=b"alice 3")
    row("the_value_published_too_late", "promise_broken", promised(2, 3, b"alice 3"), [history(ALICE, 4)], value=b"alice 3")
    row("the_value_published_before", "promise_broken", promised(1, 3, b"alice 1"), [history(ALICE, 4)], value=b"alice 1")
    row("two_periods", "promise_broken", promised(3, 8), [history(ALICE, 4), history(ALICE, 9)])
    row("two_periods_from_a_later_version_on", "promise_broken", promised(3, 8), [history(ALICE, 4, 2), history(ALICE, 8)])
    row("a_copy_is_no_publication", "promise_broken", promised(4, 6, b"alice 3"), [history(ALICE, 6)], value=b"alice 3")
    row("the_period_that_began_after_it", "promise_broken", promised(4, 8), [history(ALICE, 8)])
    row("several_items", "promise_broken", replace(_promise(1, 3, (BOB, b"x"), (ALICE, b"dropped")), time_ms=d.records[1].time_ms), [history(ALICE, 4)])

    row("kept", "promise_kept", promised(1, 3, b"alice 2"), [history(ALICE, 4)], value=b"alice 2")
    row("kept_in_the_first_epoch", "promise_kept", promised(0, 1, b"alice 1"), [history(ALICE, 4)], value=b"alice 1")
    row("kept_in_the_last_epoch", "promise_kept", promised(2, 4, b"alice 3"), [history(ALICE, 4)], value=b"alice 3")
    row("kept_in_the_period_before", "promise_kept", promised(3, 8, b"alice 3"), [history(ALICE, 4), history(ALICE, 9)], value=b"alice 3")
    row("kept_as_answers_that_do_not_cover_it_show", "promise_kept", promised(1, 9, b"alice 2"), [history(ALICE, 2)], value=b"alice 2")

    row("no_answers", "promise_uncovered", promised(1, 3), [])
    row("ended_before_the_last_epoch", "promise_uncovered", promised(1, 4), [history(ALICE, 3)])
    row("a_page_that_ends_in_between", "promise_uncovered", promised(0, 3), [history(ALICE, 4, 1, 2)])
    row("a_page_is_missing", "promise_uncovered", promised(0, 4), [history(ALICE, 4, 3)])
    row("from_a_version_within_it_on", "promise_uncovered", promised(1, 3), [history(ALICE, 4, 2)])
    row("the_period_before_is_missing", "promise_uncovered", promised(3, 8), [history(ALICE, 9)])
    row("the_period_before_not_to_its_end", "promise_uncovered", promised(2, 8), [history(ALICE, 3), history(ALICE, 9)])
    row("the_period_before_in_a_page_that_does_not_end_it", "promise_uncovered", promised(0, 8, b"alice 3"), [history(ALICE, 4, 1, 2), history(ALICE, 9)], value=b"alice 3")
    row("the_period_after_is_missing", "promise_uncovered", promised(3, 8), [history(ALICE, 4)])
    row("periods_exchanged", "promise_uncovered", promised(3, 8), [history(ALICE, 9), history(ALICE, 4)])
    row("a_period_twice", "promise_uncovered", promised(1, 3), [history(ALICE, 4), history(ALICE, 4)])
    row("the_next_period_from_its_second_version_on", "promise_uncovered", promised(3, 8), [history(ALICE, 4), history(ALICE, 9, 2)])
    row("pages_of_epochs_backwards", "promise_uncovered", promised(4, 8), [history(ALICE, 9, 1, 1), history(ALICE, 8, 2)])
    row("pages_of_epochs_forwards", "promise_broken", promised(4, 8), [history(ALICE, 8, 1, 1), history(ALICE, 9, 2)])
    row("a_page_that_knows_less_than_the_one_before", "version_regressed", promised(0, 4), [history(ALICE, 4, 1, 1), history(ALICE, 2, 2)])

    d.erased.add((facts.KEYS, ALICE, 2))
    row("erased", "promise_erased", promised(1, 3), [history(ALICE, 4)])
    row("erased_outside_of_it", "promise_broken", promised(2, 3), [history(ALICE, 4)])
    row("kept_beside_an_erased_one", "promise_kept", promised(0, 3, b"alice 1"), [history(ALICE, 4)], value=b"alice 1")
    row("the_promised_value_erased", "promise_erased", promised(1, 3, b"alice 2"), [history(ALICE, 4)], value=b"alice 2")
    d.erased.clear()

    good = promised(1, 3)
    answer = history(ALICE, 4)
    ahead = log.anchor.configuration.max_ahead_ms
    row("a_time_as_far_before_its_epoch_as_clocks_may_differ", "promise_broken", replace(good, time_ms=d.records[1].time_ms - ahead), [answer])
    row("a_time_before_its_epoch", "receipt_time", replace(good, time_ms=d.records[1].time_ms - ahead - 1), [answer])
    row("a_time_as_far_after_the_last_record_as_clocks_may_differ", "promise_broken", replace(good, time_ms=d.records[4].time_ms + ahead), [answer])
    row("a_time_after_the_last_record", "promise_uncovered", replace(good, time_ms=d.records[4].time_ms + ahead + 1), [answer])
    old = [ReceiptKey(SIGNERS[0][0], 1, d.records[0].time_ms - ahead)]
    row("a_key_whose_time_was_over_before_the_log_began", "receipt_time", replace(good, time_ms=old[0].until_ms - 1), [answer], keys=receipts.sign(receipts.keys_text(log.anchor, old), log.signer))
    row("the_head_of_the_epoch_before", "receipt_time", good, [answer], after=d.head(0).encode())
    row("the_head_of_the_epoch_behind", "receipt_time", good, [answer], after=d.head(2).encode())
    row("no_head", "malformed_truncated", good, [answer], after=b"")
    row("a_head_cut_in_its_record", "malformed_truncated", good, [answer], after=d.head(1).encode()[:300])
    row("a_head_with_an_octet_more", "malformed_trailing", good, [answer], after=d.head(1).encode() + b"\0")
    row("a_head_without_a_checkpoint", "checkpoint_missing", good, [answer], after=d.head(1, kept_size=len(d.records)).encode())
    row("a_head_that_is_not_in_the_tree", "inclusion_proof", good, [answer], after=replace(d.head(1), inclusion=d.head(2).inclusion).encode())
    row("from_a_version_that_is_not_there", "version_regressed", good, [beyond(d)])
    row("of_another_value", "receipt_request", good, [answer], value=b"another")
    row("of_another_key", "receipt_request", good, [answer], key=BOB)
    row("not_vouched_for", "receipt_voucher", good, [answer], keys=log.receipt(good))
    row("not_signed", "receipt_key", good, [answer], receipt=receipts.sign(good.text(log.anchor), SIGNERS[2]))
    row("history_of_another_key", "vrf_challenge", good, [history(BOB, 9)])
    row("history_that_leaves_one_out", "ladder_count", good, [replace_item(d, 4, absent=[])])
    row("history_that_claims_fewer_versions", "absent_depth", good, [lying(d)])
    row("history_cut", "malformed_truncated", good, [answer[:-1]])
    row("history_cut_in_its_record", "malformed_truncated", good, [answer[:300]])
    row("no_octets", "malformed_truncated", good, [b""])
    row("a_history_of_two_keys", "answer_count", good, [d.versions_answer([ALICE, BOB], 4).encode()])
    row("without_a_checkpoint", "checkpoint_missing", good, [VersionsAnswer(d.head(4, kept_size=len(d.records)), [d.versions_item(4, ALICE, 1)]).encode()])
    row("a_checkpoint_that_the_log_did_not_sign", "checkpoint_signature", good, [forged(d)])
    row("an_answer_behind_the_end_that_does_not_verify", "history_from", good, [answer, replace_item(d, 4, start=0)])

    # Carol's key has version 1 at epoch 10 and version 2 at epoch 11. Epoch 12 inserts version 3, whose leaf names epoch 10. Version 2 and
    # version 3 are on different pages.
    d.publish({CAROL: b"carol 1"})
    d.publish({CAROL: b"carol 2"})
    third = Stored(10, d.rng.randbytes(16), b"carol 3")
    d.stored[facts.KEYS - 1][CAROL].append(third)
    d.publish({}, others={facts.KEYS: [d.leaf(CAROL, 3, third)]})
    row("a_page_with_a_time_before_that_of_the_page_before", "leaf_epoch_order", promised(9, 12, key=CAROL), [history(CAROL, 12, 1, 2), history(CAROL, 12, 3)], CAROL)
    return {"note": "evidence under this trust anchor: a receipt, key and value, the head of its epoch after, and HistoryAnswers; the reason is what it proves, or why it proves nothing", "trust_anchor": log.anchor.render(), "vectors": rows}


def replace_item(d: Directory, epoch: int, **changes) -> bytes:
    return VersionsAnswer(d.head(epoch), [replace(d.versions_item(epoch, ALICE, 1), **changes)]).encode()


def lying(d: Directory) -> bytes:
    """Returns an answer with two versions, in which the proof that version 3 is absent is really the proof for version 4."""
    honest = d.versions_item(2, ALICE, 1)
    stand_in = d.absent(4, ALICE, 4)
    third = replace(d.absent(4, ALICE, 4), vrf_proof=d.prove(d.vrf_keys_at[4][facts.KEYS - 1], ALICE, 3)[1])
    members = [d.member(4, ALICE, i, True) for i in (1, 2)]
    return VersionsAnswer(d.head(4), [replace(honest, members=members, absent=[third, stand_in])]).encode()


def beyond(d: Directory) -> bytes:
    """Returns an answer that lists a key from version 3 on, although the key has two versions."""
    return VersionsAnswer(d.head(2), [replace(d.versions_item(2, ALICE, 1), start=3, members=[])]).encode()


def forged(d: Directory) -> bytes:
    head = d.head(4)
    key = LogKey(d.log_key.name, d.log_key.public)
    return VersionsAnswer(replace(head, checkpoint=board.make_checkpoint(key, SEEDS[0], len(d.records), board.root_of(d.entries(len(d.records))))), [d.versions_item(4, ALICE, 1)]).encode()


def files() -> dict[str, dict]:
    return {"receipts/receipts.json": receipt_rows(), "receipts/promises.json": promise_rows()}
