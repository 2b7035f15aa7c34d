"""Implements FourQ in plain big integers, written only from docs/spec/vrf.md sections 1, 2 and 5.

The formulas are generic: they are correct for every point of the curve and use no endomorphism. The code is not constant time. Optimized
implementations can thus be compared with independent code. Never use it with real secrets.

Elements of GF(p^2) are pairs (u0, u1) = u0 + u1*i in [0, p). Points are extended coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, T = XY/Z.
The unified addition of Hisil, Wong, Carter and Dawson (ASIACRYPT 2008, section 3.1) is complete here: -1 is a square and d is not.
"""

P = 2**127 - 1
N = 0x29CBC14E5E0A72F05397829CBC14E5DFBD004DFE0F79992FB2540EC7768CE7
COFACTOR = 392
D = (0xE40000000000000142, 0x5E472F846657E0FCB3821488F1FC0C8D)
GX = (0x1A3472237C2FB305286592AD7B3833AA, 0x1E1F553F2878AA9C96869FB360AC77F6)
GY = (0x0E3FEE9BA120785AB924A2462BCBB287, 0x6E1C4AF8630E024249A7C344844C8B5C)

Element = tuple[int, int]
Point = tuple[Element, Element, Element, Element]

ZERO: Element = (0, 0)
ONE: Element = (1, 0)


def add(a: Element, b: Element) -> Element:
    return (a[0] + b[0]) % P, (a[1] + b[1]) % P


def sub(a: Element, b: Element) -> Element:
    return (a[0] - b[0]) % P, (a[1] - b[1]) % P


def neg(a: Element) -> Element:
    return -a[0] % P, -a[1] % P


def mul(a: Element, b: Element) -> Element:
    a0, a1 = a
    b0, b1 = b
    return (a0 * b0 - a1 * b1) % P, (a0 * b1 + a1 * b0) % P


def sqr(a: Element) -> Element:
    a0, a1 = a
    return (a0 + a1) * (a0 - a1) % P, 2 * a0 * a1 % P


def inv(a: Element) -> Element:
    """Returns the inverse of `a`; the inverse of 0 is 0, as for inv0 in RFC 9380."""
    if a == ZERO:
        return ZERO
    norm = pow(a[0] * a[0] + a[1] * a[1], -1, P)
    return a[0] * norm % P, -a[1] * norm % P


