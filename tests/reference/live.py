"""Verifies the answers of a running server over HTTP, and checks that changed copies of them are refused.

    python3 tests/reference/live.py --query-url http://127.0.0.1:8301 --trust trust.json --key alice --absent nobody
        [--user carol --left dave] [--api-key optiks_...] [--export FILE] [--at-least 60]

Reads the log only from its tiles, audits every epoch, and looks up each --key (which must exist) and each --absent (which must not exist).
With an API key it also reads history and monitoring. It makes the same checks for users (live_users.py) and for ended periods
(live_periods.py, --periods).

It then changes every honest answer in the named ways of mutations.py and mutations_audit.py. The verifier must refuse each change for
exactly its reason. The exit code is 0 only if all these checks succeed. --export writes all answers, honest and changed, with their
verdicts in the form of tests/vectors/lookup/, so that another verifier can read the same octets.
"""

import argparse
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path

import board
import ecvrf
import facts
import make_vectors
import mutations
import mutations_audit
import pahd
import record
from board import Checkpoint
from codec import AuditProof, Lookup, LookupAnswer, VersionsAnswer, decode_whole, uint, vector
from live_periods import LivePeriods
from live_users import LiveUsers, Names
from record import EpochRecord
from refused import Refused, require
from rows import Rows, WrongVerdict
from verify import TrustAnchor, Verifier

MEDIA = "application/vnd.optiks."


class Http:
    """An HTTP client of one query-service. It ignores the environment's proxy settings, because the server under test is local."""

    def __init__(self, url: str, api_key: str | None):
        self._url = url.rstrip("/")
        self._api_key = api_key
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    @property
    def has_key(self) -> bool:
        return self._api_key is not None

    def request(self, path: str, accept: str | None = None, body: bytes | None = None, query: str = "query") -> bytes:
        headers = {"Accept": MEDIA + accept if accept else "*/*"}
        if body is not None:
            headers["Content-Type"] = MEDIA + query
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        for attempt in range(5):
            try:
                call = urllib.request.Request(self._url + path, data=body, headers=headers)
                with self._opener.open(call, timeout=30) as response:
                    kind = response.headers.get_content_type()
                    if accept and kind != MEDIA + accept:
                        raise SystemExit(f"{path}: content type {kind}, expected {MEDIA + accept}")
                    return response.read()
            except urllib.error.HTTPError as error:
                if error.code != 503 or attempt == 4:
                    raise
                time.sleep(min(5, int(error.headers.get("Retry-After", "1"))))
        raise AssertionError("unreachable")

    def file(self, path: str) -> bytes | None:
        """Returns a file of the board. Returns None if the answer is 404, or 403 for a partial tile."""
        try:
            return self.request(f"/log/{path}")
        except urllib.error.HTTPError as error:
            if error.code == 404 or (error.code == 403 and ".p/" in path):
                return None
            raise

    def ask(
        self, form: str, keys: list[bytes], versions: list[tuple[int, int]], kept_size: int = 0, period: int | None = None
    ) -> bytes:
        """Sends queries about the keys. `versions` has the (period, version) of each query (docs/spec/rest.md section 4). `period` is the
        number of an ended period, or None for the current period."""
        queries = b"".join(
            vector(facts.MAX_KEY_LEN, key) + uint(period, 8) + uint(version, 8)
            for key, (period, version) in zip(keys, versions, strict=True)
        )
        parameters = [f"checkpoint_size={kept_size}"] if kept_size else []
        parameters += [] if period is None else [f"period={period}"]
        suffix = "?" + "&".join(parameters) if parameters else ""
        return self.request(f"/v1/{form}{suffix}", form, vector(2**24 - 1, queries))


