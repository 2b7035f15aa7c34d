"""Implements ECVRF over FourQ with BLAKE2b-512, written from docs/spec/vrf.md sections 3, 4, 6 and 7.

Verdicts on keys and proofs are cached, because many answers share the same keys and proofs, and a verdict depends only on the octets.
"""

import functools
from dataclasses import dataclass
from hashlib import blake2b

import fourq
from facts import VRF_LABEL_LEN, VRF_PROOF_LEN

SUITE = b"\xff" + b"optiks-fourq-blake2b"
DST = b"ECVRF_" + b"FourQ_XMD:BLAKE2b-512_ELL2_NU_" + SUITE


def _hash(*parts: bytes) -> bytes:
    return blake2b(b"".join(parts)).digest()


class SecretKey:
    """A secret key x with 1 <= x < N, and its public key. Raises ValueError if the octets are not such an x."""

    def __init__(self, encoded: bytes):
        self.x = int.from_bytes(encoded, "little")
        if len(encoded) != 32 or not 1 <= self.x < fourq.N:
            raise ValueError("secret key out of range")
        self.public = PublicKey(fourq.point_to_string(fourq.base_mul(self.x)))

    @classmethod
    def from_uniform(cls, uniform: bytes) -> "SecretKey":
        """Makes a key from 64 uniform octets, reduced modulo N. Raises ValueError if the result is 0."""
        assert len(uniform) == 64
        return cls((int.from_bytes(uniform, "little") % fourq.N).to_bytes(32, "little"))

    @property
    def encoded(self) -> bytes:
        return self.x.to_bytes(32, "little")


@functools.cache
def _validate_key(encoded: bytes) -> fourq.Point | None:
    point = fourq.string_to_point(encoded)
    if point is None or fourq.is_identity(point) or not fourq.is_identity(fourq.scalar_mul(fourq.N, point)):
        return None
    return point


@dataclass(frozen=True)
class PublicKey:
    """A validated public key. Raises ValueError("vrf_key_invalid") for a string that `validate_key` refuses."""

    encoded: bytes

    def __post_init__(self) -> None:
        if _validate_key(self.encoded) is None:
            raise ValueError("vrf_key_invalid")

    @property
    def point(self) -> fourq.Point:
        return _validate_key(self.encoded)


def hash_to_field(public: bytes, alpha: bytes) -> fourq.Element:
    dst_prime = DST + bytes([len(DST)])
    b_0 = _hash(bytes(128), public, alpha, b"\x00\x40", b"\x00", dst_prime)
    b_1 = _hash(b_0, b"\x01", dst_prime)
    return int.from_bytes(b_1[:32], "big") % fourq.P, int.from_bytes(b_1[32:], "big") % fourq.P


def encode_to_curve(public: bytes, alpha: bytes) -> fourq.Point:
    return fourq.clear_cofactor(fourq.elligator2(hash_to_field(public, alpha)))


def challenge(*points: fourq.Point) -> bytes:
    """Returns the challenge for the points Y, H, Gamma, U, V."""
    return _hash(SUITE, b"\x02", *map(fourq.point_to_string, points), b"\x00")[:16]


def beta_of(gamma: fourq.Point) -> bytes:
    return _hash(SUITE, b"\x03", fourq.point_to_string(fourq.clear_cofactor(gamma)), b"\x00")


def nonce(key: SecretKey, h: fourq.Point) -> int:
    return int.from_bytes(_hash(SUITE, b"\x81", key.encoded, fourq.point_to_string(h)), "little") % fourq.N


def evaluate(key: SecretKey, alpha: bytes) -> bytes:
    return beta_of(fourq.scalar_mul(key.x, encode_to_curve(key.public.encoded, alpha)))[:VRF_LABEL_LEN]


def prove(key: SecretKey, alpha: bytes) -> tuple[bytes, bytes]:
    """Returns (label, proof)."""
    h = encode_to_curve(key.public.encoded, alpha)
    gamma = fourq.scalar_mul(key.x, h)
    return beta_of(gamma)[:VRF_LABEL_LEN], prove_with(key, h, gamma, nonce(key, h))


def prove_with(key: SecretKey, h: fourq.Point, gamma: fourq.Point, k: int) -> bytes:
    """Returns the proof for a chosen Gamma and nonce. prove() calls this function with honest arguments; tests call it in order to act as
    malicious provers."""
    c = challenge(key.public.point, h, gamma, fourq.base_mul(k), fourq.scalar_mul(k, h))
    s = (k + int.from_bytes(c, "little") * key.x) % fourq.N
    return fourq.point_to_string(gamma) + c + s.to_bytes(31, "little")


@functools.cache
def verify(public: PublicKey, alpha: bytes, proof: bytes) -> tuple[str, bytes | None]:
    """Returns ("valid", label), or (reason, None) for the first check that fails in the order of section 7."""
    assert len(proof) == VRF_PROOF_LEN
    gamma = fourq.string_to_point(proof[:32])
    if gamma is None:
        return "vrf_gamma_malformed", None
    s = int.from_bytes(proof[48:], "little")
    if s >= fourq.N:
        return "vrf_scalar_range", None
    if fourq.is_identity(fourq.clear_cofactor(gamma)):
        return "vrf_gamma_small_order", None
    h = encode_to_curve(public.encoded, alpha)
    c = int.from_bytes(proof[32:48], "little")
    u = fourq.point_add(fourq.base_mul(s), fourq.point_neg(fourq.scalar_mul(c, public.point)))
    v = fourq.double_scalar_mul(s, h, c, fourq.point_neg(gamma))
    if challenge(public.point, h, gamma, u, v) != proof[32:48]:
        return "vrf_challenge", None
    return "valid", beta_of(gamma)[:VRF_LABEL_LEN]
