"""Checks a log from outside after faults: every acknowledged update exists exactly once and in order, the log has one history, and
independent checks find no fault."""

import io
import json
import random
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stdout

import export
from export import Facts
from harness import ROOT, Deployment
from load import KEYS, Accepted
from rest import b64

sys.path.insert(0, str(ROOT / "tests/reference"))

import board
import live
from codec import decode_whole
from codec_users import DeviceList
from facts import DECOMMISSIONED, DEVICES, PER_PERIOD, USERNAMES
from record import EpochRecord
from verify import TrustAnchor

# The number of keys and updates that the oracle requests through the services and verifies. For all other keys, the oracle only compares
# the facts in the database with the accepted updates.
SAMPLE = 60
PUBLISH_SECONDS = 600


class Wrong(AssertionError):
    """A promise of the log was broken."""


def require(condition: bool, text: str) -> None:
    if not condition:
        raise Wrong(text)


def anchor_of(log: Deployment) -> TrustAnchor:
    """Returns the log's trust anchor, from the file that its users have."""
    return TrustAnchor.parse((log.data / "trust.json").read_text())


class Histories:
    """Collects every record and every signed root that any caller was shown."""

    def __init__(self, log: Deployment):
        self._log = log
        self._entries: list[bytes] = []
        self._records: dict[int, set[bytes]] = {}
        self._roots: dict[int, set[bytes]] = {}

    @property
    def count(self) -> int:
        """Returns the number of different histories: 1 if all callers were shown the same record for each epoch and the same root for each
        size."""
        return max(len(shown) for by_number in (self._records, self._roots) for shown in by_number.values())

    def look(self) -> int:
        """Reads the current board, only from its tiles, under its signed checkpoint. Returns the number of the board's entries."""
        folder = self._log.data / "board/log"

        def fetch(path: str) -> bytes | None:
            file = folder / path
            return file.read_bytes() if file.exists() else None

        entries = board.verify_tiles(fetch, self._checkpoint((folder / "checkpoint").read_bytes()))
        self.records(enumerate(entries))
        if len(entries) >= len(self._entries):
            self._entries = entries
        return len(entries)

    def records(self, records: Iterable[tuple[int, bytes]]) -> None:
        for epoch, record in records:
            self._records.setdefault(epoch, set()).add(record)

    def notes(self, notes: Iterable[bytes]) -> None:
        for note in notes:
            self._checkpoint(note)

    def roots(self) -> None:
        """Compares every signed root with the root that is computed from the entries of the newest board."""
        # This stack has the complete subtrees, the largest first, each as (number of leaves, root).
        stack: list[tuple[int, bytes]] = []
        for number, entry in enumerate(self._entries):
            stack.append((1, board.leaf_hash(entry)))
            while len(stack) > 1 and stack[-1][0] == stack[-2][0]:
                (leaves, right), (_, left) = stack.pop(), stack.pop()
                stack.append((2 * leaves, board.node_hash(left, right)))
            root = stack[-1][1]
            for _, left in reversed(stack[:-1]):
                root = board.node_hash(left, root)
            if number + 1 in self._roots:
                self._roots[number + 1].add(root)

    def _checkpoint(self, note: bytes) -> board.Checkpoint:
        anchor = anchor_of(self._log)
        checkpoint = board.verify_checkpoint(note, anchor.configuration.origin.decode(), anchor.log_key)
        self._roots.setdefault(checkpoint.size, set()).add(checkpoint.root)
        return checkpoint


def lost_and_doubled(accepted: list[Accepted], facts: Facts) -> tuple[Counter, Counter]:
    """Counts the accepted updates that the facts lack, and the versions that the facts have too often. Both are counted by the fault that
    was under way when the update was accepted."""
    expected, newest = _by_key(accepted), {(one.structure, one.key): one.point for one in accepted}
    lost, doubled = Counter(), Counter()
    for key, wanted in expected.items():
        shown = Counter(version[2:] for version in facts.versions.get(key, []))
        for one in wanted:
            if shown[_origin(one)] == 0:
                lost[one.point] += 1
            shown[_origin(one)] -= 1
        doubled[newest[key]] += sum(count for count in shown.values() if count > 0)
    for key, versions in facts.versions.items():
        if key not in expected:
            doubled["unknown"] += len(versions)
    return lost, doubled


