"""Tests the reference VRF with the negative tests 1 to 15 of the verifier. For each refused proof, the verifier must accept a similar valid
proof."""

import random
import unittest

import ecvrf
import fourq
from facts import VRF_PROOF_LEN


class EcvrfTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.key = ecvrf.SecretKey.from_uniform(random.Random(3).randbytes(64))
        cls.alpha = b"\x01\x00\x05alice" + bytes(8)
        cls.label, cls.proof = ecvrf.prove(cls.key, cls.alpha)

    def verify(self, proof: bytes, alpha: bytes | None = None) -> str:
        return ecvrf.verify(self.key.public, self.alpha if alpha is None else alpha, proof)[0]

    def test_round_trip_and_determinism(self):
        self.assertEqual(ecvrf.verify(self.key.public, self.alpha, self.proof), ("valid", self.label))
        self.assertEqual(ecvrf.prove(self.key, self.alpha), (self.label, self.proof))
        self.assertEqual(ecvrf.evaluate(self.key, self.alpha), self.label)

    def test_every_flipped_bit_is_refused(self):
        self.assertEqual(self.verify(self.proof), "valid")
        for bit in range(0, VRF_PROOF_LEN * 8, 3):
            changed = bytearray(self.proof)
            changed[bit // 8] ^= 1 << bit % 8
            self.assertNotEqual(self.verify(bytes(changed)), "valid", bit)

    def test_framing_and_version_are_bound(self):
        for alpha in (b"", self.alpha[:-1], self.alpha + b"\0", self.alpha[:-1] + b"\1", b"\2" + self.alpha[1:]):
            self.assertEqual(self.verify(self.proof, alpha), "vrf_challenge")

    def test_secret_keys(self):
        for x in (1, fourq.N - 1):
            self.assertEqual(ecvrf.SecretKey(x.to_bytes(32, "little")).x, x)
        for x in (0, fourq.N, fourq.N + 1, 2**256 - 1):
            with self.assertRaises(ValueError):
                ecvrf.SecretKey(x.to_bytes(32, "little"))

    def test_suite_strings(self):
        # docs/spec/vrf.md states both lengths. 0x39 in DST_prime is the length of DST.
        self.assertEqual((len(ecvrf.SUITE), len(ecvrf.DST)), (21, 0x39))


if __name__ == "__main__":
    unittest.main()
