"""Ed25519 of RFC 8032 section 5.1 in plain integers, for the checkpoint's signature. Not constant time: test keys only."""

from hashlib import sha512

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
_SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)

Point = tuple[int, int, int, int]
IDENTITY: Point = (0, 1, 1, 0)


def _recover_x(y: int, sign: int) -> int | None:
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if x * x % P != xx:
        x = x * _SQRT_MINUS_1 % P
    if x * x % P != xx or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def _add(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _mul(k: int, p: Point) -> Point:
    result = IDENTITY
    while k:
        if k & 1:
            result = _add(result, p)
        p = _add(p, p)
        k >>= 1
    return result


def _encode(p: Point) -> bytes:
    z_inv = pow(p[2], P - 2, P)
    x, y = p[0] * z_inv % P, p[1] * z_inv % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(encoded: bytes) -> Point | None:
    number = int.from_bytes(encoded, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    x = _recover_x(y, sign) if y < P else None
    return None if x is None else (x, y, 1, x * y % P)


_BASE_Y = 4 * pow(5, P - 2, P) % P
BASE: Point = (_recover_x(_BASE_Y, 0), _BASE_Y, 1, _recover_x(_BASE_Y, 0) * _BASE_Y % P)


def _hash(*parts: bytes) -> int:
    return int.from_bytes(sha512(b"".join(parts)).digest(), "little") % L


def _expand(seed: bytes) -> tuple[int, bytes]:
    digest = sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, digest[32:]


def public_key(seed: bytes) -> bytes:
    return _encode(_mul(_expand(seed)[0], BASE))


def sign(seed: bytes, message: bytes) -> bytes:
    scalar, prefix = _expand(seed)
    public = _encode(_mul(scalar, BASE))
    r = _hash(prefix, message)
    big_r = _encode(_mul(r, BASE))
    s = (r + _hash(big_r, public, message) * scalar) % L
    return big_r + s.to_bytes(32, "little")


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64:
        return False
    a = _decode(public)
    s = int.from_bytes(signature[32:], "little")
    if a is None or s >= L:
        return False
    minus_a = (P - a[0], a[1], 1, P - a[3])
    k = _hash(signature[:32], public, message)
    return _encode(_add(_mul(s, BASE), _mul(k, minus_a))) == signature[:32]
