"""Tests a log that normalizes usernames to one form (docs/spec/usernames.md), with real services. For the command line, REST and the Python
reference, every spelling of a name means the same user."""

import sys
import tempfile
import time
import unittest
from contextlib import ExitStack
from pathlib import Path

from harness import ROOT, Deployment, Run
from lying import LyingProxy
from rest import Answer, b64

sys.path.insert(0, str(ROOT / "tests/reference"))

from codec_users import CURRENT
from live_users import user_queries
from refused import Refused
from usernames import prepare
from users import Asked, UserResult, verify_users
from verify import TrustAnchor, Verifier

REFUSED, USAGE = 3, 2
# In this spelling, the first letter is a fullwidth character.
WIDE = "ＡLICE"
BINARY, QUERY = "application/vnd.optiks.user-lookup", "application/vnd.optiks.user-query"
# For each kind of fault, a name that has no form. U+0378 is not assigned; U+10D40 is assigned only since Unicode 16.
FORMLESS = [("character", "bo b".encode()), ("character", "bob\u0378".encode()), ("character", "bob\U00010d40".encode()), ("utf8", b"bob\xff"),
            ("context", "a\u00b7b".encode()), ("direction", "bob\u05d0".encode()), ("length", b"b" * 256)]
SENTENCES = {"character": "has a character that no username may have", "utf8": "is not UTF-8", "context": "may not stand where it does", "direction": "mixes characters", "length": "is empty or too long"}


class UsernameFormTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment({"Optiks__Log__UsernameForm": "CaseMapped"}))
        cls.folders = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.anchor = TrustAnchor.parse((cls.log.data / "trust.json").read_text())
        with LyingProxy(cls.log.update.url) as watched:
            cls.created = cls.log.optiks_at([cls.log.query.url], watched.url, "user", "create", "Alice", "--device", "phone=the phone's key", "--wait", "--json")
            cls.sent = watched.asked

    def stranger(self, client: str, *arguments: str, url: str | None = None) -> Run:
        """Runs the command line as the client with this name, which has its own state."""
        kept = ("--data", str(self.folders / client), "--trust", str(self.log.data / "trust.json"), "--json")
        return self.log.optiks_at([url or self.log.query.url], self.log.update.url, *arguments, *kept)

    def post(self, body: bytes) -> bytes:
        with self.log.query_client() as client:
            answer = client.request("POST", "/v1/users/lookup", body, QUERY, BINARY)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.body

    def judge(self, answer: bytes, name: bytes) -> UserResult:
        return verify_users(Verifier(self.anchor, time.time_ns() // 1_000_000), answer, [Asked(name)])[0]

    def test_both_sides_of_the_command_line_mean_one_user(self):
        created, = self.created.lines()
        self.assertEqual((self.created.code, created["verdict"], created["confirmed"]), (0, "accepted", True), str(self.created))
        for client, name in (("one", "Alice"), ("one", WIDE), ("another", WIDE), ("another", "alice")):
            with self.subTest(client=client, name=name):
                run = self.stranger(client, "user", "lookup", name)
                found, = run.lines()
                self.assertEqual((run.code, found["verdict"], found["user_b64"]), (0, "present", created["user_b64"]), str(run))
        # The client keeps its knowledge of the user under the name's normalized form.
        self.assertTrue(found["devices"][0]["unchanged"], str(run))
        taken = self.log.optiks("user", "create", WIDE, "--wait", "--json")
        self.assertEqual((taken.code, taken.lines()[0]["reason"]), (REFUSED, "username-taken"), str(taken))

    def test_the_client_makes_the_form_before_it_asks(self):
        bodies = [body for path, body in self.sent if path == "/v1/users"]
        self.assertEqual([b"alice" in body or b64(b"alice").encode() in body for body in bodies], [True], bodies)
        self.assertNotIn(b"Alice", bodies[0])
        self.assertNotIn(b64(b"Alice").encode(), bodies[0])
        with LyingProxy(self.log.query.url) as watched:
            self.assertEqual(self.stranger("watched", "user", "lookup", WIDE, url=watched.url).code, 0)
            asked = [body for path, body in watched.asked if path.startswith("/v1/users/lookup")]
            self.assertEqual(asked, [user_queries([Asked(b"alice")])])
            # The client does not send a name that has no form.
            before = len(watched.asked)
            run = self.stranger("watched", "user", "lookup", "bob\u0378", url=watched.url)
            self.assertEqual((run.code, watched.asked[before:]), (USAGE, []), str(run))
            self.assertIn(SENTENCES["character"], run.error)

    def test_the_reference_verifies_what_is_answered_to_a_name_without_its_form(self):
        fault, form = prepare(WIDE.encode())
        self.assertEqual((fault, form), ("valid", b"alice"))
        for name in (form, WIDE.encode()):
            answer = self.post(user_queries([Asked(name)]))
            result = self.judge(answer, form)
            self.assertEqual((result.kind, b64(result.user)), (CURRENT, self.created.lines()[0]["user_b64"]))
            # The answer is about the name's form, so it is invalid as an answer about another spelling.
            with self.assertRaises(Refused) as refused:
                self.judge(answer, WIDE.encode())
            self.assertEqual(refused.exception.reason, "vrf_challenge")
        with self.log.query_client() as client:
            shown = client.post_json("/v1/users/lookup", {"username": WIDE}).json()
        self.assertEqual(shown["users"][0]["kind"], CURRENT)

    def test_services_refuse_a_name_without_a_form(self):
        before = self.log.facts()
        device = {"device": "watch", "value": "x"}
        with ExitStack() as stack:
            query, update = stack.enter_context(self.log.query_client()), stack.enter_context(self.log.update_client())
            for fault, name in FORMLESS:
                self.assertEqual(prepare(name)[0], fault)
                user = self.created.lines()[0]["user_b64"]
                for client, path, document, field in (
                        (query, "/v1/users/lookup", [{"username": "alice"}, {"username_b64": b64(name)}], "$[1].username_b64"),
                        (query, "/v1/users/monitor", {"user_b64": user, "usernames_b64": [b64(name)]}, "$.usernames_b64[0]"),
                        (update, "/v1/users", {"user": "bob", "changes": [{"op": "create", "usernames_b64": [b64(b"bob"), b64(name)], "devices": [device]}]}, "$.changes[0].usernames_b64[1]"),
                        (update, "/v1/users", {"user_b64": user, "changes": [{"op": "add-username", "username_b64": b64(name)}]}, "$.changes[0].username_b64")):
                    with self.subTest(fault, name=name, path=path):
                        self.refused(client.post_json(path, document), field, SENTENCES[fault])
            body = user_queries([Asked(FORMLESS[1][1])])
            self.refused(query.request("POST", "/v1/users/lookup", body, QUERY, BINARY), "$[0].username", SENTENCES["character"])
            # Two spellings of the same name count as one name given twice.
            twice = update.post_json("/v1/users", {"user": "bob", "changes": [{"op": "create", "usernames": ["bob", "BOB"], "devices": [device]}]})
            self.assertEqual((twice.status, twice.json()["type"]), (400, "urn:optiks:problem:duplicate-key"), twice.body)
        self.assertEqual(self.log.facts(), before)
        self.assertEqual(self.stranger("one", "user", "lookup", "bob").lines()[0]["verdict"], "absent")

    def refused(self, answer: Answer, field: str, words: str) -> None:
        self.assertEqual(answer.status, 400, answer.body)
        said = answer.json()
        self.assertEqual((said["type"], said["field"]), ("urn:optiks:problem:username-form", field), said)
        self.assertIn(words, said["detail"])


if __name__ == "__main__":
    unittest.main()