@dataclass
class Session:
    http: Http
    anchor: TrustAnchor
    rows: Rows
    chain: list[EpochRecord]
    checkpoint: Checkpoint

    def verifier(self, **kept) -> Verifier:
        return Verifier(self.anchor, time.time_ns() // 1_000_000, **kept)

    def post(self, path: str, form: str, query: str, body: bytes) -> bytes:
        return self.http.request(path, form, body, query)

    def changed(self, form: str, v: Verifier, keys: list[bytes], changes) -> None:
        for kind, encoded, reason in changes:
            self.rows.answer(form, kind, v, keys, encoded, reason)
            print(f"refused  {kind}: {reason}")


def read_board(http: Http, anchor: TrustAnchor) -> Session:
    """Reads every record, only from the board's tiles, and checks that each record follows the record before it."""
    note = http.file("checkpoint")
    require(note is not None, "checkpoint_missing")
    checkpoint = board.verify_checkpoint(note, anchor.configuration.origin.decode(), anchor.log_key)
    entries = board.verify_tiles(http.file, checkpoint)
    chain: list[EpochRecord] = []
    for index, entry in enumerate(entries):
        r = EpochRecord.parse(entry)
        record.check_alone(r, anchor.log_id)
        require(r.epoch == index, "record_epoch")
        if chain:
            start = chain[chain[-1].period_first_epoch].time_ms
            record.check_after(r, chain[-1], anchor.configuration.period_length_ms, start)
        chain.append(r)
    print(f"verified board: {checkpoint.size} records from tiles alone")
    return Session(http, anchor, Rows(), chain, checkpoint)


def audit(s: Session) -> None:
    """Audits every step from epoch 0 on, in ranges that do not contain a period switch."""
    v, a = s.verifier(), 0
    while a < len(s.chain) - 1:
        b = a + 1
        if s.chain[b].period == s.chain[a].period:
            while b < len(s.chain) - 1 and b - a < facts.MAX_RANGE_EPOCHS and s.chain[b + 1].period == s.chain[a].period:
                b += 1
        start = s.chain[s.chain[a].period_first_epoch]
        b, answer = _audit_proof(s, a, b)
        s.rows.audit("live", v, s.chain[a], start, answer, "valid")
        # The proof must end with the record that the board has for epoch b, so that the audit is about the epochs of the checkpoint.
        require(decode_whole(AuditProof.decode, answer).records[-1] == s.chain[b].encode(), "inclusion_proof")
        print(f"verified audit ({a}, {b}]")
        a = b
    counts = [r.structure(facts.KEYS).count for r in s.chain]
    ranges = []
    for a in range(len(counts)):
        # Each range has one record less than the limit. So a proof with a repeated record is refused for the record's epoch, and not for
        # the number of records.
        last = min(len(counts), a + facts.MAX_RANGE_EPOCHS)
        b = next((e for e in range(a + 2, last) if counts[e] - counts[a] >= 2), None)
        if b is not None and counts[a] >= 2 and s.chain[a].period == s.chain[b].period:
            ranges.append((counts[b] - counts[a], -a, b))
    if not ranges:
        print("skipped  changed audit proofs: no range with two old and two new leaves of structure keys")
        return
    # Verifying the changed proofs takes time, so the range with the fewest new leaves is changed. If several ranges have as few, the code
    # takes the latest.
    _, a, b = min(ranges)
    a = -a
    answer = decode_whole(AuditProof.decode, s.http.request(f"/v1/epochs/{a}-{b}/audit-proof", "audit-proof"))
    start = s.chain[s.chain[a].period_first_epoch]
    s.rows.audit("live", v, s.chain[a], start, answer.encode(), "valid")
    for kind, encoded, reason in mutations_audit.audit_changes(answer):
        s.rows.audit(kind, v, s.chain[a], start, encoded, reason)
        print(f"refused  {kind}: {reason}")


def _audit_proof(s: Session, a: int, b: int) -> tuple[int, bytes]:
    """Fetches the audit proof of (a, b], or of a shorter range from a on that fits into one answer (docs/spec/rest.md section 2). Returns
    the range's end and the proof."""
    while True:
        try:
            return b, s.http.request(f"/v1/epochs/{a}-{b}/audit-proof", "audit-proof")
        except urllib.error.HTTPError as error:
            if error.code != 422 or b == a + 1:
                raise
            b = a + (b - a) // 2


def look_up(s: Session, keys: list[bytes], absent: list[bytes]) -> None:
    asked = keys + absent
    nothing = [(0, 0)] * len(asked)
    whole = s.http.ask("lookup", asked, nothing)
    v = s.verifier()
    results = s.rows.answer("lookup", "live", v, asked, whole, "valid")
    for key, result in zip(asked, results, strict=True):
        print(f"verified lookup of {key!r}: " + (f"version {result.version}" if result.version else "absent"))
        if (result.version > 0) != (key in keys):
            raise WrongVerdict(f"{key!r} has version {result.version}")
    decoded = decode_whole(LookupAnswer.decode, whole)
    r, checkpoint = v.verify_head(decoded.head)
    if r.epoch < len(s.chain):
        require(r == s.chain[r.epoch], "fork")

    # Sends the requests of a client that keeps state: the board's checkpoint, the record just seen, and the known version of each key.
    known = {key: result.known for key, result in zip(asked, results, strict=True)}
    versions = [(known[key].period, known[key].version) for key in asked]
    kept = s.verifier(checkpoint=s.checkpoint, record=r, known=known, least_epoch={key: r.epoch for key in asked})
    again = s.http.ask("lookup", asked, versions, s.checkpoint.size)
    s.rows.answer("lookup", "live_kept_state", kept, asked, again, "valid")
    print("verified lookup with a kept checkpoint, record and known versions")

    items = dict(zip(asked, decoded.items, strict=True))
    for key in keys:
        # This is an answer about a single key, cut out of the honest answer; the head is the same.
        answer = replace(decoded, items=[items[key]])
        s.rows.answer("lookup", "live_one_key", v, [key], answer.encode(), "valid")
        s.changed("lookup", v, [key], mutations.lookup_changes(answer, items[absent[0]]))
        s.changed("lookup", v, [key], [mutations.own_leaf_opened(answer, _first_label(r, key, items[key]))])
        s.changed("lookup", v, [absent[0]], [("asked_for_another_key", answer.encode(), "vrf_challenge")])
        s.changed("lookup", v, [key], _older_record(s, v, answer, checkpoint))
    answer = replace(decoded, items=[items[keys[0]]])
    s.changed("lookup", v, keys[:1], mutations.whole_changes(answer.encode()))
    s.changed("lookup", v, keys[:1], mutations.record_changes(answer))
    s.changed("lookup", v, keys[:1], mutations.head_changes(answer))
    stale = replace(v, least_epoch={keys[0]: r.epoch + 1})
    s.changed("lookup", stale, keys[:1], [("older_than_seen_before", answer.encode(), "stale")])
    late = replace(v, now_ms=r.time_ms + s.anchor.configuration.max_behind_ms + 1)
    s.changed("lookup", late, keys[:1], [("too_late", answer.encode(), "record_too_old")])
    forked = replace(v, checkpoint=replace(checkpoint, root=bytes(32)))
    s.changed("lookup", forked, keys[:1], [("another_root_of_this_size", answer.encode(), "fork")])
    swapped = r.with_structure(facts.KEYS, vrf_public_key=r.structure(facts.USERNAMES).vrf_public_key)
    split_view = replace(v, record=swapped)
    s.changed("lookup", split_view, keys[:1], [("kept_record_with_another_vrf_key", answer.encode(), "fork")])


def _first_label(r: EpochRecord, key: bytes, item: Lookup) -> bytes:
    public = ecvrf.PublicKey(r.structure(facts.KEYS).vrf_public_key)
    alpha = pahd.vrf_input(facts.KEYS, key, 1)
    return ecvrf.verify(public, alpha, item.members[0].vrf_proof)[1]


def _older_record(s: Session, v: Verifier, answer: LookupAnswer, checkpoint: Checkpoint):
    """Replaces the head of an answer by the head of an older epoch that the same checkpoint includes. The proofs stay those of the newer
    epoch."""
    newest = EpochRecord.parse(answer.head.record)
    older = [r for r in s.chain[: newest.epoch] if r.structure(facts.KEYS).root != newest.structure(facts.KEYS).root]
    if not older or checkpoint.size > len(s.chain):
        return
    r = older[-1]
    leaves = [board.leaf_hash(one.encode()) for one in s.chain[: checkpoint.size]]
    head = replace(answer.head, record=r.encode(), inclusion=board.make_inclusion(leaves, r.epoch))
    reason = "member_root"
    if r.time_ms + s.anchor.configuration.max_behind_ms < v.now_ms:
        reason = "record_too_old"
    elif answer.items[0].version > r.epoch - r.period_first_epoch + (1 if r.period else 0):
        reason = "version_range"
    elif r.period != newest.period:
        reason = "vrf_challenge"
    yield "older_epoch_with_its_inclusion", replace(answer, head=head).encode(), reason


def versions(s: Session, keys: list[bytes]) -> None:
    for form in ("history", "monitor"):
        changed = False
        for key in keys:
            encoded = s.http.ask(form, [key], [(0, 1)])
            v = s.verifier()
            result = s.rows.answer(form, "live", v, [key], encoded, "valid")[0]
            print(f"verified {form} of {key!r}: {len(result.values)} of {result.version} versions")
            if result.complete and result.version >= 2 and result.values[1] is not None and not changed:
                answer = decode_whole(VersionsAnswer.decode, encoded)
                s.changed(form, v, [key], mutations.versions_changes(answer))
                changed = True
        if not changed:
            print(f"skipped  changed {form}: no key with two or more versions on one page")


def run(arguments: argparse.Namespace) -> int:
    anchor = TrustAnchor.parse(Path(arguments.trust).read_text())
    http = Http(arguments.query_url, arguments.api_key)
    session = read_board(http, anchor)
    audit(session)
    look_up(session, [key.encode() for key in arguments.key], [key.encode() for key in arguments.absent])
    if http.has_key:
        versions(session, [key.encode() for key in arguments.key])
    if arguments.periods:
        LivePeriods(session, [key.encode() for key in arguments.key], [key.encode() for key in arguments.absent], arguments.handed_over.encode()).run(http.has_key)
    if arguments.user and arguments.left:
        names = Names(arguments.user.encode(), arguments.left.encode(), arguments.absent[0].encode())
        LiveUsers(session, names).run(can_monitor=http.has_key)
    refused = sum(row["reason"] != "valid" for row in session.rows.rows)
    print(f"{len(session.rows.rows) - refused} honest answers verified, {refused} changed ones refused")
    if arguments.export:
        Path(arguments.export).write_text(make_vectors.render(session.rows.content(), "tests/reference/live.py"))
    if refused < arguments.at_least:
        print(f"fewer than {arguments.at_least} changed answers")
        return 1
    return 0


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Verify a running Optiks query-service with the reference implementation.")
    parser.add_argument("--query-url", required=True)
    parser.add_argument("--trust", required=True, help="trust anchor file")
    parser.add_argument("--key", action="append", required=True, help="a key that has a value; repeat for more")
    parser.add_argument("--absent", action="append", default=[], help="a key that has none")
    parser.add_argument("--user", help="a user with one device now and another before, whose list and first key have two versions or more")
    parser.add_argument("--left", help="a user who has left; --user and --left go together")
    parser.add_argument("--handed-over", default="", metavar="USER", help="with --periods and an API key: a user who was there in every period that is served")
    parser.add_argument("--periods", action="store_true", help="verify the bounds of periods too, and with an API key those that ended and are served")
    parser.add_argument("--api-key", help="with the scope history; without it history and monitoring are left out")
    parser.add_argument("--export", help="write all answers and verdicts to this file")
    parser.add_argument("--at-least", type=int, default=60, help="fail when fewer changed answers could be made")
    arguments = parser.parse_args(argv)
    if bool(arguments.user) != bool(arguments.left):
        parser.error("--user and --left go together")
    arguments.absent = arguments.absent or ["reference-live-absent"]
    try:
        return run(arguments)
    except Refused as refused:
        print(f"an honest answer was refused: {refused.reason}")
    except WrongVerdict as wrong:
        print(f"wrong verdict: {wrong}")
    except urllib.error.HTTPError as error:
        print(f"{error.url}: HTTP {error.code} {error.read(2000)!r}")
    except urllib.error.URLError as error:
        print(f"{arguments.query_url}: {error.reason}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
