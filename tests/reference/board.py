"""Implements the bulletin board of docs/spec/board.md: RFC 6962 trees, signed notes, checkpoints, and a log that is read only from its
tiles."""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

import ed25519
from refused import Refused, require

# Merkle trees as in RFC 6962 section 2.1 (docs/spec/board.md section 1).


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """Returns the largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def root_of(leaves: list[bytes]) -> bytes:
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = _split(len(leaves))
    return node_hash(root_of(leaves[:k]), root_of(leaves[k:]))


def make_inclusion(leaves: list[bytes], index: int) -> list[bytes]:
    if len(leaves) == 1:
        return []
    k = _split(len(leaves))
    if index < k:
        return make_inclusion(leaves[:k], index) + [root_of(leaves[k:])]
    return make_inclusion(leaves[k:], index - k) + [root_of(leaves[:k])]


def make_consistency(leaves: list[bytes], old_size: int, whole: bool = True) -> list[bytes]:
    """Returns the hashes of SUBPROOF (RFC 6962 section 2.1.2), for 0 < old_size <= len(leaves)."""
    if old_size == len(leaves):
        return [] if whole else [root_of(leaves)]
    k = _split(len(leaves))
    if old_size <= k:
        return make_consistency(leaves[:k], old_size, whole) + [root_of(leaves[k:])]
    return make_consistency(leaves[k:], old_size - k, False) + [root_of(leaves[:k])]


def verify_inclusion(leaf: bytes, index: int, size: int, root: bytes, proof: list[bytes]) -> bool:
    """Returns whether the inclusion proof verifies (RFC 9162 section 2.1.3.2)."""
    if index >= size:
        return False
    fn, sn, r = index, size - 1, leaf
    for p in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = node_hash(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and r == root


def verify_consistency(old_size: int, old_root: bytes, size: int, root: bytes, proof: list[bytes]) -> bool:
    """Returns whether the consistency proof verifies, for 0 < old_size < size (RFC 9162 section 2.1.4.2)."""
    assert 0 < old_size < size
    if not proof:
        return False
    path = [old_root, *proof] if old_size & old_size - 1 == 0 else proof
    fn, sn = old_size - 1, size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node_hash(c, fr), node_hash(c, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node_hash(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == old_root and sr == root


# Section 2: checkpoints.

MAX_SIGNATURES = 64
KEY_TYPE_LOG = 0x01
KEY_TYPE_COSIGNER = 0x04


@dataclass(frozen=True)
class LogKey:
    name: str
    public: bytes
    type: int = KEY_TYPE_LOG

    @property
    def key_id(self) -> bytes:
        return sha256(self.name.encode() + b"\n" + bytes([self.type]) + self.public).digest()[:4]

    @property
    def vkey(self) -> str:
        encoded = base64.b64encode(bytes([self.type]) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{encoded}"

    @classmethod
    def parse(cls, vkey: str, of_type: int = KEY_TYPE_LOG) -> "LogKey":
        """Parses a vkey of this type. Raises Refused("configuration") if the text is not such a vkey, or has a wrong key id."""
        parts = vkey.split("+", 2)
        require(len(parts) == 3, "configuration")
        raw = canonical_base64(parts[2])
        require(raw is not None and len(raw) == 33 and raw[0] == of_type, "configuration")
        key = cls(parts[0], raw[1:], of_type)
        require(key.key_id.hex() == parts[1], "configuration")
        return key


@dataclass(frozen=True)
class Checkpoint:
    size: int
    root: bytes


def canonical_base64(text: str) -> bytes | None:
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    return raw if base64.b64encode(raw).decode() == text else None


def note_body(origin: str, size: int, root: bytes) -> str:
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"


def signature_line(name: str, key_id: bytes, signature: bytes) -> str:
    return f"\u2014 {name} {base64.b64encode(key_id + signature).decode()}\n"


def make_checkpoint(key: LogKey, seed: bytes, size: int, root: bytes) -> bytes:
    body = note_body(key.name, size, root)
    return (body + "\n" + signature_line(key.name, key.key_id, ed25519.sign(seed, body.encode()))).encode()


def parse_note(note: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    """Returns (text, [(name, key id and signature)]). Raises Refused("checkpoint_malformed") if the octets are not a note."""
    malformed = Refused("checkpoint_malformed")
    if len(note) > 65_536:
        raise malformed
    try:
        decoded = note.decode("utf-8")
    except UnicodeDecodeError:
        raise malformed from None
    if any(ord(c) < 0x20 and c != "\n" for c in decoded):
        raise malformed
    split = decoded.rfind("\n\n")
    if split < 0:
        raise malformed
    text, block = decoded[: split + 1], decoded[split + 2 :]
    if not block.endswith("\n"):
        raise malformed
    lines = block[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise malformed
    signatures = []
    for line in lines:
        if not line.startswith("\u2014 "):
            raise malformed
        name, space, encoded = line[2:].partition(" ")
        raw = canonical_base64(encoded)
        if not space or not name or "+" in name or _has_white_space(name) or raw is None or len(raw) < 5:
            raise malformed
        signatures.append((name, raw))
    return text, signatures


# White space means the characters that have Unicode's property White_Space. str.isspace() also accepts U+001C..U+001F, but a note cannot
# contain these anyway.
def _has_white_space(name: str) -> bool:
    return any(c.isspace() for c in name)


def verify_checkpoint(note: bytes, origin: str, key: LogKey) -> Checkpoint:
    text, signatures = parse_note(note)
    lines = text.split("\n")
    require(len(lines) == 4, "checkpoint_malformed")
    size, root = lines[1], canonical_base64(lines[2])
    decimal = size.isascii() and size.isdigit() and (size == "0" or size[0] != "0")
    require(decimal and 0 < int(size) < 2**64 and root is not None and len(root) == 32, "checkpoint_malformed")
    require(lines[0] == origin, "checkpoint_origin")
    of_log = [raw[4:] for name, raw in signatures if name == key.name and raw[:4] == key.key_id]
    require(len(of_log) == 1 and ed25519.verify(key.public, text.encode(), of_log[0]), "checkpoint_signature")
    return Checkpoint(int(size), root)


# Section 6: cosignatures.


def verify_cosignatures(note: bytes, cosigners: list[LogKey]) -> dict[str, int]:
    """Returns, by cosigner's name, the time of the latest cosignature by each of these cosigners. Raises Refused("checkpoint_signature")
    when a line with a known name and key id does not verify."""
    text, signatures = parse_note(note)
    times: dict[str, int] = {}
    for key in cosigners:
        for name, raw in signatures:
            if name != key.name or raw[:4] != key.key_id:
                continue
            time = int.from_bytes(raw[4:12], "big")
            message = f"cosignature/v1\ntime {time}\n{text}".encode()
            require(len(raw) == 76 and time < 2**63 and ed25519.verify(key.public, message, raw[12:]), "checkpoint_signature")
            times[name] = max(time, times.get(name, 0))
    return times


# Reads the log from its tiles (docs/spec/board.md section 3). A `Fetch` takes a path below the log's prefix and returns the file, or None
# for 404.

TILE = 256
Fetch = Callable[[str], bytes | None]


def tile_path(kind: str, index: int, width: int = TILE) -> str:
    """Returns the path of a tile. `kind` is a level number or "entries". The paths of audit proofs, audit/<N>, have the same form."""
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    suffix = "" if width == TILE else f".p/{width}"
    return f"tile/{kind}/{'/'.join(groups)}{suffix}"


def read_entries(fetch: Fetch, size: int) -> list[bytes]:
    """Returns all entries of a log of this size from its bundles. Raises Refused("inclusion_proof") if a bundle is missing or has another
    length than it must have."""
    entries: list[bytes] = []
    for index in range((size + TILE - 1) // TILE):
        width = min(TILE, size - index * TILE)
        bundle = _fetch_tile(fetch, "entries", index, width)
        found, pos = [], 0
        while pos < len(bundle) and len(found) < width:
            length = int.from_bytes(bundle[pos : pos + 2], "big")
            require(pos + 2 + length <= len(bundle), "inclusion_proof")
            found.append(bundle[pos + 2 : pos + 2 + length])
            pos += 2 + length
        require(len(found) == width, "inclusion_proof")
        entries += found
    return entries


def _fetch_tile(fetch: Fetch, kind: str, index: int, width: int) -> bytes:
    """Fetches a tile. Tries the full tile too, because the board may drop a partial tile once the full tile exists."""
    content = fetch(tile_path(kind, index, width))
    if content is None and width < TILE:
        content = fetch(tile_path(kind, index))
    require(content is not None, "inclusion_proof")
    return content


def verify_tiles(fetch: Fetch, checkpoint: Checkpoint) -> list[bytes]:
    """Compares every tile of a log of this size with the hashes of the entries, and returns the entries."""
    entries = read_entries(fetch, checkpoint.size)
    hashes = [leaf_hash(entry) for entry in entries]
    require(root_of(hashes) == checkpoint.root, "inclusion_proof")
    level, row = 0, hashes
    while row:
        for index in range((len(row) + TILE - 1) // TILE):
            part = row[index * TILE : (index + 1) * TILE]
            content = _fetch_tile(fetch, str(level), index, len(part))
            require(content[: 32 * len(part)] == b"".join(part), "inclusion_proof")
        row = [root_of(row[i : i + TILE]) for i in range(0, len(row) - TILE + 1, TILE)]
        level += 1
    return entries
