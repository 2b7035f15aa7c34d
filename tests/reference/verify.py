"""Verifies whole answers: docs/spec/answers.md. Every function returns the answer's content, or raises Refused with the reason of the first
check that fails."""

import base64
import binascii
import json
from dataclasses import dataclass, field

import board
import ecvrf
import facts
import handover
import pahd
import proofs
import record
from board import Checkpoint, LogKey
from codec import AuditProof, Head, LookupAnswer, VersionsAnswer, decode_whole
from cosigners import Policy, parse_policy
from record import Configuration, EpochRecord
from refused import Refused, require


@dataclass(frozen=True)
class TrustAnchor:
    configuration: Configuration
    log_key: LogKey
    policy: Policy = Policy()

    @property
    def log_id(self) -> bytes:
        return self.configuration.log_id(self.log_key.public)

    @classmethod
    def parse(cls, text: str) -> "TrustAnchor":
        """Parses a trust anchor (docs/spec/records.md section 1)."""
        try:
            pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs)
            require(isinstance(pairs, list) and all(isinstance(one, tuple) for one in pairs), "configuration")
            names = sorted(name for name, _ in pairs if name not in ("auditors", "witnesses"))
            require(names == ["configuration", "log_key"] and len({name for name, _ in pairs}) == len(pairs), "configuration")
            document = dict(pairs)
            require(all(isinstance(document[name], str) for name in names), "configuration")
            encoded, _ = document["configuration"], document["log_key"].encode()
            raw = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
        except (ValueError, binascii.Error):
            raise Refused("configuration") from None
        require(base64.urlsafe_b64encode(raw).decode().rstrip("=") == encoded, "configuration")
        configuration = decode_whole(Configuration.decode, raw).check()
        key = LogKey.parse(document["log_key"])
        require(key.name.encode() == configuration.origin, "configuration")
        return cls(configuration, key, parse_policy(document, key))

    def render(self) -> str:
        encoded = base64.urlsafe_b64encode(self.configuration.encode()).decode().rstrip("=")
        return json.dumps({"configuration": encoded, "log_key": self.log_key.vkey})


@dataclass(frozen=True)
class Audited:
    """The result of an audit: the last epoch's record, which the auditor now stores, and the structures for which the audit proved that
    their trees only grew."""

    record: EpochRecord
    structures: list[int]


def check_included(r: EpochRecord, checkpoint: Checkpoint, inclusion: list[bytes]) -> None:
    """Checks that the checkpoint includes the record (section 3 step 4)."""
    require(r.epoch < checkpoint.size, "inclusion_index")
    leaf = board.leaf_hash(r.encode())
    included = board.verify_inclusion(leaf, r.epoch, checkpoint.size, checkpoint.root, inclusion)
    require(included, "inclusion_proof")


def vrf_key(r: EpochRecord, structure: int) -> ecvrf.PublicKey:
    try:
        return ecvrf.PublicKey(r.structure(structure).vrf_public_key)
    except ValueError as error:
        raise Refused(str(error)) from None


