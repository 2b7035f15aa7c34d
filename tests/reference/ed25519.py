"""Implements Ed25519 as in docs/spec/board.md section 5, in plain integers, for the signatures of checkpoints. The code is not constant
time: use it only with test keys.

Signatures and verdicts on them are cached, because many answers share them and they depend only on the octets.
"""

import functools
from hashlib import sha512

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
_SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)

Point = tuple[int, int, int, int]
IDENTITY: Point = (0, 1, 1, 0)


def recover_x(y: int, sign: int) -> int | None:
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if x * x % P != xx:
        x = x * _SQRT_MINUS_1 % P
    if x * x % P != xx or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def add(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def mul(k: int, p: Point) -> Point:
    result = IDENTITY
    while k:
        if k & 1:
            result = add(result, p)
        p = add(p, p)
        k >>= 1
    return result


def encode(p: Point) -> bytes:
    z_inv = pow(p[2], P - 2, P)
    x, y = p[0] * z_inv % P, p[1] * z_inv % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(encoded: bytes) -> Point | None:
    number = int.from_bytes(encoded, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    x = recover_x(y, sign) if y < P else None
    return None if x is None else (x, y, 1, x * y % P)


_BASE_Y = 4 * pow(5, P - 2, P) % P
BASE: Point = (recover_x(_BASE_Y, 0), _BASE_Y, 1, recover_x(_BASE_Y, 0) * _BASE_Y % P)


def challenge(*parts: bytes) -> int:
    """Returns SHA-512 of the parts as a scalar. If the parts are R, the public key and the message, the result is the scalar k in the
    equation S B = R + k A."""
    return int.from_bytes(sha512(b"".join(parts)).digest(), "little") % L


def _expand(seed: bytes) -> tuple[int, bytes]:
    digest = sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, digest[32:]


def secret_scalar(seed: bytes) -> int:
    return _expand(seed)[0] % L


@functools.cache
def public_key(seed: bytes) -> bytes:
    return encode(mul(_expand(seed)[0], BASE))


@functools.cache
def sign(seed: bytes, message: bytes) -> bytes:
    return sign_as(seed, public_key(seed), message)


def sign_as(seed: bytes, public: bytes, message: bytes) -> bytes:
    """Signs with the secret key of a seed, as if the public key of this secret key were `public`."""
    scalar, prefix = _expand(seed)
    r = challenge(prefix, message)
    big_r = encode(mul(r, BASE))
    return big_r + ((r + challenge(big_r, public, message) * scalar) % L).to_bytes(32, "little")


def sign_with_r(scalar: int, public: bytes, message: bytes, big_r: bytes) -> bytes:
    """Signs with S = k a. No honest signer makes such a signature, because its R does not come from a nonce that only the signer knows."""
    return big_r + (challenge(big_r, public, message) * scalar % L).to_bytes(32, "little")


def has_small_order(p: Point) -> bool:
    return encode(mul(8, p)) == encode(IDENTITY)


def torsion() -> list[Point]:
    """Returns the eight points of small order: the multiples 0..7 of a point of order 8."""
    y = 2
    while True:
        x = recover_x(y, 0)
        if x is not None:
            p = mul(L, (x, y, 1, x * y % P))
            if encode(mul(4, p)) != encode(IDENTITY):
                return [mul(i, p) for i in range(8)]
        y += 1


def holds(public: bytes, message: bytes, signature: bytes) -> bool:
    """Returns whether the signature satisfies the verification equation without the cofactor. The public key must be one that decodes."""
    a = decode(public)
    minus_a = (P - a[0], a[1], a[2], P - a[3])
    k = challenge(signature[:32], public, message)
    return encode(add(mul(int.from_bytes(signature[32:], "little"), BASE), mul(k, minus_a))) == signature[:32]


@functools.cache
def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = decode(public), decode(signature[:32])
    in_range = int.from_bytes(signature[32:], "little") < L
    if a is None or r is None or not in_range or has_small_order(a) or has_small_order(r):
        return False
    return holds(public, message, signature)