def _sqrt_fp(a: int) -> int | None:
    root = pow(a, (P + 1) // 4, P)
    return root if root * root % P == a % P else None


def sqrt(a: Element) -> Element | None:
    """Returns one of the two square roots of `a`, or None if `a` is not a square. Which of the two roots it returns is not specified."""
    a0, a1 = a
    if a1 == 0:
        root = _sqrt_fp(a0)
        # -1 is not a square in GF(p), so exactly one of a0 and -a0 is a square.
        return (root, 0) if root is not None else (0, _sqrt_fp(-a0 % P))
    # With root = r0 + r1*i: r0^2 - r1^2 = a0 and r0^2 + r1^2 = +-sqrt(norm), so r0^2 is one of two candidates.
    norm_root = _sqrt_fp((a0 * a0 + a1 * a1) % P)
    if norm_root is None:
        return None
    half = (P + 1) // 2
    r0 = _sqrt_fp((a0 + norm_root) * half % P)
    if r0 is None:
        r0 = _sqrt_fp((a0 - norm_root) * half % P)
    root = (r0, a1 * half * pow(r0, P - 2, P) % P)
    assert sqr(root) == a
    return root


def sgn0(a: Element) -> int:
    """Returns the sign sgn0 of RFC 9380 section 4.1 for m = 2."""
    return a[1] & 1 if a[0] == 0 else a[0] & 1


def from_affine(x: Element, y: Element) -> Point:
    return x, y, ONE, mul(x, y)


def to_affine(point: Point) -> tuple[Element, Element]:
    z_inv = inv(point[2])
    return mul(point[0], z_inv), mul(point[1], z_inv)


IDENTITY: Point = from_affine(ZERO, ONE)
G: Point = from_affine(GX, GY)
_TWO_D = add(D, D)


def is_on_curve(x: Element, y: Element) -> bool:
    xx, yy = sqr(x), sqr(y)
    return sub(yy, xx) == add(ONE, mul(D, mul(xx, yy)))


def point_add(p: Point, q: Point) -> Point:
    """Returns p + q. As in point_double, values are reduced only before a product. This takes half the time that a reduction
    after each operation takes."""
    (x10, x11), (y10, y11), z1, t1 = p
    (x20, x21), (y20, y21), z2, t2 = q
    a0, a1 = _mul_unreduced(y10 - x10, y11 - x11, y20 - x20, y21 - x21)
    b0, b1 = _mul_unreduced(y10 + x10, y11 + x11, y20 + x20, y21 + x21)
    c0, c1 = mul(mul(t1, _TWO_D), t2)
    d0, d1 = _mul_unreduced(2 * z1[0], 2 * z1[1], *z2)
    return _finish(b0 - a0, b1 - a1, d0 - c0, d1 - c1, d0 + c0, d1 + c1, b0 + a0, b1 + a1)


def point_double(p: Point) -> Point:
    (x0, x1), (y0, y1), (z0, z1), _ = p
    a0, a1 = (x0 + x1) * (x0 - x1), 2 * x0 * x1
    b0, b1 = (y0 + y1) * (y0 - y1), 2 * y0 * y1
    # e = (x + y)^2 - a - b = 2 x y
    e0, e1 = _mul_unreduced(2 * x0, 2 * x1, y0, y1)
    g0, g1 = b0 - a0, b1 - a1
    f0, f1 = g0 - 2 * (z0 + z1) * (z0 - z1), g1 - 4 * z0 * z1
    return _finish(e0, e1, f0, f1, g0, g1, -a0 - b0, -a1 - b1)


def _mul_unreduced(a0: int, a1: int, b0: int, b1: int) -> Element:
    return a0 * b0 - a1 * b1, a0 * b1 + a1 * b0


def _finish(e0: int, e1: int, f0: int, f1: int, g0: int, g1: int, h0: int, h1: int) -> Point:
    """Returns the point (ef, gh, fg, eh). This is the last step of an addition and of a doubling."""
    e, f, g, h = (e0 % P, e1 % P), (f0 % P, f1 % P), (g0 % P, g1 % P), (h0 % P, h1 % P)
    return mul(e, f), mul(g, h), mul(f, g), mul(e, h)


def point_neg(p: Point) -> Point:
    return neg(p[0]), p[1], p[2], neg(p[3])


def points_equal(p: Point, q: Point) -> bool:
    return mul(p[0], q[2]) == mul(q[0], p[2]) and mul(p[1], q[2]) == mul(q[1], p[2])


def is_identity(p: Point) -> bool:
    return p[0] == ZERO and p[1] == p[2]


def scalar_mul(k: int, p: Point) -> Point:
    """Returns [k]p for any k >= 0 and any point of the curve."""
    return _sum_of_multiples([(k, _multiples(p))])


def double_scalar_mul(k: int, p: Point, m: int, q: Point) -> Point:
    """Returns [k]p + [m]q."""
    return _sum_of_multiples([(k, _multiples(p)), (m, _multiples(q))])


def clear_cofactor(p: Point) -> Point:
    """Returns [COFACTOR]p."""
    return _sum_of_multiples([(COFACTOR, [IDENTITY, p])])


def _multiples(p: Point) -> list[Point]:
    """Returns [0]p to [15]p."""
    multiples = [IDENTITY, p]
    for _ in range(14):
        multiples.append(point_add(multiples[-1], p))
    return multiples


def _sum_of_multiples(terms: list[tuple[int, list[Point]]]) -> Point:
    """Returns the sum of [k]p over each (k, multiples of p). The number of multiples of a point determines the number of bits in a window
    of k."""
    width = len(terms[0][1]).bit_length() - 1
    result = IDENTITY
    longest = max(k.bit_length() for k, _ in terms)
    for shift in range((longest + width - 1) // width * width - width, -1, -width):
        for _ in range(width):
            result = point_double(result)
        for k, multiples in terms:
            digit = k >> shift & (1 << width) - 1
            if digit:
                result = point_add(result, multiples[digit])
    return result


def _base_table() -> list[list[Point]]:
    rows, start = [], G
    for _ in range(64):
        row = [IDENTITY]
        for _ in range(15):
            row.append(point_add(row[-1], start))
        rows.append(row)
        start = point_add(row[-1], start)
    return rows


_BASE = _base_table()


def base_mul(k: int) -> Point:
    """Returns [k]G for 0 <= k < 2^256."""
    result = IDENTITY
    for row in _BASE:
        if k & 15:
            result = point_add(result, row[k & 15])
        k >>= 4
    return result


def encode_element(a: Element) -> bytes:
    return a[0].to_bytes(16, "little") + a[1].to_bytes(16, "little")


def point_to_string(p: Point) -> bytes:
    x, y = to_affine(p)
    sign = (x[1] if x[0] == 0 else x[0]) >> 126
    encoded = bytearray(encode_element(y))
    encoded[31] |= sign << 7
    return bytes(encoded)


def string_to_point(encoded: bytes) -> Point | None:
    """Returns the point, or None for an invalid string. Decoding is strict, so that each point has only one string."""
    if len(encoded) != 32 or encoded[15] & 0x80:
        return None
    sign = encoded[31] >> 7
    y0 = int.from_bytes(encoded[:16], "little")
    y1 = int.from_bytes(encoded[16:], "little") & (2**127 - 1)
    if y0 >= P or y1 >= P:
        return None
    y = (y0, y1)
    yy = sqr(y)
    x = sqrt(mul(sub(yy, ONE), inv(add(mul(D, yy), ONE))))
    if x is None or (x == ZERO and sign):
        return None
    if (x[1] if x[0] == 0 else x[0]) >> 126 != sign:
        x = neg(x)
    assert is_on_curve(x, y)
    return from_affine(x, y)


# Elligator 2 (docs/spec/vrf.md section 5) maps to the curve B t^2 = s^3 + A s^2 + s as in RFC 9380 section 6.7.1, and from there to E.
_A_MINUS_D_INV = inv(sub(neg(ONE), D))
MONTGOMERY_A = mul(mul((2, 0), add(neg(ONE), D)), _A_MINUS_D_INV)
MONTGOMERY_B = mul((4, 0), _A_MINUS_D_INV)
ELLIGATOR_Z: Element = (2, 1)
_A_OVER_B = mul(MONTGOMERY_A, inv(MONTGOMERY_B))
_B_INV_SQUARED = sqr(inv(MONTGOMERY_B))


def elligator2(u: Element) -> Point:
    """Returns the point of E to which Elligator 2 maps `u`, not yet multiplied by the cofactor."""

    def g(x: Element) -> Element:
        return mul(x, add(add(sqr(x), mul(_A_OVER_B, x)), _B_INV_SQUARED))

    x = neg(mul(_A_OVER_B, inv(add(ONE, mul(ELLIGATOR_Z, sqr(u))))))
    y, want = sqrt(g(x)), 1
    if y is None:
        x = sub(neg(x), _A_OVER_B)
        y, want = sqrt(g(x)), 0
        assert y is not None
    if sgn0(y) != want:
        y = neg(y)
    s, t = mul(x, MONTGOMERY_B), mul(y, MONTGOMERY_B)
    if t == ZERO or s == neg(ONE):
        return IDENTITY
    return from_affine(mul(s, inv(t)), mul(sub(s, ONE), inv(add(s, ONE))))