def check_order(accepted: list[Accepted], facts: Facts, reuses_names: bool = False) -> None:
    """Checks that each key's versions are in the order in which its writer sent the updates, with at most one version in an epoch. The
    order is known, because each writer has its own keys and waits for each answer. The caller has checked that no update was lost or
    doubled. If `reuses_names` is set, the version of a username is the number of its user, counted from 1.
    """
    for key, wanted in _by_key(accepted).items():
        found = facts.versions[key]
        require([version[2:] for version in found] == [_origin(one) for one in wanted], f"{key}: versions are not in the order of acceptance")
        require([version for version, *_ in found] == _numbers(key[0], [facts.periods.get(epoch, 0) for _, epoch, *_ in found], reuses_names), f"{key}: a version is missing")
        epochs = [epoch for _, epoch, *_ in found]
        require(epochs == sorted(set(epochs)), f"{key}: two versions in one epoch")


class Oracle:
    """Judges whether one log kept its promises. Each oracle is created when its log starts. While the log runs, callers may add what the
    log showed them to `histories`."""

    def __init__(self, log: Deployment, seed: int):
        self.histories = Histories(log)
        self._log = log
        self._random = random.Random(seed)
        self._judged = 0

    @property
    def reuses_names(self) -> bool:
        """Whether the log may reassign a username after its user has left."""
        return anchor_of(self._log).configuration.username_reuse == 1

    def wait_published(self) -> None:
        """Waits until no update is pending. No caller may send updates meanwhile."""
        deadline = time.monotonic() + PUBLISH_SECONDS
        while (status := self.status())["pending_updates"] > 0 or status["published_epoch"] != status["epoch"]:
            require(time.monotonic() < deadline, f"{status['pending_updates']} updates are not published")
            time.sleep(0.1)
        self._log.wait_served(status["epoch"])

    def status(self) -> dict:
        run = self._log.optiks_db("status", "--json")
        require(run.code == 0, f"status: {run}")
        return json.loads(run.out)

    def judge(self, accepted: list[Accepted], notes: Iterable[bytes], asks: bool = True) -> tuple[Counter, Counter]:
        """Returns the number of lost updates and of doubled updates, each counted by the fault that was under way when the update was
        accepted. Raises Wrong if the log broke another promise. If `asks` is set, also checks the database with fsck, the log with
        auditors, and the answers of the services; the log must then still be in its first period."""
        self._judged += 1
        self.wait_published()
        # The board is read before the facts, because the log continues to publish epochs, and reading a large database takes a while.
        size = self.histories.look()
        facts = self._facts()
        require(size <= len(facts.records), f"the board had {size} entries, the database has {len(facts.records)} epochs")
        self._check_board(facts, notes)
        if asks:
            self._check_tools(facts)
        lost, doubled = lost_and_doubled(accepted, facts)
        if lost.total() == doubled.total() == 0:
            check_order(accepted, facts, self.reuses_names)
            if asks:
                self._check_answers(accepted, facts)
        return lost, doubled

    def _facts(self) -> Facts:
        file = self._log.logs / "export"
        run = self._log.optiks_db("export", file)
        require(run.code == 0, f"export: {run}")
        try:
            return export.read(file)
        finally:
            file.unlink()

    def _check_board(self, facts: Facts, notes: Iterable[bytes]) -> None:
        size = self.histories.look()
        self.histories.notes(notes)
        self.histories.records(facts.records.items())
        self.histories.roots()
        require(size >= len(facts.records), f"the board has {size} entries, the database had {len(facts.records)} epochs")
        newest = EpochRecord.parse(facts.records[len(facts.records) - 1])
        require(newest.time_ms <= time.time_ns() // 1_000_000, "the newest record's time is in the future")
        require(facts.pending == 0 and facts.refused == 0, f"{facts.pending} pending and {facts.refused} refused updates")

    def _check_tools(self, facts: Facts) -> None:
        """Checks the log with fsck, auditors and the reference. fsck derives every root again. One auditor has followed the log from the
        start; a new auditor and the reference begin at epoch 0. The auditors and the reference must see the same records as the database
        has."""
        run = self._log.optiks_db("fsck", "--board", self._log.data / "board")
        require(run.code == 0, f"fsck: {run}")
        newest = len(facts.records) - 1
        fresh = ("--data", str(self._log.data / f"auditor-{self._judged}"), "--trust", str(self._log.data / "trust.json"))
        for more in ((), fresh):
            run = self._log.optiks("audit", "--json", *more)
            require(run.code == 0 and run.lines()[0]["verdict"] == "valid" and run.lines()[0]["epoch"] >= newest, f"audit: {run}")
        with redirect_stdout(io.StringIO()):
            session = live.read_board(live.Http(self._log.query.url, None), anchor_of(self._log))
            live.audit(session)
        require([record.encode() for record in session.chain[: newest + 1]] == [facts.records[epoch] for epoch in range(newest + 1)],
                "the reference's auditor was shown other records than the database has")

    def _check_answers(self, accepted: list[Accepted], facts: Facts) -> None:
        """Checks that verified histories, and the update-service's statements, of some keys and updates match the facts."""
        self._check_histories(self._sample(key.decode() for structure, key in _by_key(accepted) if structure == KEYS), facts)
        self._check_users(self._sample(key.decode() for structure, key in _by_key(accepted) if structure == USERNAMES), facts)
        with self._log.update_client() as client:
            for one in self._sample(accepted):
                status = client.get(f"/v1/updates/{one.request_id}").json()
                epoch = next(version[1] for version in facts.versions[one.structure, one.key] if version[2:4] == _origin(one)[:2])
                require(status["status"] == "published" and status["epoch"] == epoch, f"{one}: {status}")

    def _sample(self, found: Iterable) -> list:
        every = list(found)
        return self._random.sample(every, min(SAMPLE, len(every)))

    def _check_histories(self, keys: list[str], facts: Facts) -> None:
        run = self._log.optiks("history", *keys, "--json")
        require(run.code == 0, f"history: {run}")
        for line in run.lines():
            shown = [(version["version"], version["epoch"], version["value"]) for version in line["versions"]]
            known = [(version, epoch, value.decode()) for version, epoch, _, _, value in facts.versions[KEYS, line["key"].encode()]]
            require(shown == known, f"the history of {line['key']} is not the database's")

    def _check_users(self, names: list[str], facts: Facts) -> None:
        if not names:
            return
        run = self._log.optiks("user", "lookup", *names, "--json")
        require(run.code == 0, f"user lookup: {run}")
        for name, line in zip(names, run.lines(), strict=True):
            *earlier, user = [user for *_, user in facts.versions[USERNAMES, name.encode()]]
            require(line["user_b64"] == b64(user), f"{name} leads to another user")
            require([one["user_b64"] for one in line.get("earlier_users", [])] == [b64(one) for one in earlier], f"{name} had other users before")
            has_left = (DECOMMISSIONED, user) in facts.versions
            require(line["decommissioned"] == has_left, f"whether {name} has left")
            shown = {device["device"].encode(): device["value"].encode() for device in line["devices"]}
            known = {} if has_left else {device: facts.versions[KEYS, device][-1][-1] for device in decode_whole(DeviceList.decode, facts.versions[DEVICES, user][-1][-1]).ids}
            require(shown == known, f"the devices of {name} are not the database's")


def _numbers(structure: int, periods: list[int], reuses_names: bool) -> list[int]:
    """Returns the expected version numbers of versions that were set in these successive periods. Version 1 of a later period is a copy of
    the latest version of the previous period."""
    if structure not in PER_PERIOD:
        first = int(structure == USERNAMES and reuses_names)
        return list(range(first, first + len(periods)))
    numbers: list[int] = []
    for i, period in enumerate(periods):
        numbers.append(1 if i == 0 else 2 if period != periods[i - 1] else numbers[-1] + 1)
    return numbers


def _by_key(accepted: list[Accepted]) -> dict[tuple[int, bytes], list[Accepted]]:
    by_key: dict[tuple[int, bytes], list[Accepted]] = {}
    for one in accepted:
        by_key.setdefault((one.structure, one.key), []).append(one)
    return by_key


def _origin(one: Accepted) -> tuple[bytes, int, bytes]:
    return uuid.UUID(one.request_id).bytes, one.item, one.value
