"""Implements a client's use of auditors and witnesses (docs/spec/cosigners.md): the policy in a trust anchor, and the checks of an answer
that has cosigned checkpoints."""

import json
from dataclasses import dataclass, field

import board
import ed25519
from board import Checkpoint, LogKey
from refused import Refused, require

MAX_COSIGNERS = 32
MAX_ANSWER = 262_144
MAX_NOTES = 64
MAX_LAG_MS = 1 << 43
MAX_INTEGER = (1 << 53) - 1


@dataclass(frozen=True)
class Rule:
    """A witness, or a group of which at least `least` members must have cosigned."""

    witness: str | None
    members: tuple["Rule", ...] = ()
    least: int = 0

    def is_met(self, names: set[str]) -> bool:
        if self.witness is not None:
            return self.witness in names
        return sum(member.is_met(names) for member in self.members) >= self.least


@dataclass(frozen=True)
class Policy:
    """A client's policy about auditors and witnesses (section 2). Keys are distinguished by their vkeys."""

    required: int = 0
    max_lag_ms: int = 0
    auditors: tuple[tuple[LogKey, int], ...] = ()
    witnesses: tuple[LogKey, ...] = ()
    quorum: Rule | None = None

    @property
    def keys(self) -> list[LogKey]:
        return [key for key, _ in self.auditors] + list(self.witnesses)


def parse_policy(document: dict, log_key: LogKey) -> Policy:
    """Returns the policy in a trust anchor. `document` has the anchor's members, as json.loads with object_pairs_hook=list returns them.
    Raises Refused("configuration") if the policy is invalid."""
    policy = {}
    if "auditors" in document:
        policy |= _auditors(document["auditors"])
    if "witnesses" in document:
        policy |= _witnesses(document["witnesses"], log_key)
    parsed = Policy(**policy)
    publics = [log_key.public] + [key.public for key in parsed.keys]
    require(len(set(publics)) == len(publics), "configuration")
    return parsed


def _members(value: object, names: set[str]) -> dict:
    require(isinstance(value, list) and all(isinstance(one, tuple) for one in value), "configuration")
    require(sorted(name for name, _ in value) == sorted(names), "configuration")
    return dict(value)


def _key(vkey: str, of_type: int = board.KEY_TYPE_COSIGNER) -> LogKey:
    name = vkey.partition("+")[0]
    require(name and not any(c.isspace() or 0xD800 <= ord(c) < 0xE000 for c in name), "configuration")
    return LogKey.parse(vkey, of_type)


def _number(value: object, least: int, most: int) -> int:
    require(isinstance(value, int) and not isinstance(value, bool) and least <= value <= most, "configuration")
    return value


def _auditors(value: object) -> dict:
    members = _members(value, {"required", "max_lag_ms", "keys"})
    keys = members["keys"]
    require(isinstance(keys, list) and 1 <= len(keys) <= MAX_COSIGNERS, "configuration")
    auditors = []
    for one in keys:
        auditor = _members(one, {"key", "first_epoch"})
        require(isinstance(auditor["key"], str), "configuration")
        auditors.append((_key(auditor["key"]), _number(auditor["first_epoch"], 0, MAX_INTEGER)))
    required = _number(members["required"], 1, len(auditors))
    return {"required": required, "max_lag_ms": _number(members["max_lag_ms"], 1, MAX_LAG_MS), "auditors": tuple(auditors)}


def _witnesses(value: object, log_key: LogKey) -> dict:
    """Parses the lines of a policy of witnesses (docs/spec/board.md section 7)."""
    require(isinstance(value, list) and all(isinstance(line, str) for line in value), "configuration")
    require(sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in value) <= 65_536, "configuration")
    names: dict[str, tuple[Rule, int]] = {}
    members: set[str] = set()
    witnesses: list[LogKey] = []
    quorum: list[Rule | None] = []
    logs = 0
    for line in value:
        require(not any(ord(c) < 0x20 and c != "\t" or c == "\x7f" or 0xD800 <= ord(c) < 0xE000 for c in line), "configuration")
        fields = line.replace("\t", " ").split(" ")
        match [one for one in fields if one]:
            case []:
                continue
            case [first, *_] if first.startswith("#"):
                continue
            case ["log", vkey] | ["log", vkey, _]:
                require(not logs and _key(vkey, board.KEY_TYPE_LOG) == log_key, "configuration")
                logs += 1
                continue
            case ["witness", name, vkey] | ["witness", name, vkey, _]:
                key = _key(vkey)
                require(all(key.public != other.public for other in witnesses), "configuration")
                witnesses.append(key)
                rule, depth = Rule(key.vkey), 1
            case ["group", name, threshold, *listed] if listed:
                require(all(one in names and one not in members for one in listed) and len(set(listed)) == len(listed), "configuration")
                members |= set(listed)
                rule, depth = Rule(None, tuple(names[one][0] for one in listed), _threshold(threshold, len(listed))), 1 + max(names[one][1] for one in listed)
            case ["quorum", name]:
                require(not quorum and (name == "none" or name in names), "configuration")
                quorum.append(None if name == "none" else names[name][0])
                continue
            case _:
                raise Refused("configuration")
        require(name != "none" and name not in names and depth <= 64, "configuration")
        names[name] = rule, depth
    require(len(quorum) == 1 and len(witnesses) <= MAX_COSIGNERS, "configuration")
    return {"witnesses": tuple(witnesses), "quorum": quorum[0]}


