"""Makes known answers for the VRF: tests/vectors/vrf/. The output is deterministic. Run this module through make_vectors.py."""

import random

import ecvrf
import fourq

_SEED = 20240814


_ORDERS = (1, 2, 4, 7, 8, 14, 28, 56)


def _small_order_points() -> dict[int, list[fourq.Point]]:
    """Returns, for every order that divides the cofactor and occurs on the curve, two points of this order, or one point if there is only
    one."""
    rng = random.Random(7)
    by_order: dict[int, list[fourq.Point]] = {order: [] for order in _ORDERS}
    while any(len(points) < (1 if order <= 2 else 2) for order, points in by_order.items()):
        p = fourq.elligator2((rng.randrange(fourq.P), rng.randrange(fourq.P)))
        torsion = fourq.scalar_mul(fourq.N, p)
        for multiplier in (1, 2, 4, 7, 8, 14, 28, 56):
            p = fourq.scalar_mul(multiplier, torsion)
            order = next(n for n in _ORDERS if fourq.is_identity(fourq.scalar_mul(n, p)))
            known = by_order[order]
            if len(known) < 2 and not any(fourq.points_equal(p, other) for other in known):
                known.append(p)
    return by_order


def _keys(rng: random.Random) -> list[ecvrf.SecretKey]:
    edges = [1, 2, fourq.N - 1]
    return [ecvrf.SecretKey(k.to_bytes(32, "little")) for k in edges] + [
        ecvrf.SecretKey.from_uniform(rng.randbytes(64)) for _ in range(5)
    ]


def valid_rows() -> list[dict]:
    rng = random.Random(_SEED)
    keys = _keys(rng)
    lengths = [0, 1, 2, 11, 12, 63, 64, 95, 96, 97, 127, 128, 129, 223, 255, 256, 299, 300]
    rows = []
    for i in range(64):
        key = keys[i % len(keys)]
        alpha = rng.randbytes(lengths[i] if i < len(lengths) else rng.randrange(301))
        u = ecvrf.hash_to_field(key.public.encoded, alpha)
        h = ecvrf.encode_to_curve(key.public.encoded, alpha)
        label, proof = ecvrf.prove(key, alpha)
        assert ecvrf.verify(key.public, alpha, proof) == ("valid", label)
        rows.append(
            {
                "sk": key.encoded.hex(),
                "pk": key.public.encoded.hex(),
                "alpha": alpha.hex(),
                "u": fourq.encode_element(u).hex(),
                "h": fourq.point_to_string(h).hex(),
                "gamma": proof[:32].hex(),
                "label": label.hex(),
                "beta": ecvrf.beta_of(fourq.string_to_point(proof[:32])).hex(),
                "proof": proof.hex(),
            }
        )
    return rows


def _point_with(component: int) -> bytes:
    """Returns a canonical encoding whose y0 (component 0) or y1 (component 1) is 0. If p is put in the place of this 0, the result is a
    second encoding of the same point."""
    for other in range(1, 1000):
        y = [other, other]
        y[component] = 0
        encoded = fourq.encode_element((y[0], y[1]))
        if fourq.string_to_point(encoded) is not None:
            return encoded
    raise AssertionError


def noncanonical_points() -> list[tuple[str, bytes]]:
    spelled_p = fourq.P.to_bytes(16, "little")
    y0, y1 = _point_with(0), _point_with(1)
    on_curve = fourq.point_to_string(fourq.base_mul(5))
    # The points with x = 0 are (0, 1) and (0, -1).
    minus_one = fourq.encode_element((fourq.P - 1, 0))
    off = next(
        e for e in (fourq.encode_element((n, 3)) for n in range(1, 100)) if fourq.string_to_point(e) is None
    )
    return [
        ("y0_is_p", spelled_p + y0[16:]),
        ("y1_is_p", y1[:16] + spelled_p),
        ("y1_is_p_sign_1", y1[:16] + spelled_p[:15] + b"\xff"),
        ("y0_all_ones", b"\xff" * 16 + on_curve[16:]),
        ("bit_127_set", on_curve[:15] + bytes([on_curve[15] | 0x80]) + on_curve[16:]),
        ("sign_1_with_x_0_identity", fourq.encode_element(fourq.ONE)[:31] + b"\x80"),
        ("sign_1_with_x_0_order_2", minus_one[:31] + b"\x80"),
        ("off_curve", off),
        ("all_ones", b"\xff" * 32),
    ]


