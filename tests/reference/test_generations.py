"""Tests the verifier of answers about reassigned usernames (docs/spec/recycled-names.md): the encoding of answers, and that each rule is
needed."""

import unittest
from dataclasses import replace

import facts
import model_users
from codec import Reader, decode_whole
from codec_users import CURRENT, Generations, UserLookup, UserLookupAnswer
from refused import Refused
from users import Asked, Kept, verify_users
from vectors_generations import NUMBER, check_true, honest_directory, liar
from vectors_users_lies import Liar
from verify import Verifier


def verdict(d: Liar, answer: bytes, kept: Kept = Kept()):
    """Returns a verifier's result for an answer about NUMBER, or the reason of the refusal."""
    try:
        return verify_users(Verifier(d.anchor, d.now_ms), answer, [Asked(NUMBER, kept=kept)])[0]
    except Refused as refused:
        return refused.reason


class EncodingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.d = honest_directory()
        cls.answer = cls.d.user_lookup([Asked(NUMBER)])
        cls.whole = cls.answer.encode()

    def test_round_trips(self):
        self.assertEqual(decode_whole(UserLookupAnswer.decode, self.whole), self.answer)
        user = self.answer.users[0]
        for kind, value in ((UserLookup, user), (Generations, user.generations)):
            self.assertEqual(decode_whole(kind.decode, value.encode()), value)
            with self.assertRaisesRegex(Refused, "malformed_trailing"):
                decode_whole(kind.decode, value.encode() + b"\0")

    def test_every_truncation_is_refused(self):
        for size in range(0, len(self.whole), 5):
            with self.assertRaisesRegex(Refused, "malformed_truncated"):
                UserLookupAnswer.decode(Reader(self.whole[:size]))

    def test_flipped_octets_are_refused(self):
        self.assertEqual(verdict(self.d, self.whole).kind, CURRENT)
        for i in range(0, len(self.whole), 11):
            changed = self.whole[:i] + bytes([self.whole[i] ^ 1]) + self.whole[i + 1 :]
            self.assertIsInstance(verdict(self.d, changed), str, i)


class RulesTest(unittest.TestCase):
    """Shows the effect that each lie would have if the rule against it were left out."""

    def refused_by(self, rule: str, d: Liar, answer: UserLookupAnswer, kept: Kept = Kept()):
        self.assertEqual(verdict(d, answer.encode(), kept), rule)
        with model_users.without(rule):
            return verdict(d, answer.encode(), kept)

    def test_generation_order(self):
        """The next user gets the name while the first user has it."""
        d = liar(epochs=4)
        d.put(facts.USERNAMES, NUMBER, b"id-next", 3)
        shown = self.refused_by("generation_order", d, d.user_lookup([Asked(NUMBER)]))
        self.assertEqual((shown.user, shown.earlier[0].left), (b"id-next", 4))

    def test_generation_left(self):
        """Another user gets the name of a user who is not shown to have left."""
        d = liar()
        d.put(facts.USERNAMES, NUMBER, b"id-next")
        answer = d.user_lookup([Asked(NUMBER)])
        user = answer.users[0]
        without = replace(answer, users=[replace(user, generations=replace(user.generations, left=[]))])
        shown = self.refused_by("generation_left", d, without)
        self.assertEqual((shown.user, shown.earlier), (b"id-next", []))

    def test_an_honest_answer_passes(self):
        d = honest_directory()
        result = verdict(d, d.user_lookup([Asked(NUMBER)]).encode())
        check_true(d, Asked(NUMBER), result)
        self.assertEqual([one.user for one in result.earlier], [b"id-first", b"id-second"])


if __name__ == "__main__":
    unittest.main()