def _threshold(text: str, members: int) -> int:
    if text in ("any", "all"):
        return 1 if text == "any" else members
    require(text.isascii() and text.isdigit() and text[0] != "0" and int(text) <= members, "configuration")
    return int(text)


@dataclass
class Vouched:
    """The coverage of cosigners: for each cosigner, the size of its newest checkpoint that was compared with the head."""

    head: Checkpoint
    sizes: dict[str, int] = field(default_factory=dict)


def notes_of(answer: bytes) -> list[bytes]:
    """Returns the signed notes in an answer with cosigned checkpoints (section 3 step 1)."""
    try:
        pairs = json.loads(answer.decode("utf-8"), object_pairs_hook=lambda pairs: pairs)
        if len(answer) > MAX_ANSWER or [name for name, _ in pairs] != ["checkpoints"] or not all(isinstance(note, str) for note in pairs[0][1]):
            return []
        return [note.encode() for note in pairs[0][1][:MAX_NOTES]]
    except (ValueError, TypeError):
        return []


def take(policy: Policy, log_key: LogKey, max_ahead_ms: int, head: Checkpoint, entries: list[bytes], answer: bytes, now_ms: int) -> Vouched:
    """Compares cosigned checkpoints with the head, using the entries of the server's tiles (section 3). Raises Refused("fork") if a
    checkpoint and the head cannot both be true."""
    notes: list[tuple[str, Checkpoint]] = []
    for note in notes_of(answer):
        try:
            checkpoint = board.verify_checkpoint(note, log_key.name, log_key)
            times = {key.vkey: board.verify_cosignatures(note, [key]).get(key.name) for key in policy.keys}
        except Refused:
            continue
        notes += [(vkey, checkpoint) for vkey, time in times.items() if time is not None and time <= (now_ms + max_ahead_ms) // 1000]
    roots: dict[int, bytes] = {}
    for _, checkpoint in notes:
        require(roots.setdefault(checkpoint.size, checkpoint.root) == checkpoint.root, "fork")
    hashes = [board.leaf_hash(entry) for entry in entries]
    vouched = Vouched(head)
    for vkey, checkpoint in sorted(notes, key=lambda one: one[1].size):
        smaller, larger = sorted((checkpoint, vouched.head), key=lambda one: one.size)
        if smaller.size == larger.size:
            require(smaller.root == larger.root, "fork")
        else:
            if larger.size > len(hashes) or board.root_of(hashes[: larger.size]) != larger.root:
                continue
            require(board.root_of(hashes[: smaller.size]) == smaller.root, "fork")
        vouched.head = larger
        vouched.sizes[vkey] = checkpoint.size
    return vouched


def check_witnessed(policy: Policy, vouched: Vouched, epoch: int) -> None:
    """Checks that a quorum of witnesses cosigned the epoch (section 3). Raises Refused("witness_quorum") if the quorum is missing."""
    if policy.quorum is not None:
        require(policy.quorum.is_met({key.vkey for key in policy.witnesses if vouched.sizes.get(key.vkey, 0) > epoch}), "witness_quorum")


def is_audited(policy: Policy, vouched: Vouched, proven: int, epoch: int) -> bool:
    """Returns whether an answer is audited (section 4, where `proven` is called n and `epoch` e)."""
    covering = sum(first <= proven and vouched.sizes.get(key.vkey, 0) > epoch for key, first in policy.auditors)
    return bool(policy.auditors) and covering >= policy.required


def may_leave_out(policy: Policy, vouched: Vouched, proven: int) -> bool:
    """Returns whether a client may name a version as known, so that the answer leaves out the version's proofs (section 4, where `proven`
    is called n)."""
    if not policy.auditors:
        return True
    sizes = [vouched.sizes.get(key.vkey, 0) for key, _ in policy.auditors]
    enough = sorted(sizes, reverse=True)[policy.required - 1]
    return sum(first <= proven and size >= enough for (_, first), size in zip(policy.auditors, sizes)) >= policy.required


def cosign(key: LogKey, seed: bytes, note: bytes, time: int) -> bytes:
    """Returns the note with a signature line of this cosigner added after the other lines."""
    text = note.decode().rpartition("\n\n")[0] + "\n"
    signature = ed25519.sign(seed, f"cosignature/v1\ntime {time}\n{text}".encode())
    return note + (board.signature_line(key.name, key.key_id, time.to_bytes(8, "big") + signature)).encode()