def invalid_rows() -> list[dict]:
    rng = random.Random(_SEED + 1)
    key = ecvrf.SecretKey.from_uniform(rng.randbytes(64))
    other = ecvrf.SecretKey.from_uniform(rng.randbytes(64))
    alpha = b"\x03\x00\x05alice\x00\x00\x00\x00\x00\x00\x00\x01"
    label, proof = ecvrf.prove(key, alpha)
    rows: list[dict] = []

    def row(kind: str, reason: str, changed: bytes, *, pk: bytes = key.public.encoded, a: bytes = alpha) -> None:
        found, found_label = ecvrf.verify(ecvrf.PublicKey(pk), a, changed)
        assert found == reason, (kind, found)
        rows.append({"kind": kind, "pk": pk.hex(), "alpha": a.hex(), "proof": changed.hex(), "reason": reason})
        if found_label is not None:
            rows[-1]["label"] = found_label.hex()

    def with_s(s: int) -> bytes:
        return proof[:48] + s.to_bytes(31, "little")

    row("control", "valid", proof)
    assert rows[0]["label"] == label.hex()
    s = int.from_bytes(proof[48:], "little")
    row("s_plus_n", "vrf_scalar_range", with_s(s + fourq.N))
    row("s_is_n", "vrf_scalar_range", with_s(fourq.N))
    row("s_all_ones", "vrf_scalar_range", with_s(2**248 - 1))
    row("s_is_n_minus_1", "vrf_challenge", with_s(fourq.N - 1))
    row("s_is_0", "vrf_challenge", with_s(0))
    row("s_plus_1", "vrf_challenge", with_s((s + 1) % fourq.N))
    for byte in (32, 47):
        row(f"c_byte_{byte - 32}", "vrf_challenge", proof[:byte] + bytes([proof[byte] ^ 1]) + proof[byte + 1 :])
    for name, encoded in noncanonical_points():
        row(f"gamma_{name}", "vrf_gamma_malformed", encoded + proof[32:])
    # A decoder that masks bit 127 would take this proof's Gamma for the honest Gamma and accept the proof.
    row("gamma_honest_with_bit_127", "vrf_gamma_malformed", proof[:15] + bytes([proof[15] | 0x80]) + proof[16:])
    row("gamma_negated", "vrf_challenge", proof[:31] + bytes([proof[31] ^ 0x80]) + proof[32:])
    row("gamma_malformed_before_s_range", "vrf_gamma_malformed", b"\xff" * 32 + with_s(fourq.N)[32:])
    row("s_range_before_small_order", "vrf_scalar_range", fourq.point_to_string(fourq.IDENTITY) + with_s(fourq.N)[32:])
    row("alpha_changed", "vrf_challenge", proof, a=alpha[:-1] + b"\x02")
    row("alpha_extended", "vrf_challenge", proof, a=alpha + b"\x00")
    row("alpha_empty", "vrf_challenge", proof, a=b"")
    row("other_key", "vrf_challenge", proof, pk=other.public.encoded)

    h = ecvrf.encode_to_curve(key.public.encoded, alpha)
    gamma = fourq.scalar_mul(key.x, h)
    for order, points in _small_order_points().items():
        for torsion in points:
            encoded = fourq.point_to_string(torsion)
            row(f"gamma_of_order_{order}", "vrf_gamma_small_order", encoded + proof[32:])
            if order == 1:
                continue
            # A prover that knows x can pass the challenge with Gamma + T when c is a multiple of T's order. The label must then be the
            # label of the honest proof. For any other c an exact verifier refuses.
            shifted = fourq.point_add(gamma, torsion)
            row(f"gamma_plus_order_{order}_pasted", "vrf_challenge", fourq.point_to_string(shifted) + proof[32:])
            seen = set()
            for k in range(1000, 5000):
                made = ecvrf.prove_with(key, h, shifted, k)
                divisible = int.from_bytes(made[32:48], "little") % order == 0
                if divisible not in seen:
                    seen.add(divisible)
                    reason = "valid" if divisible else "vrf_challenge"
                    row(f"gamma_plus_order_{order}_c_{'' if divisible else 'not_'}a_multiple", reason, made)
                    assert not divisible or rows[-1]["label"] == label.hex()
                if len(seen) == 2:
                    break
    return rows


def public_key_rows() -> list[dict]:
    rng = random.Random(_SEED + 2)
    good = ecvrf.SecretKey.from_uniform(rng.randbytes(64)).public
    rows = [{"kind": "control", "pk": good.encoded.hex(), "reason": "valid"}]
    candidates = [(f"key_{name}", encoded) for name, encoded in noncanonical_points()]
    candidates.append(("honest_key_with_bit_127", good.encoded[:15] + bytes([good.encoded[15] | 0x80]) + good.encoded[16:]))
    for order, points in _small_order_points().items():
        for torsion in points:
            candidates.append((f"key_of_order_{order}", fourq.point_to_string(torsion)))
            if order > 1:
                mixed = fourq.point_add(good.point, torsion)
                candidates.append((f"key_plus_order_{order}", fourq.point_to_string(mixed)))
    for kind, encoded in candidates:
        try:
            ecvrf.PublicKey(encoded)
        except ValueError as error:
            assert str(error) == "vrf_key_invalid"
        else:
            raise AssertionError(kind)
        rows.append({"kind": kind, "pk": encoded.hex(), "reason": "vrf_key_invalid"})
    return rows


def elligator_rows() -> list[dict]:
    rng = random.Random(_SEED + 3)
    p = fourq.P
    inputs = [(0, 0), (1, 0), (p - 1, 0), (0, 1), (0, p - 1), (1, 1), (p - 1, p - 1), (2, 1)]
    inputs += [(rng.randrange(p), rng.randrange(p)) for _ in range(56)]
    rows = []
    for u in inputs:
        x, y = fourq.to_affine(fourq.elligator2(u))
        fields = (("u", u), ("x", x), ("y", y))
        rows.append({name: fourq.encode_element(value).hex() for name, value in fields})
    return rows


def files() -> dict[str, dict]:
    return {
        "vrf/ecvrf.json": {
            "note": "hex, encoded as in docs/spec/vrf.md; u is the input of Elligator 2, h its output times 392",
            "vectors": valid_rows(),
        },
        "vrf/ecvrf_invalid.json": {
            "note": "verify(pk, alpha, proof) gives reason, and label when valid; public_keys: validate_key(pk) gives reason",
            "vectors": invalid_rows(),
            "public_keys": public_key_rows(),
        },
        "vrf/elligator.json": {
            "note": "u -> point (x, y) of E before the multiplication by 392; GF(p^2) elements of 32 octets",
            "vectors": elligator_rows(),
        },
    }
