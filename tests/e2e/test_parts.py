"""Two replicas at different epochs serve one answer about a user (docs/spec/users.md section 3): one replica says who the user is, and the
other has the keys of the devices. Both verifiers judge the answer."""

import sys
import time
import unittest
from dataclasses import replace

import harness
from harness import ROOT, Deployment
from native import NativeVerifier
from native_users import NativeUsers

sys.path.insert(0, str(ROOT / "tests/reference"))

from codec import LookupAnswer, decode_whole
from codec_users import CURRENT, PartRecord, UserLookupAnswer, VersionedEntry
from rows import Rows
from users import Asked, UserResult
from verify import TrustAnchor, Verifier

MEDIA = "application/vnd.optiks."
# With these settings, only an update makes a new epoch during the test.
QUIET = {"Optiks__Log__Heartbeat": "00:10:00", "Optiks__Log__MaxBehind": "00:30:00"}
# The devices are in the order of a device list.
DEVICES = ("laptop", "phone")


class PartsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(QUIET, replicas=2))
        cls.anchor = TrustAnchor.parse((cls.log.data / "trust.json").read_text())
        cls.native = NativeUsers(NativeVerifier(harness.OUT / harness.QUERY / "liboptiks.so"))
        cls.change("create", *(part for device in DEVICES for part in ("--device", f"{device}=1")))
        cls.first = cls.log.publish(("somebody else", "1"))["epoch"]
        # This is the first replica's only answer: the replica does not see later epochs.
        cls.user = decode_whole(UserLookupAnswer.decode, cls.ask(0, "/v1/users/lookup", {"username": "alice"}, "user-lookup"))
        cls.log.publish(("somebody else", "2"))

    @classmethod
    def change(cls, command: str, *arguments: str) -> None:
        run = cls.log.optiks("user", command, "alice", *arguments, "--wait")
        if run.code != 0:
            raise AssertionError(f"user {command}: {run}")

    @classmethod
    def ask(cls, replica: int, path: str, query, form: str) -> bytes:
        with cls.log.query_client(replica) as client:
            answer = client.post_json(path, query, MEDIA + form)
        if answer.status != 200:
            raise AssertionError(f"{path}: HTTP {answer.status} {answer.body!r}")
        return answer.body

    def keys(self, at_epoch: int | None) -> LookupAnswer:
        """Looks up the devices' keys at the other replica, at this epoch."""
        path = "/v1/lookup" if at_epoch is None else f"/v1/lookup?at_epoch={at_epoch}"
        return decode_whole(LookupAnswer.decode, self.ask(1, path, [{"key": device} for device in DEVICES], "lookup"))

    def together(self, keys: LookupAnswer) -> UserLookupAnswer:
        """Combines both answers under the other replica's checkpoint, which is the later one."""
        parts, number = [], 0
        if keys.head.record != self.user.head.record:
            # This head proves that the earlier record is in the log of the later checkpoint.
            earlier = self.keys(self.first).head
            self.assertEqual(earlier.record, self.user.head.record)
            parts, number = [PartRecord(earlier.record, earlier.inclusion)], 1
        said = self.user.users[0]
        user = replace(
            said, name=replace(said.name, record=number), decommissioned=replace(said.decommissioned, record=number),
            devices=replace(said.devices, record=number), keys=[VersionedEntry(0, lookup) for lookup in keys.items])
        return UserLookupAnswer(keys.head, parts, [user])

    def judge(self, kind: str, answer: UserLookupAnswer, reason: str = "valid") -> UserResult | None:
        """Returns the reference's result, after checking that the native verifier agrees."""
        rows = Rows()
        results = rows.users(kind, Verifier(self.anchor, time.time_ns() // 1_000_000), [Asked(b"alice")], answer.encode(), reason)
        content = rows.content()
        found, shown = self.native.lookup(content["anchors"], content["vectors"][0])
        self.assertEqual(found, reason)
        if not results:
            return None
        self.assertEqual((shown[0]["kind"], shown[0]["epoch"]), ("current", results[0].epoch))
        self.assertEqual([key["value"] for key in shown[0]["keys"]], [results[0].keys[device.encode()].value.hex() for device in DEVICES])
        return results[0]

    def shows(self, result: UserResult, *values: bytes) -> None:
        self.assertEqual((result.kind, result.epoch), (CURRENT, self.first))
        self.assertEqual([result.keys[device.encode()].value for device in DEVICES], list(values))

    def test_1_of_one_epoch(self):
        """The other replica is ahead, but answers about the epoch of the first replica."""
        answer = self.together(self.keys(self.first))
        self.assertEqual(answer.parts, [])
        self.shows(self.judge("of one epoch", answer), b"1", b"1")

    def test_2_of_two_epochs(self):
        """The user has not changed between the two epochs, so the answer shows the state at the earlier epoch."""
        answer = self.together(self.keys(None))
        self.assertEqual(len(answer.parts), 1)
        self.shows(self.judge("of two epochs", answer), b"1", b"1")
        without = replace(answer, parts=[])
        self.judge("the earlier record left out", without, "part_unknown")

    def test_3_a_key_was_changed_between(self):
        """One device's key was changed after the state that the rest of the answer shows, so the combination is invalid."""
        self.change("set-device", "phone", "2")
        self.judge("a key of a later epoch", self.together(self.keys(None)), "part_epoch")
        self.shows(self.judge("of the earlier epoch", self.together(self.keys(self.first))), b"1", b"1")


if __name__ == "__main__":
    unittest.main()
