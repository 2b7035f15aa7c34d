"""Gives honest and changed answers of a running server to both verifiers. The Python reference and the native verifier give the same reason
for each."""

import itertools
import json
import subprocess
import sys
import unittest
from collections import Counter

import harness
from harness import ROOT, Deployment
from native import NativeVerifier
from native_periods import NativePeriods
from native_users import NativeUsers

AT_LEAST = 60
FORMS = {"lookup", "history", "monitor", "audit", "user-lookup", "user-monitor", "periods"}
VERSIONS = 5
# With these buckets the log has dummies among its leaves. For a verifier, dummies are leaves like all others (docs/operations/padding.md).
BUCKETS = {"Usernames": 2, "Devices": 3, "Keys": 4, "Decommissioned": 2}
PADDING = {f"Optiks__Padding__{name}": str(size) for name, size in BUCKETS.items()}


class MutationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(PADDING))
        cls.log.publish(("bob", "b1"), ("carol", "c1"), ("dave", "d1"))
        for version in range(1, VERSIONS + 1):
            cls.log.publish(("alice", f"alice's value {version}"), (f"other-{version}", "x"))
        # carol has removed one of her two devices, and the user erin has left the log.
        cls.user("create", "carol", "--device", "carol's phone=1", "--device", "carol's tablet=1")
        cls.user("create", "erin", "--device", "erin's phone=1")
        cls.user("set-device", "carol", "carol's phone", "2")
        cls.user("remove-device", "carol", "carol's tablet")
        cls.user("decommission", "erin")
        cls.export = cls.log.data / "live.json"
        cls.live = cls.reference("--api-key", cls.log.api_key, "--at-least", str(AT_LEAST), "--export", str(cls.export))
        if cls.live.returncode != 0:
            raise AssertionError(f"live.py: {cls.live.stdout[-3000:]}{cls.live.stderr[-3000:]}")
        cls.content = json.loads(cls.export.read_text())
        cls.native = NativeVerifier(harness.OUT / harness.QUERY / "liboptiks.so")
        cls.native_users = NativeUsers(cls.native)
        cls.native_periods = NativePeriods(cls.native)

    @classmethod
    def user(cls, command: str, name: str, *arguments: str) -> None:
        run = cls.log.optiks("user", command, name, *arguments, *([] if command == "decommission" else ["--wait"]))
        if run.code != 0:
            raise AssertionError(f"user {command}: {run}")

    @classmethod
    def reference(cls, *arguments: str, trust=None) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, ROOT / "tests/reference/live.py", "--query-url", cls.log.query.url, "--trust",
             str(trust or cls.log.data / "trust.json"), "--key", "alice", "--key", "bob", "--absent", "nobody",
             "--user", "carol", "--left", "erin", "--periods", *arguments],
            capture_output=True, text=True, timeout=300, check=False)

    def test_reference_saw_everything(self):
        for expected in ("from tiles alone", "verified audit (0, ", "verified lookup of b'alice': version 5", "b'nobody': absent",
                         "verified history of b'alice': 5 of 5", "verified monitor of b'alice'", "kept checkpoint",
                         "user b'carol': 1 devices", "user b'erin': has left", "user b'nobody': no such user", "verified monitor of user", "bounds of 1 periods"):
            self.assertIn(expected, self.live.stdout)
        self.assertNotIn("\nskipped ", self.live.stdout)

    def test_an_epoch_tells_its_bucket_alone(self):
        """Checks that the number of leaves that each epoch adds to a structure is always a multiple of the structure's bucket size, so
        it reveals nothing more exact. The command line can audit the log, although it cannot distinguish dummies from other leaves."""
        with self.log.query_client() as client:
            latest = client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["epoch"]
            records = [client.get(f"/v1/epochs/{epoch}", "application/json").json() for epoch in range(latest + 1)]
        audit = self.log.optiks("audit", "--from", "0", "--json")
        self.assertEqual(audit.code, 0, str(audit))
        for before, after in itertools.pairwise(records):
            added = {name: later["count"] - earlier["count"] for name, earlier, later in zip(BUCKETS, before["structures"], after["structures"], strict=True)}
            for name, bucket in BUCKETS.items():
                self.assertEqual((added[name] % bucket, added[name] > 0), (0, True), (after["epoch"], added))

    def test_reference_refuses_another_log(self):
        with Deployment() as other:
            foreign = self.reference("--at-least", "1", trust=other.data / "trust.json")
        self.assertEqual(foreign.returncode, 1, foreign.stdout)
        self.assertIn("checkpoint_signature", foreign.stdout)

    def test_native_gives_the_same_verdicts(self):
        verdicts = Counter()
        for row in self.content["vectors"]:
            with self.subTest(form=row["form"], kind=row["kind"]):
                reason, results = self.verdict(row)
                self.assertEqual(reason, row["reason"])
                verdicts[row["form"], row["reason"] == "valid"] += 1
                if reason == "valid" and results is not None:
                    self.compare(row, results)
        self.assertEqual({form for form, valid in verdicts if valid}, FORMS)
        self.assertEqual({form for form, valid in verdicts if not valid}, FORMS)
        self.assertGreaterEqual(sum(count for (_, valid), count in verdicts.items() if not valid), AT_LEAST)

    def verdict(self, row: dict) -> tuple[str, list[dict] | dict | None]:
        calls = {"user-lookup": self.native_users.lookup, "user-monitor": self.native_users.monitor,
                 "periods": self.native_periods.verdict}
        return calls.get(row["form"], self.native.verdict)(self.content["anchors"], row)

    def compare(self, row: dict, results) -> None:
        if row["form"] == "user-lookup":
            self.compare_users(row, results)
            return
        if row["form"] == "user-monitor":
            self.compare_own(row["result"], results)
            return
        if row["form"] == "periods":
            self.assertEqual(results, row["results"])
            return
        self.assertEqual([result["version"] for result in results], [result["version"] for result in row["results"]])
        for found, expected in zip(results, row["results"], strict=True):
            if row["form"] == "lookup":
                self.assertEqual(found["value"], expected["values"].get(str(expected["version"])))
            else:
                self.assertEqual((found["values"], found["complete"]), (expected["values"], expected["complete"]))

    def compare_users(self, row: dict, results: list[dict]) -> None:
        for found, expected in zip(results, row["results"], strict=True):
            self.assertEqual((found["kind"], found["epoch"]), (expected["kind"], expected["epoch"]))
            if expected["devices"] is not None:
                self.assertEqual(found["devices"], {name: expected["devices"][name] for name in ("version", "value")})
            self.assertEqual(found["keys"], [{name: key[name] for name in ("version", "value")} for key in expected["keys"]])

    def compare_own(self, expected: dict, found: dict) -> None:
        self.assertEqual((found["epoch"], found["has_left"]), (expected["epoch"], expected["has_left"]))
        for one, other in zip([found["devices"], *found["keys"]], [expected["devices"], *expected["keys"]], strict=True):
            self.assertEqual(one, {name: other[name] for name in ("version", "values", "complete")})

    def test_every_flipped_octet_is_refused_by_native(self):
        """Checks that the verifiers refuse an answer in which one octet was changed. The test changes octets at sampled positions of the
        whole answer; the honest answer is the control."""
        row = next(row for row in self.content["vectors"] if row["form"] == "lookup" and row["kind"] == "live_one_key")
        self.assertEqual(self.native.verdict(self.content["anchors"], row)[0], "valid")
        answer = bytes.fromhex(row["answer"])
        for at in range(0, len(answer), max(1, len(answer) // 400)):
            changed = bytearray(answer)
            changed[at] ^= 1 << at % 8
            reason, _ = self.native.verdict(self.content["anchors"], row | {"answer": changed.hex()})
            self.assertNotEqual(reason, "valid", f"octet {at}")


if __name__ == "__main__":
    unittest.main()