@dataclass
class Verifier:
    """The verifier's state (section 2). A verdict does not change it: the caller decides what to keep."""

    anchor: TrustAnchor
    now_ms: int
    checkpoint: Checkpoint | None = None
    record: EpochRecord | None = None
    # The record of the first epoch of the kept record's period, if the verifier kept this record too.
    period_record: EpochRecord | None = None
    least_epoch: dict[bytes, int] = field(default_factory=dict)
    known: dict[bytes, pahd.Known] = field(default_factory=dict)
    # The record of the last epoch of the requested period, if that period has ended (docs/spec/periods.md section 5).
    ended_record: EpochRecord | None = None
    # For each key, its end state of the previous period (docs/spec/periods.md section 6).
    ends: dict[bytes, handover.EndState] = field(default_factory=dict)

    def verify_head(self, head: Head) -> tuple[EpochRecord, Checkpoint]:
        """Verifies a head by section 3, from step 2 on."""
        if self.ended_record is not None:
            r, checkpoint = self.verify_head_alone(head)
            require(r == self.ended_record, "record_epoch")
            return r, checkpoint
        r, checkpoint = self.verify_head_of_any_time(head)
        self.check_not_ahead(r)
        self.check_fresh(r)
        return r, checkpoint

    def verify_head_of_any_time(self, head: Head) -> tuple[EpochRecord, Checkpoint]:
        """Verifies a head by steps 2 to 5 of section 3, without the checks of its time."""
        r, checkpoint = self.verify_head_alone(head)
        self.check_kept_record(r)
        return r, checkpoint

    def verify_head_alone(self, head: Head) -> tuple[EpochRecord, Checkpoint]:
        """Verifies a head by steps 2 to 4 of section 3, without comparing it with the kept record."""
        r = EpochRecord.parse(head.record)
        record.check_alone(r, self.anchor.log_id)
        checkpoint = self._check_checkpoint(head)
        check_included(r, checkpoint, head.inclusion)
        return r, checkpoint

    def check_not_ahead(self, r: EpochRecord) -> None:
        require(r.time_ms <= self.now_ms + self.anchor.configuration.max_ahead_ms, "record_from_future")

    def check_fresh(self, r: EpochRecord) -> None:
        require(r.time_ms + self.anchor.configuration.max_behind_ms >= self.now_ms, "record_too_old")

    def _check_checkpoint(self, head: Head) -> Checkpoint:
        kept = self.checkpoint
        if head.checkpoint == b"":
            require(kept is not None, "checkpoint_missing")
            require(head.consistency == [], "checkpoint_consistency")
            return kept
        origin = self.anchor.configuration.origin.decode()
        found = board.verify_checkpoint(head.checkpoint, origin, self.anchor.log_key)
        if kept is None:
            require(head.consistency == [], "checkpoint_consistency")
            return found
        require(found.size >= kept.size, "stale")
        if found.size == kept.size:
            require(found.root == kept.root, "fork")
            require(head.consistency == [], "checkpoint_consistency")
        else:
            consistent = board.verify_consistency(kept.size, kept.root, found.size, found.root, head.consistency)
            require(consistent, "checkpoint_consistency")
        return found

    def check_kept_record(self, r: EpochRecord) -> None:
        """Compares the record with the kept record (section 3 step 5)."""
        kept = self.record
        if kept is None:
            return
        length_ms, start = self.anchor.configuration.period_length_ms, self.period_record
        if start is not None:
            record.check_period_start(start, kept, self.anchor.log_id, length_ms)
        start_ms = start.time_ms if start is not None and kept.epoch < r.epoch else None
        record.check_same_log(r, kept, length_ms, start_ms)

    def structures(self, r: EpochRecord, keys: list[bytes], count: int) -> list[pahd.ProvenStructure]:
        """Makes those checks of section 4 that come after the head and before the check of the least epoch, which the caller makes. Returns
        the view of each key in the structure `keys`."""
        require(count == len(keys), "answer_count")
        state = r.structure(facts.KEYS)
        public = vrf_key(r, facts.KEYS)
        limit = self.anchor.configuration.max_value_len
        return [
            pahd.ProvenStructure(
                r.epoch, r.period_first_epoch, r.period, limit, facts.KEYS, state.root, state.count, public, key
            )
            for key in keys
        ]

    def check_least_epoch(self, s: pahd.ProvenStructure) -> None:
        require(s.epoch >= self.least_epoch.get(s.key, 0), "stale")

    def verify_lookup(self, answer: bytes, keys: list[bytes]) -> list[pahd.Result]:
        assert self.ended_record is None, "an ended period has no lookups"
        decoded = decode_whole(LookupAnswer.decode, answer)
        r, _ = self.verify_head(decoded.head)
        results = []
        for s, item in zip(self.structures(r, keys, len(decoded.items)), decoded.items, strict=True):
            self.check_least_epoch(s)
            results.append(pahd.verify_lookup(s, item, self.known.get(s.key)))
        return results

    def verify_versions(self, answer: bytes, keys: list[bytes]) -> list[pahd.Result]:
        decoded = decode_whole(VersionsAnswer.decode, answer)
        r, _ = self.verify_head(decoded.head)
        results = []
        for s, item in zip(self.structures(r, keys, len(decoded.items)), decoded.items, strict=True):
            self.check_least_epoch(s)
            results.append(pahd.verify_versions(s, item, self.known.get(s.key)))
        for key, item in zip(keys, decoded.items, strict=True):
            if key in self.ends and item.start == 1:
                handover.check_handover(r.period, r.period_first_epoch, item, self.ends[key])
        return results

    def verify_audit(self, answer: bytes, stored: EpochRecord, period_start: EpochRecord) -> Audited:
        """Verifies an audit proof (section 5). `period_start` is the record of the first epoch of the stored record's period."""
        decoded = decode_whole(AuditProof.decode, answer)
        require(decoded.records[0] == stored.encode(), "audit_start")
        configuration = self.anchor.configuration
        record.check_period_start(period_start, stored, self.anchor.log_id, configuration.period_length_ms)
        chain = [stored]
        for octets in decoded.records[1:]:
            r = EpochRecord.parse(octets)
            record.check_alone(r, self.anchor.log_id)
            require(r.epoch == chain[-1].epoch + 1, "record_epoch")
            record.check_after(r, chain[-1], configuration.period_length_ms, period_start.time_ms)
            require(r.time_ms <= self.now_ms + configuration.max_ahead_ms, "record_from_future")
            if r.period != chain[-1].period:
                period_start = r
            chain.append(r)
        switched = chain[-1].period != stored.period
        if switched:
            require(len(chain) == 2, "audit_crosses_switch")
            for number in facts.PER_PERIOD:
                skipped = decoded.structures[number - 1]
                require(skipped.leaves == [] and skipped.opened == b"", "audit_crosses_switch")
        verified = [number for number in facts.STRUCTURES if not (switched and number in facts.PER_PERIOD)]
        for number in verified:
            states = [proofs.RootState(r.structure(number).root, r.structure(number).count) for r in chain]
            proofs.verify_append(stored.epoch, states[0], states[1:], decoded.structures[number - 1])
        return Audited(chain[-1], verified)
