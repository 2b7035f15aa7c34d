"""Tests a log that reassigns usernames (docs/spec/recycled-names.md), with real services. The tests check who may have a name, what lookups
show about it, and that clients refuse every changed answer."""

import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

import harness
from harness import ROOT, Deployment, Run
from native import NativeVerifier
from native_users import NativeUsers
from rest import b64, uuid7
from storage import OwnPostgreSql, Sqlite

sys.path.insert(0, str(ROOT / "tests/reference"))

import mutations_generations
from codec import decode_whole
from codec_users import CURRENT, HAS_LEFT, NO_SUCH_USER, UserLookupAnswer
from live_users import user_queries
from rows import Rows
from users import Asked, Kept
from verify import TrustAnchor, Verifier

SETTINGS = {"Optiks__Log__UsernameReuse": "true", "Optiks__Log__PeriodLength": "00:00:05", "Optiks__Periods__Automatic": "false", "Optiks__Periods__Preparation": "00:00:00.5"}
NUMBER = "+44 20 7946 0018"
UNREACHABLE_OR_REFUSED = 3
USER_LOOKUP = "application/vnd.optiks.user-lookup"


class OnSqlite(unittest.TestCase):
    """The tests must run in this order, because later tests rely on earlier ones."""

    engine = Sqlite.name

    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(SETTINGS, engine=cls.engine))
        # The data folder of another client of the same log, which owns no user there.
        cls.other = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def one(self, run: Run, code: int = 0) -> dict:
        self.assertEqual(run.code, code, str(run))
        lines = run.lines()
        self.assertEqual(len(lines), 1, str(run))
        return lines[0]

    def owner(self, *arguments: str, code: int = 0) -> dict:
        return self.one(self.log.optiks(*arguments, "--json"), code)

    def stranger(self, *arguments: str, code: int = 0) -> dict:
        return self.one(self.log.optiks(*arguments, "--data", str(self.other), "--trust", str(self.log.data / "trust.json"), "--json"), code)

    def asked(self, requests: list[dict]) -> list[dict]:
        """Sends requests about users in one body, so that one epoch can take them all. Returns their outcomes."""
        with self.log.update_client(timeout=90) as client:
            accepted = client.post_json("/v1/users", requests)
            self.assertEqual(accepted.status, 202, accepted.body)
            outcomes = [client.get(f"/v1/updates/{request['request_id']}?wait=60").json() for request in requests]
        self.log.wait_served(max(outcome.get("epoch", 0) for outcome in outcomes))
        return outcomes

    @staticmethod
    def create(device: str) -> dict:
        return {"request_id": uuid7(), "changes": [{"op": "create", "usernames": [NUMBER], "devices": [{"device": device, "value": f"{device}'s key"}]}]}

    def test_1_a_name_has_one_user_until_that_user_has_left(self):
        first = self.owner("user", "create", NUMBER, "--device", "first phone=1", "--wait")
        self.assertTrue(first["confirmed"], first)
        self.assertNotIn("recycled", self.owner("user", "lookup", NUMBER))
        self.assertEqual(self.stranger("user", "lookup", NUMBER)["user_b64"], first["user_b64"])
        self.assertEqual(self.owner("user", "create", NUMBER, "--wait", code=UNREACHABLE_OR_REFUSED)["reason"], "username-taken")
        self.assertEqual(self.owner("user", "monitor", NUMBER)["alarms"], [])
        left = self.owner("user", "decommission", NUMBER)
        self.assertTrue(left["confirmed"], left)
        self.assertEqual(self.stranger("user", "lookup", NUMBER)["decommissioned"], True)
        type(self).first = first["user_b64"]

    def test_2_of_two_that_ask_for_a_free_name_at_once_one_gets_it(self):
        requests = [self.create("second phone"), self.create("rival phone")]
        outcomes = self.asked(requests)
        self.assertEqual(Counter(outcome["status"] for outcome in outcomes), {"published": 1, "refused": 1}, outcomes)
        won, lost = sorted(outcomes, key=lambda outcome: outcome["status"])
        self.assertEqual(lost["reason"], "username-taken")
        self.assertEqual({item["structure"]: item["version"] for item in won["items"]}["usernames"], 2)
        found = self.stranger("user", "lookup", NUMBER)
        self.assertEqual((found["verdict"], found["recycled"], found["decommissioned"]), ("present", True, False))
        self.assertNotEqual(found["user_b64"], self.first)
        earlier = found["earlier_users"]
        self.assertEqual([user["user_b64"] for user in earlier], [self.first])
        self.assertLess(earlier[0]["since_epoch"], earlier[0]["left_epoch"])
        self.assertLess(earlier[0]["left_epoch"], won["epoch"])
        type(self).second = found["user_b64"]

    def test_3_who_asked_to_leave_is_not_alarmed_and_people_are_told(self):
        self.assertEqual(self.owner("user", "lookup", NUMBER)["user_b64"], self.second)
        monitored = self.owner("user", "monitor", NUMBER)
        self.assertEqual((monitored["verdict"], monitored["decommissioned"], monitored["alarms"]), ("valid", True, []))
        run = self.log.optiks("user", "lookup", NUMBER)
        self.assertEqual(run.code, 0, str(run))
        self.assertIn("recycled the name was", run.out)

    def test_4_a_user_gives_a_name_up_and_another_adds_it(self):
        outcome, = self.asked([{"request_id": uuid7(), "user_b64": self.second, "changes": [{"op": "decommission"}]}])
        self.assertEqual(outcome["status"], "published", outcome)
        added = self.owner("user", "create", "third", "--device", "third phone=3", "--wait")
        self.assertTrue(self.owner("user", "add-username", "third", NUMBER, "--wait")["confirmed"])
        found = self.stranger("user", "lookup", NUMBER)
        self.assertEqual((found["user_b64"], [user["user_b64"] for user in found["earlier_users"]]), (added["user_b64"], [self.first, self.second]))
        # This user has one name that other users had earlier, and one name that no other user ever had.
        self.assertNotIn("recycled", self.stranger("user", "lookup", "third"))
        # The log refuses changes of a user who has left.
        again, = self.asked([{"request_id": uuid7(), "user_b64": self.second, "changes": [{"op": "add-username", "username": "back"}]}])
        self.assertEqual((again["status"], again["reason"]), ("refused", "user-left"))
        type(self).third = added["user_b64"]

    def lookup(self, name: bytes) -> bytes:
        with self.log.query_client() as client:
            answer = client.request("POST", "/v1/users/lookup", user_queries([Asked(name)]), "application/vnd.optiks.user-query", USER_LOOKUP)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.body

    def test_5_both_verifiers_take_the_answer_and_refuse_every_change_for_the_same_reason(self):
        anchor = TrustAnchor.parse((self.log.data / "trust.json").read_text())
        native = NativeUsers(NativeVerifier(harness.OUT / harness.QUERY / "liboptiks.so"))
        rows, name = Rows(), NUMBER.encode()
        v = Verifier(anchor, time.time_ns() // 1_000_000)

        def judge(kind: str, asked: Asked, encoded: bytes, reason: str):
            results = rows.users(kind, v, [asked], encoded, reason)
            row = rows.rows[-1]
            found, shown = native.lookup(rows.anchors_json(), row)
            self.assertEqual(found, reason, kind)
            if reason == "valid":
                self.assertEqual((shown[0]["kind"], shown[0]["epoch"], shown[0]["generation"]), (row["results"][0]["kind"], results[0].epoch, results[0].generation), kind)
            return results

        whole = self.lookup(name)
        result, = judge("live", Asked(name), whole, "valid")
        self.assertEqual((result.kind, result.generation, [b64(user.user) for user in result.earlier]), (CURRENT, 3, [self.first, self.second]))
        answer = decode_whole(UserLookupAnswer.decode, whole)
        changes = [*mutations_generations.generation_changes(answer), *mutations_generations.layout_changes(answer)]
        self.assertGreater(len(changes), 80)
        for kind, encoded, reason in changes:
            with self.subTest(kind):
                judge(kind, Asked(name), encoded, reason)
        nobody = self.lookup(b"nobody")
        self.assertEqual(judge("live_nobody", Asked(b"nobody"), nobody, "valid")[0].kind, NO_SUCH_USER)
        for kind, encoded, reason in mutations_generations.none_changes(decode_whole(UserLookupAnswer.decode, nobody)):
            with self.subTest(kind):
                judge(kind, Asked(b"nobody"), encoded, reason)
        first = result.earlier[0].user
        judge("kept_first", Asked(name, kept=Kept(first, True, generation=1)), whole, "valid")
        judge("kept_another_first", Asked(name, kept=Kept(result.user, generation=1)), whole, "user_changed")
        judge("kept_a_later_one", Asked(name, kept=Kept(result.user, generation=4)), whole, "version_regressed")

    def test_6_the_services_say_so_in_json_and_take_no_names_of_owners(self):
        with self.log.query_client() as client:
            shown = client.post_json("/v1/users/lookup", {"username": NUMBER, "known": {"user": True}}, "application/json").json()["users"][0]
            self.assertEqual((shown["kind"], shown["generations"]["names"]["version"], len(shown["generations"]["left"])), (6, 3, 2))
            for names, status in (({}, 200), ({"usernames": [NUMBER]}, 400)):
                answer = client.post_json("/v1/users/monitor", {"user_b64": self.third} | names)
                self.assertEqual(answer.status, status, answer.body)
            self.assertEqual(answer.json()["field"], "$.usernames")

    def test_7_it_is_so_in_the_next_period_after_starts_and_for_auditors(self):
        for process in (self.log.query, self.log.task):
            self.assertEqual(process.stop(), 0)
            process.start()
        self.log.wait_ready()
        self.assertEqual(self.stranger("user", "lookup", NUMBER)["user_b64"], self.third)
        done = self.log.optiks_db("period", "switch")
        self.assertEqual(done.code, 0, str(done))
        deadline = time.monotonic() + 60
        with self.log.query_client() as client:
            while client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["period"] == 0:
                self.assertLess(time.monotonic(), deadline, self.log.task.log_end())
                time.sleep(0.1)
        self.assertEqual(self.stranger("user", "lookup", NUMBER)["user_b64"], self.third)
        left, = self.asked([{"request_id": uuid7(), "user_b64": self.third, "changes": [{"op": "decommission"}]}])
        self.assertEqual(left["status"], "published", left)
        fourth, = self.asked([self.create("fourth phone")])
        self.assertEqual(fourth["status"], "published", fourth)
        found = self.stranger("user", "lookup", NUMBER)
        self.assertEqual([user["user_b64"] for user in found["earlier_users"]], [self.first, self.second, self.third])
        # This client owned the third user, whom somebody else decommissioned.
        alarm = self.owner("user", "lookup", NUMBER, code=1)
        self.assertEqual(alarm["reason"], "unexpected_leave")
        self.assertEqual(alarm["user_b64"], found["user_b64"])
        # The replica starts again, in the new period, from the snapshot and the epochs after the snapshot.
        self.assertEqual(self.log.query.stop(), 0)
        self.log.query.start()
        self.log.wait_ready()
        self.assertEqual(self.stranger("user", "lookup", NUMBER)["user_b64"], found["user_b64"])
        for command in (("fsck", "--board", str(self.log.data / "board")), ("export", str(self.log.logs / "export"))):
            run = self.log.optiks_db(*command)
            self.assertEqual(run.code, 0, str(run))
        self.assertEqual(self.owner("audit")["verdict"], "valid")

    def test_8_erasing_who_had_it_leaves_the_name_as_it_is(self):
        with self.log.update_client(timeout=90) as client:
            accepted = client.post_json("/v1/erasures", {"request_id": uuid7(), "user_b64": self.third})
            self.assertEqual(accepted.status, 202, accepted.body)
            outcome = client.get(f"{accepted.json()['status_url']}?wait=60").json()
        self.assertNotEqual(outcome["status"], "pending", outcome)
        found = self.stranger("user", "lookup", NUMBER)
        self.assertEqual((found["verdict"], len(found["earlier_users"])), ("present", 3))
        fourth, = self.asked([{"request_id": uuid7(), "user_b64": found["user_b64"], "changes": [{"op": "decommission"}]}])
        self.assertEqual(fourth["status"], "published", fourth)
        left = self.stranger("user", "lookup", NUMBER)
        self.assertEqual((left["verdict"], left["decommissioned"], left["user_b64"]), ("present", True, found["user_b64"]))
        anchor = TrustAnchor.parse((self.log.data / "trust.json").read_text())
        result, = Rows().users("live_left", Verifier(anchor, time.time_ns() // 1_000_000), [Asked(NUMBER.encode())], self.lookup(NUMBER.encode()), "valid")
        self.assertEqual((result.kind, result.generation), (HAS_LEFT, 4))


class OnPostgreSql(OnSqlite):
    engine = OwnPostgreSql.name


if __name__ == "__main__":
    unittest.main()
