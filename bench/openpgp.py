"""Splits an OpenPGP keyring (RFC 9580) into the keys of people, with their packets, user ids and self-signatures."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

SIGNATURE, PUBLIC_KEY, MARKER, TRUST, USER_ID, PUBLIC_SUBKEY, USER_ATTRIBUTE = 2, 6, 10, 12, 13, 14, 17
ISSUER, ISSUER_FINGERPRINT = 16, 33
# Matches the usual forms of an address in a user id: a text with one @ and no space, either in angle brackets or as the whole user id.
ADDRESS = re.compile(r"<([^<>@\s]+@[^<>@\s]+)>\s*$|^\s*([^<>@\s]+@[^<>@\s]+)\s*$")


class MalformedKeyring(Exception):
    """Raised if the octets are not a sequence of OpenPGP packets."""


@dataclass(frozen=True)
class Packet:
    tag: int
    body: bytes
    octets: bytes
    """The packet with its header, as it is in the keyring."""


def packets(keyring: bytes) -> Iterator[Packet]:
    """Yields the packets, whose headers may have either format of RFC 9580 section 4.2. Refuses partial lengths, which keys must not
    have."""
    at = 0
    while at < len(keyring):
        start, first = at, keyring[at]
        at += 1
        if not first & 0x80:
            raise MalformedKeyring(f"octet {start} does not begin a packet")
        if first & 0x40:
            tag, (length, at) = first & 0x3F, _new_length(keyring, at)
        else:
            tag, size = first >> 2 & 0x0F, (1, 2, 4, 0)[first & 3]
            if size == 0:
                raise MalformedKeyring(f"the packet at octet {start} has no length")
            length, at = int.from_bytes(_take(keyring, at, size), "big"), at + size
        body = _take(keyring, at, length)
        at += length
        yield Packet(tag, body, keyring[start:at])


def _new_length(keyring: bytes, at: int) -> tuple[int, int]:
    first = _take(keyring, at, 1)[0]
    if first < 192:
        return first, at + 1
    if first < 224:
        return (first - 192 << 8) + _take(keyring, at + 1, 1)[0] + 192, at + 2
    if first == 255:
        return int.from_bytes(_take(keyring, at + 1, 4), "big"), at + 5
    raise MalformedKeyring(f"the packet with its length at octet {at} is partial")


def _take(keyring: bytes, at: int, length: int) -> bytes:
    taken = keyring[at:at + length]
    if len(taken) != length:
        raise MalformedKeyring(f"the keyring ends within the packet at octet {at}")
    return taken


@dataclass(frozen=True)
class TransferableKey:
    """A person's key: a primary key with all packets up to the next primary key (RFC 9580 section 10.1), except local trust packets."""

    packets: tuple[Packet, ...]

    @property
    def created(self) -> int:
        """The time at which the key was created, in Unix time."""
        return int.from_bytes(self.packets[0].body[1:5], "big")

    @property
    def fingerprint(self) -> bytes:
        """The fingerprint of the key, which is a SHA-1 hash for keys of version 4."""
        body = self.packets[0].body
        return hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body, usedforsecurity=False).digest()

    def addresses(self) -> list[str]:
        """Returns the e-mail addresses in the key's user ids, in lower case and without duplicates, in the order of the user ids."""
        found = {}
        for packet in self.packets:
            # User ids that are not UTF-8 are read as Latin-1, which was common before UTF-8 became the rule.
            if packet.tag == USER_ID:
                try:
                    text = packet.body.decode()
                except UnicodeDecodeError:
                    text = packet.body.decode("latin-1")
                if match := ADDRESS.search(text):
                    found[(match[1] or match[2]).lower()] = None
        return list(found)

    def octets(self) -> bytes:
        return b"".join(packet.octets for packet in self.packets)

    def own_octets(self) -> bytes:
        """Returns the key without the certifications of other people and without pictures. The result is still a transferable public
        key."""
        own, picture = [], False
        for packet in self.packets:
            if packet.tag != SIGNATURE:
                picture = packet.tag == USER_ATTRIBUTE
            if not picture and (packet.tag != SIGNATURE or issuer(packet.body) in (None, self.fingerprint[-8:])):
                own.append(packet.octets)
        return b"".join(own)


def transferable_keys(keyring: bytes) -> list[TransferableKey]:
    """Returns the keys in the keyring's order. Ignores keys of other versions than 4, which keyrings do not contain in practice."""
    keys: list[list[Packet]] = []
    for packet in packets(keyring):
        if packet.tag in (MARKER, TRUST):
            continue
        if packet.tag == PUBLIC_KEY:
            keys.append([])
        if not keys:
            raise MalformedKeyring("the keyring does not begin with a public key")
        keys[-1].append(packet)
    return [TransferableKey(tuple(one)) for one in keys if one[0].body[:1] == b"\x04" and len(one[0].body) > 5]


def issuer(signature: bytes) -> bytes | None:
    """Returns the key id of a signature's issuer, or None if the signature does not contain it."""
    if signature[:1] == b"\x03":
        return signature[7:15]
    if signature[:1] != b"\x04" or len(signature) < 6:
        return None
    at = 4
    for _ in ("hashed", "not hashed"):
        end = at + 2 + int.from_bytes(signature[at:at + 2], "big")
        at += 2
        while at < end:
            length, at = _new_length(signature, at)
            subpacket = _take(signature, at, length)
            at += length
            # The highest bit of the type says only that the subpacket is critical, so it is removed.
            kind = subpacket[0] & 0x7F if subpacket else 0
            if kind == ISSUER and len(subpacket) == 9:
                return subpacket[1:]
            if kind == ISSUER_FINGERPRINT and len(subpacket) == 22 and subpacket[1] == 4:
                return subpacket[-8:]
    return None
