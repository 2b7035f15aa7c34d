"""Compares the reference curve with the known answers of tests/vectors/fourq, on which two other implementations agree."""

import json
import random
import unittest
from pathlib import Path

import fourq

FOURQ = Path(__file__).resolve().parent.parent / "vectors" / "fourq"


def rows(name: str, expected: int) -> list:
    found = json.loads((FOURQ / name).read_text())
    assert len(found) == expected, (name, len(found))
    return found


def scalar(text: str) -> int:
    return int.from_bytes(bytes.fromhex(text), "little")


def point(text: str) -> fourq.Point:
    decoded = fourq.string_to_point(bytes.fromhex(text))
    assert decoded is not None, text
    return decoded


def encoded(p: fourq.Point) -> str:
    return fourq.point_to_string(p).hex()


class FourQTest(unittest.TestCase):
    def test_fixed_base(self):
        for row in rows("fourq_fixed_base.json", 210):
            self.assertEqual(encoded(fourq.base_mul(scalar(row["k"]))), row["kG"], row["kind"])

    def test_variable_base(self):
        for row in rows("fourq_var_base.json", 130):
            self.assertEqual(encoded(fourq.scalar_mul(scalar(row["k"]), point(row["P"]))), row["kP"], row["kind"])

    def test_double_scalar(self):
        for row in rows("fourq_double_scalar.json", 50):
            total = fourq.point_add(fourq.base_mul(scalar(row["k"])), fourq.scalar_mul(scalar(row["l"]), point(row["Q"])))
            self.assertEqual(encoded(total), row["kG_plus_lQ"])

    def test_cofactor(self):
        for row in rows("fourq_cofactor_clear.json", 100):
            cleared = fourq.scalar_mul(392, point(row["P"]))
            self.assertEqual(encoded(cleared), row["P392"])
            self.assertEqual(encoded(fourq.scalar_mul(scalar(row["k"]), cleared)), row["k392P"])

    def test_scalars(self):
        for row in rows("fourq_scalar_field.json", 50):
            k, b = scalar(row["k"]), scalar(row["b"])
            for field, value in (("k_mod_r", k), ("mul", k * b), ("add", k + b), ("sub", k - b)):
                self.assertEqual((value % fourq.N).to_bytes(32, "little").hex(), row[field], field)

    def test_decode_ok(self):
        for row in rows("fourq_decode_ok.json", 50):
            x, y = fourq.to_affine(point(row["in"]))
            self.assertEqual(fourq.encode_element(x).hex(), row["x"])
            self.assertEqual(fourq.encode_element(y).hex(), row["y"])
            self.assertEqual(encoded(fourq.from_affine(x, y)), row["reencoded"])

    def test_decode_fail(self):
        for text in rows("fourq_decode_fail.json", 50):
            self.assertIsNone(fourq.string_to_point(bytes.fromhex(text)), text)

    def test_decode_noncanonical(self):
        verdicts = set()
        for row in rows("fourq_decode_noncanonical.json", 42):
            accepted = fourq.string_to_point(bytes.fromhex(row["in"])) is not None
            self.assertEqual(accepted, row["strict_decoder_accepts"], row)
            verdicts.add(accepted)
        self.assertEqual(verdicts, {False, True})

    def test_small_order(self):
        for row in rows("fourq_small_order.json", 392):
            p = point(row["point"])
            self.assertTrue(fourq.is_identity(fourq.scalar_mul(row["order"], p)))
            for prime in (2, 7):
                if row["order"] % prime == 0:
                    self.assertFalse(fourq.is_identity(fourq.scalar_mul(row["order"] // prime, p)))

    def test_mixed_order(self):
        for row in rows("fourq_mixed_order.json", 20):
            total = fourq.point_add(point(row["subgroup_point"]), point(row["torsion_point"]))
            self.assertEqual(encoded(total), row["sum"])
            self.assertEqual(encoded(fourq.scalar_mul(392, total)), row["392_times_sum"])

    def test_roots(self):
        rng = random.Random(1)
        squares = 0
        cases = [(0, 0), (1, 0), (fourq.P - 1, 0), (0, 1), (0, fourq.P - 1), (3, 0), (0, 3)]
        cases += [(rng.randrange(fourq.P), rng.randrange(fourq.P)) for _ in range(100)]
        for a in cases:
            root = fourq.sqrt(a)
            squares += root is not None
            if root is not None:
                self.assertEqual(fourq.sqr(root), a)
            # Exactly one of a and Z*a is a square when a is not 0, because Z is not a square.
            other = fourq.sqrt(fourq.mul(fourq.ELLIGATOR_Z, a))
            self.assertEqual(a == (0, 0), (root is None) == (other is None))
        self.assertGreater(squares, 30)
        self.assertLess(squares, 90)

    def test_elligator(self):
        rng = random.Random(2)
        for u in [(0, 0), (1, 0), (0, 1)] + [(rng.randrange(fourq.P), rng.randrange(fourq.P)) for _ in range(50)]:
            p = fourq.elligator2(u)
            x, y = fourq.to_affine(p)
            self.assertTrue(fourq.is_on_curve(x, y))
            self.assertTrue(fourq.points_equal(p, fourq.elligator2(fourq.neg(u))))
            self.assertTrue(fourq.is_identity(fourq.scalar_mul(fourq.N * 392, p)))


if __name__ == "__main__":
    unittest.main()
