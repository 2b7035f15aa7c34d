"""Tests the rights that a token gives its caller (docs/spec/tokens.md). The command line makes some of the tokens; the test makes the
others with the reference's Ed25519."""

import base64
import hashlib
import hmac
import json
import subprocess
import time
import unittest
from pathlib import Path

from harness import Deployment, Run
from rest import Answer, Client, b64, uuid7
from tokens import AUDIENCE, Signer, claims, signing_input, write_keys

UNREACHABLE_OR_REFUSED = 3


class TokenTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.signer = Signer("signer-1")
        cls.log = cls.enterClassContext(Deployment(before_start=cls.signer.trust))
        cls.keys_file = Path(cls.log.environment["Optiks__Tokens__KeysFile"])
        cls.log.publish(("alice", "alice's old key"), ("bob", "bob's secret past"))
        cls.log.publish(("alice", "alice's key"), ("bob", "bob's key"))

    def write_keys(self, *jwks: dict) -> None:
        write_keys(self.keys_file, *jwks)

    def setUp(self):
        # Once this update is published, all updates of earlier tests are published as well.
        self.log.publish(("marker", self.id()))
        # The test waits until the services have loaded the token keys that earlier tests wrote.
        token = self.signer.token(claims(["alice"]))
        self.until(lambda: self.ask(token, "/v1/history", {"key": "alice"}).status == 200 and self.ask(token, "/v1/updates", {}).status == 400)

    def private(self, name: str, text: str) -> Path:
        path = self.log.logs / name
        path.write_text(text)
        path.chmod(0o600)
        return path

    def optiks(self, *arguments) -> Run:
        return self.log.optiks(*map(str, arguments))

    def view(self) -> list:
        """Returns the answers that a backend gets about both keys, and the database's rows about updates."""
        with self.log.query_client() as client:
            answer = client.post_json("/v1/history", [{"key": "alice"}, {"key": "bob"}]).json()
        return [[[member["value_b64"] for member in key["members"]] for key in answer["versions"]], self.log.facts()]

    def ask(self, token: str, path: str, body) -> Answer:
        service = self.log.update if path in ("/v1/updates", "/v1/users", "/v1/erasures") else self.log.query
        with Client(service.url, token) as client:
            return client.post_json(path, body)

    def change(self, token: str, user: str, *changes: dict) -> tuple:
        """Sends a change of a user. If the service refuses the request, returns the HTTP status and the field that the problem names.
        Otherwise waits for the outcome, and returns its status with the reason of a refusal or with the changed items."""
        answer = self.ask(token, "/v1/users", {"user": user, "changes": changes})
        if answer.status != 202:
            return answer.status, answer.json()["field"]
        with Client(self.log.update.url, token) as client:
            told = client.get(f"{answer.json()['status_url']}?wait=60").json()
        return told["status"], told.get("reason") or [(item["item"], item["structure"], item["version"]) for item in told["items"]]

    def test_command_line_from_key_to_history(self):
        key_file = self.private("signer.pem", self.signer.pem())
        # The services accept the key set that the command prints, together with an entry for the same key under another id.
        printed = self.optiks("token", "jwks", "--key-file", key_file)
        self.assertEqual(printed.code, 0, printed)
        self.write_keys(self.signer.jwk, *json.loads(printed.out)["keys"])
        token_file = self.log.logs / "alice.token"
        made = self.optiks("token", "create", "alice", "--key-file", key_file, "--audience", AUDIENCE, "--scope", "update,history", "--out", token_file)
        self.assertEqual((made.code, made.out), (0, ""), made)
        # The new key is accepted within a second.
        deadline = time.monotonic() + 30
        while (looked := self.optiks("history", "alice", "--token-file", token_file)).code != 0 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertIn("alice's old key", looked.out, looked)
        updated = self.optiks("update", "alice", "alice's newest key", "--wait", "--token-file", token_file, "--json")
        self.assertEqual((updated.code, updated.lines()[0]["confirmed"]), (0, True), updated)
        self.assertIn("alice's newest key", self.optiks("lookup", "alice", "--token-file", token_file).out)
        monitored = self.optiks("monitor", "alice", "--token-file", token_file)
        self.assertIn(monitored.code, (0, 1), monitored)
        before = self.view()
        for command in (("history", "bob"), ("update", "bob", "evil", "--wait"), ("monitor", "bob")):
            with self.subTest(command):
                refused = self.optiks(*command, "--token-file", token_file, "--json")
                self.assertEqual(refused.code, UNREACHABLE_OR_REFUSED, refused)
                self.assertEqual(refused.lines()[-1]["reason"], "forbidden", refused)
                self.assertNotIn("past", refused.out + refused.error)
        self.assertEqual(before, self.view())
        token = token_file.read_text().strip()
        for process in self.log.processes:
            self.assertNotIn(token, process.log())
            self.assertNotIn(token.split(".")[2], process.log())

    def test_es256_through_the_command_line(self):
        """Tests a P-256 key, which the services accept in addition to the Ed25519 key."""
        made = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], capture_output=True, text=True, check=True)
        key_file = self.private("p256.pem", made.stdout)
        printed = self.optiks("token", "jwks", "--key-file", key_file)
        self.assertEqual(printed.code, 0, printed)
        key, = json.loads(printed.out)["keys"]
        self.assertEqual((key["kty"], key["crv"], "d" in key), ("EC", "P-256", False), printed)
        self.write_keys(self.signer.jwk, key)
        self.addCleanup(self.write_keys, self.signer.jwk)
        created = self.optiks("token", "create", "alice", "--key-file", key_file, "--audience", AUDIENCE, "--scope", "update,history")
        self.assertEqual(created.code, 0, created)
        token = created.out.strip()
        header, payload, signature = token.split(".")
        self.assertEqual(json.loads(unb64(header)), {"alg": "ES256", "kid": key["kid"], "typ": "JWT"})
        for service in ("/v1/history", "/v1/updates"):
            self.until(lambda service=service: self.ask(token, service, {}).status == 400)
        before = self.view()
        refused = {
            # Each of these tokens has a fault: only half of the signature, claims that were not signed, the name of the other algorithm, or
            # the id of the other key.
            "token-signature": [f"{header}.{payload}.{b64(unb64(signature)[:32] + bytes(32))}", f"{header}.{b64(json.dumps(claims(['alice', 'bob'])).encode())}.{signature}"],
            "token-algorithm": [f"{b64(json.dumps({'alg': 'EdDSA', 'kid': key['kid']}).encode())}.{payload}.{signature}",
                                f"{b64(json.dumps({'alg': 'ES256', 'kid': 'signer-1'}).encode())}.{payload}.{signature}",
                                self.signer.token(claims(["alice"]), kid=key["kid"])],
        }
        for reason, tokens in refused.items():
            for number, wrong in enumerate(tokens):
                for path, body in (("/v1/history", {"key": "alice"}), ("/v1/updates", {"key": "alice", "value": "evil"})):
                    with self.subTest(reason, number=number, path=path):
                        answer = self.ask(wrong, path, body)
                        self.assertEqual((answer.status, answer.json()["reason"]), (401, reason), answer.body)
        for path, body in (("/v1/history", {"key": "bob"}), ("/v1/updates", {"key": "bob", "value": "evil"})):
            self.assertEqual(self.ask(token, path, body).status, 403)
        self.assertEqual(before, self.view())
        for path, body, status in (("/v1/history", {"key": "alice"}, 200), ("/v1/updates", {"key": "alice", "value": "by ES256"}, 202)):
            self.assertEqual(self.ask(token, path, body).status, status)

    def test_each_wrong_token_is_refused_with_its_reason_and_changes_nothing(self):
        now, stranger = int(time.time()), Signer("signer-1")
        good = claims(["alice"])
        secret = self.signer.public
        symmetric = signing_input({"alg": "HS256", "kid": "signer-1"}, good)
        wrong = {
            "token-expired": self.signer.token(claims(["alice"], iat=now - 900, exp=now - 300)),
            "token-not-yet-valid": self.signer.token(claims(["alice"], nbf=now + 300)),
            "token-lifetime": self.signer.token(claims(["alice"], exp=now + 10**6)),
            "token-audience": self.signer.token(claims(["alice"], aud="other.example.org")),
            "token-signature": stranger.token(good),
            "token-key": self.signer.token(good, kid="signer-9"),
            "token-header": self.signer.token(good, crit=["exp"]),
            "token-claims": self.signer.token({name: value for name, value in good.items() if name != "exp"}),
            "token-algorithm": f"{symmetric}.{b64(hmac.digest(secret, symmetric.encode(), hashlib.sha256))}",
            "token-malformed": f"{signing_input({'alg': 'none', 'kid': 'signer-1'}, good)}.",
        }
        requests = {"/v1/updates": {"key": "alice", "value": "evil"}, "/v1/history": {"key": "alice"}, "/v1/monitor": {"key": "alice"},
                    "/v1/users": {"user": "u16", "changes": [{"op": "set-device", "device": "watch", "value": "evil"}]}, "/v1/users/monitor": {"user": "u16"},
                    "/v1/erasures": {"key": "watch", "period": 0, "from": 1, "to": 1}}
        create = {"op": "create", "usernames": ["u16's name"], "devices": [{"device": "watch", "value": "1"}]}
        self.assertEqual(self.change(self.log.api_key, "u16", create)[0], "published")
        before = self.view()
        for reason, token in wrong.items():
            for path, body in requests.items():
                with self.subTest(reason=reason, path=path):
                    answer = self.ask(token, path, body)
                    self.assertEqual((answer.status, answer.json()["reason"]), (401, reason), answer.body)
                    self.assertNotIn(token.encode(), answer.body)
        self.assertEqual(before, self.view())
        # This is the control: the same requests succeed with a valid token.
        right = self.signer.token(claims(["alice", "watch"], scope="update history erase", user="u16"))
        for path, body in requests.items():
            with self.subTest(path=path):
                self.assertIn(self.ask(right, path, body).status, (200, 202))

    def test_another_users_item_is_named(self):
        mine, both = self.signer.token(claims(["alice"])), self.signer.token(claims(["alice", "bob"]))
        before = self.view()
        lists = (("/v1/history", [{"key": "alice"}, {"key": "bob"}], "$[1].key"), ("/v1/monitor", {"key_b64": b64(b"bob")}, "$.key_b64"),
                 ("/v1/updates", [{"key": "alice", "value": "x"}, {"items": [{"key": "alice", "value": "x"}, {"key": "bob", "value": "x"}]}], "$[1].items[1].key"))
        for path, body, field in lists:
            with self.subTest(path):
                answer = self.ask(mine, path, body)
                self.assertEqual((answer.status, answer.json()["field"]), (403, field), answer.body)
                self.assertNotIn(b"members", answer.body)
        self.assertEqual(before, self.view())
        for path, body, _ in lists:
            self.assertIn(self.ask(both, path, body).status, (200, 202))

    def test_a_request_of_another_user_in_a_list_is_named(self):
        """The services execute no request of the list, not even a request that the token would allow if it were sent separately."""
        def new_key(user: str, **more) -> dict:
            return {"user": user, "changes": [{"op": "set-device", "device": f"{user}'s phone", "value": "evil"}]} | more

        for user in ("u20", "u21"):
            create = {"op": "create", "usernames": [f"{user}'s name"], "devices": [{"device": f"{user}'s phone", "value": "1"}]}
            self.assertEqual(self.change(self.log.api_key, user, create)[0], "published")
        before, token, request = self.view(), self.signer.token(claims([], user="u20")), uuid7()
        answer = self.ask(token, "/v1/users", [new_key("u20", request_id=request), new_key("u21")])
        self.assertEqual(answer.status, 403, answer.body)
        said = answer.json()
        self.assertEqual((said["type"], said["field"]), ("urn:optiks:problem:forbidden", "$[1].user"), said)
        with Client(self.log.update.url, self.log.api_key) as client:
            self.assertEqual(client.get(f"/v1/updates/{request}").status, 404)
        # If the services had accepted an update from the refused list, the log would publish it no later than this update.
        self.log.publish(("marker", "after the list"))
        after = self.view()
        self.assertEqual([len(after[1]["pending"]), len(after[1]["request"]) - len(before[1]["request"])], [len(before[1]["pending"]), 1])
        with self.log.query_client() as client:
            shown = client.post_json("/v1/users/lookup", [{"username": "u20's name"}, {"username": "u21's name"}]).json()
        self.assertEqual([user["keys"][0]["lookup"]["version"] for user in shown["users"]], [1, 1], shown)
        # The services accept the request that the token allows if it is sent separately. From a backend they accept both requests.
        self.assertEqual(self.change(token, "u20", *new_key("u20")["changes"]), ("published", [(1, "keys", 2)]))
        both = self.ask(self.log.api_key, "/v1/users", [new_key("u20"), new_key("u21")])
        self.assertEqual(both.status, 202, both.body)
        with Client(self.log.update.url, self.log.api_key) as client:
            self.assertEqual([client.get(f"{one['status_url']}?wait=60").json()["status"] for one in both.json()], ["published"] * 2)

    def test_a_users_token_changes_its_devices_and_has_it_leave(self):
        backend, mine, other = self.log.api_key, self.signer.token(claims([], user="u17")), self.signer.token(claims(["phone"], user="u18"))
        adding = self.signer.token(claims(["laptop"], user="u17"))

        def change(token: str, *changes: dict, user: str = "u17") -> tuple:
            return self.change(token, user, *changes)

        add, leave = {"op": "add-device", "device": "laptop", "value": "1"}, {"op": "decommission"}
        create = {"op": "create", "usernames": ["u17's name"], "devices": [{"device": "phone", "value": "1"}]}
        self.assertEqual(change(backend, create), ("published", [(0, "devices", 1), (1, "usernames", 0), (2, "keys", 1)]))
        before = self.view()
        for token, user, what, field in ((other, "u17", add, "$.user"), (mine, "u18", leave, "$.user"), (mine, "u17", create, "$.changes[0].op"),
                                         (mine, "u17", {"op": "add-username", "username": "x"}, "$.changes[0].op"),
                                         # The token does not name the device id in these changes. So the id may be meant for another user,
                                         # even if no user has it yet.
                                         (mine, "u17", add, "$.changes[0].device"), (adding, "u17", add | {"device": "carol"}, "$.changes[0].device")):
            with self.subTest(user=user, op=what["op"]):
                self.assertEqual(change(token, what, user=user), (403, field))
        self.assertEqual(before, self.view())
        self.assertEqual(change(adding, add), ("published", [(0, "devices", 2), (1, "keys", 1)]))
        self.assertEqual(change(mine, {"op": "set-device", "device": "phone", "value": "2"}, {"op": "remove-device", "device": "laptop"}),
                         ("published", [(0, "devices", 3), (1, "keys", 2)]))
        self.assertEqual(change(mine, {"op": "set-device", "device": "laptop", "value": "2"}), ("refused", "device-unknown"))
        self.assertEqual(change(mine, leave), ("published", [(1, "decommissioned", 0)]))
        self.assertEqual(change(mine, {"op": "set-device", "device": "phone", "value": "3"}), ("refused", "user-left"))

    def test_a_revoked_key_and_a_broken_file(self):
        token = self.signer.token(claims(["alice"]))
        other = Signer("signer-2")
        self.addCleanup(self.write_keys, self.signer.jwk)
        self.assertEqual(self.ask(token, "/v1/history", {"key": "alice"}).status, 200)
        before = self.view()
        self.keys_file.write_text(json.dumps({"keys": [self.signer.jwk | {"d": b64(bytes(32))}]}))
        self.until(lambda: all(b"token key file is missing or invalid" in Client(process.url).get("/health/ready").body for process in (self.log.query, self.log.update)))
        self.assertEqual(self.ask(token, "/v1/history", {"key": "alice"}).status, 200)
        self.assertTrue(all(process.is_ready() for process in self.log.processes))
        for process in (self.log.query, self.log.update):
            self.assertIn('"EventId":9021', process.log())
            self.assertNotIn(b64(bytes(32)), process.log())
        self.write_keys(other.jwk)
        for path, body in (("/v1/history", {"key": "bob"}), ("/v1/updates", {"key": "bob", "value": "evil"}), ("/v1/users", {"user": "bob", "changes": [{"op": "decommission"}]}),
                           ("/v1/users/monitor", {"user": "bob"}), ("/v1/erasures", {"key": "bob", "period": 0, "from": 1, "to": 1})):
            self.until(lambda path=path, body=body: self.ask(token, path, body).status == 401)
            self.assertEqual(self.ask(token, path, body).json()["reason"], "token-key")
        self.assertEqual(before, self.view())
        self.assertEqual(self.ask(other.token(claims(["alice"])), "/v1/history", {"key": "alice"}).status, 200)

    def until(self, condition) -> None:
        deadline = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), deadline, "The condition never held.")
            time.sleep(0.05)


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "==")


if __name__ == "__main__":
    unittest.main()
