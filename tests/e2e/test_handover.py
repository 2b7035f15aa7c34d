"""Tests owners who monitor only after a period has ended. Real services serve the period's end, and the command line makes the hand-over,
even if another server lies."""

import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path

from harness import Deployment, Process, Run
from lying import LyingProxy
from rest import Answer

PERIODS = {"Optiks__Log__PeriodLength": "00:00:01", "Optiks__Periods__Automatic": "false", "Optiks__Periods__Preparation": "00:00:00.5"}
REFUSED, ALARM = 3, 1
# The exit code of optiks-db for an action that is not allowed.
NOT_ALLOWED = 2


class HandoverTest(unittest.TestCase):
    """The tests must run in this order, because the log switches from period to period."""

    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(PERIODS, replicas=2))
        cls.folders = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def owner(self, name: str, *arguments: str, url: str | None = None, query: Process | None = None) -> Run:
        """Runs the command line as the client with this name, which has its own state."""
        kept = ("--data", str(self.folders / name), "--trust", str(self.log.data / "trust.json"), "--api-key", self.log.api_key)
        if url is not None:
            return self.log.optiks_at([url], self.log.update.url, *arguments, *kept)
        return self.log.optiks(*arguments, *kept, query=query)

    def one(self, run: Run, code: int = 0) -> dict:
        self.assertEqual(run.code, code, str(run))
        lines = run.lines()
        self.assertEqual(len(lines), 1, str(run))
        return lines[0]

    def period(self) -> int:
        with self.log.query_client() as client:
            return client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["period"]

    def switch(self) -> int:
        """Switches the period as soon as the protocol allows it. Waits until every replica serves the new period and the end of the
        previous period, and returns the new period's number."""
        wanted = self.period() + 1
        done = self.log.optiks_db("period", "switch")
        self.assertEqual(done.code, 0, str(done))
        deadline = time.monotonic() + 60
        for replica in range(2):
            with self.log.query_client(replica) as client:
                while client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["period"] < wanted \
                        or client.post_json(f"/v1/history?period={wanted - 1}", {"key": "anyone"}).status == 503:
                    self.assertLess(time.monotonic(), deadline, self.log.task.log_end())
                    time.sleep(0.1)
        return wanted

    def test_1_an_owner_is_handed_over_and_sees_what_came_after_the_last_look(self):
        self.one(self.owner("alice", "update", "alice", "alice 1", "--wait", "--json"))
        self.one(self.owner("carol", "user", "create", "carol", "--device", "phone=phone 1", "--device", "laptop=laptop 1", "--wait", "--json"))
        for owner, command in (("alice", ("monitor", "alice")), ("carol", ("user", "monitor", "carol"))):
            self.assertEqual(self.one(self.owner(owner, *command, "--json"))["reason"], "valid")
        # From here on, another client also monitors alice's key. It does not monitor again until a later test.
        self.one(self.owner("late", "monitor", "alice", "--json"), ALARM)
        self.assertEqual(self.one(self.owner("late", "monitor", "alice", "--accept", "--json"))["reason"], "valid")
        self.one(self.owner("alice", "update", "alice", "alice 2", "--wait", "--json"))
        # Somebody other than the owner makes this change, after the last monitoring and before the switch.
        self.log.publish(("phone", "phone of another"))
        period = self.switch()

        alice = self.one(self.owner("alice", "monitor", "alice", "--json"))
        self.assertEqual((alice["reason"], alice["handed_over"], alice["no_guarantee"]), ("valid", [period - 1], []))
        carol = self.one(self.owner("carol", "user", "monitor", "carol", "--json"), ALARM)
        self.assertEqual((carol["reason"], carol["handed_over"]), ("unexpected_version", [period - 1]))
        self.assertEqual([(alarm["period"], alarm["version"]) for alarm in carol["alarms"]], [(period - 1, 2)])
        self.assertEqual(self.one(self.owner("alice", "monitor", "alice", "--json"))["handed_over"], [])

    def test_2_history_of_what_ended_is_shown_by_every_replica(self):
        for query in self.log.queries:
            shown = self.one(self.owner("any", "history", "alice", "--period", "0", "--json", query=query))
            self.assertEqual([version["value"] for version in shown["versions"]], ["alice 1", "alice 2"])
            user = self.one(self.owner("any", "user", "history", "carol", "--period", "0", "--json", query=query))
            self.assertEqual([device["device"] for device in user["devices"]], ["laptop", "phone"])
        now = self.one(self.owner("any", "history", "alice", "--json"))
        self.assertEqual([(version["epoch"], version["value"]) for version in now["versions"]], [(0, "alice 2")])

    def test_3_a_replica_that_starts_again_serves_it_from_its_file(self):
        query = self.log.queries[1]
        self.assertEqual(query.stop(), 0)
        query.start()
        query.wait_ready()
        self.switch_is_served(query, 0)
        shown = self.one(self.owner("any", "history", "alice", "--period", "0", "--json", query=query))
        self.assertEqual([version["value"] for version in shown["versions"]], ["alice 1", "alice 2"])

    def switch_is_served(self, query: Process, period: int) -> None:
        deadline = time.monotonic() + 60
        with self.log.query_client(self.log.queries.index(query)) as client:
            while client.post_json(f"/v1/history?period={period}", {"key": "anyone"}).status == 503:
                self.assertLess(time.monotonic(), deadline, query.log_end())
                time.sleep(0.1)

    def test_4_what_a_server_says_of_a_period_that_is_served_is_not_believed(self):
        def gone(path, said):
            problem = b'{"type": "urn:optiks:problem:period-gone", "title": "gone", "status": 410}'
            return Answer(410, {"content-type": "application/problem+json"}, problem) if "period=" in path else said

        def of_the_present(path, said):
            # The server answers about the current period instead of the ended period.
            if "period=" not in path:
                return said
            with self.log.query_client() as client:
                return client.post_json("/v1/monitor", {"key": "alice"}, "application/vnd.optiks.monitor")

        def cut(path, said):
            return replace(said, body=said.body[:-1] + bytes([said.body[-1] ^ 1])) if "period=" in path else said

        # The answer's last octet belongs to the last proof of absence. It is part of a sibling of the opened node or, if this node is the
        # root, of the length of an empty list of siblings.
        of_a_changed_proof = ("absent_root", "malformed_length")
        for rule, code, reasons in ((gone, REFUSED, ("period-gone",)), (of_the_present, ALARM, ("record_epoch",)), (cut, ALARM, of_a_changed_proof)):
            with self.subTest(rule.__name__), LyingProxy(self.log.query.url, rule) as liar:
                told = self.one(self.owner("late", "monitor", "alice", "--json", url=liar.url), code)
                self.assertIn(told["reason"], reasons)
                self.assertEqual((told.get("no_guarantee", []), told.get("alarms", [])), ([], []), str(told))
        # The client keeps nothing of the refused answers. So the honest server's answer raises the alarm about an update that this client
        # did not make.
        told = self.one(self.owner("late", "monitor", "alice", "--json"), ALARM)
        self.assertEqual((told["reason"], told["handed_over"]), ("unexpected_version", [0]))
        self.assertEqual(told["no_guarantee"], [])

    def test_5_who_comes_too_late_is_told_so(self):
        self.assertEqual(self.one(self.owner("absent", "monitor", "bob", "--accept", "--json"))["reason"], "valid")
        self.log.publish(("bob", "bob 1"))
        self.operator_is_refused(0)
        self.switch()
        period = self.switch()
        told = self.one(self.owner("absent", "monitor", "bob", "--json"), ALARM)
        self.assertEqual([missed["period"] for missed in told["no_guarantee"]], [period - 2], str(told))
        gone = self.one(self.owner("any", "history", "alice", "--period", "0", "--json"), REFUSED)
        self.assertEqual(gone["reason"], "period-gone")
        # The task has destroyed the period's VRF secrets, and no replica has a file of it.
        deadline = time.monotonic() + 60
        while any((self.log.data / "replicas" / str(query.port) / "leaves").exists() for query in self.log.queries):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.operator_archives(0, deadline)

    def status(self) -> dict:
        return self.one(self.log.optiks_db("period", "status", "--json"))

    def operator_is_refused(self, period: int) -> None:
        """Checks that optiks-db refuses to archive or drop the period while the log still promises it to owners."""
        def told() -> tuple[int, list[dict]]:
            """Returns the status of the periods, without the next period, because its copies are staged meanwhile."""
            status = self.status()
            return status["current"], [one for one in status["periods"] if one["state"] != "next"]

        before, archive = told(), self.log.logs / "early.archive"
        self.assertEqual((before[0], [(one["period"], one["state"], one["served"]) for one in before[1]]), (period + 1, [(period, "ended", True), (period + 1, "current", True)]))
        until = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(before[1][0]["served_until_ms"] / 1000))
        for command, words in ((("drop", str(period)), f"Period {period} is served until period {period + 2} begins, not before {until}"),
                               (("archive", str(period), str(archive)), f"Period {period} is served until period {period + 2} begins, not before {until}"),
                               (("drop", str(period + 2)), f"Period {period + 2} has not begun: the log is in period {period + 1}.")):
            with self.subTest(command):
                run = self.log.optiks_db("period", *command)
                self.assertEqual((run.code, run.out), (NOT_ALLOWED, ""), str(run))
                self.assertIn(words, run.error)
        self.assertEqual((told(), archive.exists()), (before, False))
        shown = self.one(self.owner("any", "history", "alice", "--period", str(period), "--json"))
        self.assertEqual([version["value"] for version in shown["versions"]], ["alice 1", "alice 2"])

    def operator_archives(self, period: int, deadline: float) -> None:
        """Archives the period once the task has destroyed it, which is possible because its leaves stay. Dropping the period afterwards
        changes nothing, because it is already destroyed."""
        while (found := self.status()["periods"][period])["state"] != "destroyed":
            self.assertLess(time.monotonic(), deadline, found)
            time.sleep(0.1)
        self.assertEqual((found["served"], found["first_epoch"], "served_until_ms" in found), (False, 0, False))
        archive = self.log.logs / "period.archive"
        said = self.one(self.log.optiks_db("period", "archive", str(period), str(archive), "--json"))
        self.assertEqual((said["period"], said["epochs"], said["file"]), (period, found["last_epoch"] + 1, str(archive)))
        # The leaves are two versions of alice's key, a list, the keys of its two devices, and a second version of one of these keys.
        self.assertGreaterEqual(said["leaves"], 6)
        self.assertEqual(archive.stat().st_mode & 0o777, 0o600)
        for secret in (b"alice", b"phone of another"):
            self.assertNotIn(secret, archive.read_bytes())
        dropped = self.one(self.log.optiks_db("period", "drop", str(period), "--json"))
        self.assertEqual((dropped["period"], dropped["destroyed_before"]), (period, True))

    def test_6_what_was_erased_since_is_told_too(self):
        """The value that was the latest at a period's end is superseded in the next period, and then erased. So no owner can compare it
        with its copy any more."""
        self.one(self.owner("erin", "user", "create", "erin", "--device", "watch=watch 1", "--wait", "--json"))
        self.assertEqual(self.one(self.owner("erin", "user", "monitor", "erin", "--json"))["reason"], "valid")
        self.assertEqual(self.one(self.owner("dave", "monitor", "dave", "--json"))["reason"], "valid")
        # This update comes after the last monitoring. It is erased before the next monitoring.
        self.log.publish(("dave", "dave 1"), ("watch", "watch 2"))
        period = self.switch()

        def erased(path, said):
            problem = b'{"type": "urn:optiks:problem:erased", "title": "gone", "status": 410}'
            return Answer(410, {"content-type": "application/problem+json"}, problem) if "period=" in path else said

        with LyingProxy(self.log.query.url, erased) as liar:
            for owner, command in (("dave", ("monitor", "dave")), ("erin", ("user", "monitor", "erin"))):
                told = self.one(self.owner(owner, *command, "--json", url=liar.url), REFUSED)
                self.assertEqual(told["reason"], "erased")
        self.log.publish(("dave", "dave 2"), ("watch", "watch 3"))
        for key in ("dave", "watch"):
            self.one(self.owner("operator", "erase", key, "--from", "1", "--to", "1", "--wait", "--json"))
        for owner, command in (("dave", ("monitor", "dave")), ("erin", ("user", "monitor", "erin"))):
            told = self.one(self.owner(owner, *command, "--json"), ALARM)
            self.assertEqual([missed["period"] for missed in told["no_guarantee"]], [period - 1], str(told))
            # One alarm is about the copy, which can no longer be compared with the erased value. The other alarm is about a version that
            # this owner did not set.
            self.assertEqual([(alarm["period"], alarm["version"]) for alarm in told["alarms"]], [(period, 1), (period, 2)], str(told))

    def test_7_an_erasure_of_versions_is_of_the_period_that_its_sender_saw(self):
        """Each period counts versions anew, so an erasure whose sender saw the previous period must destroy nothing."""
        self.log.publish(("frank", "frank 1"))
        self.log.publish(("frank", "frank 2"))
        self.one(self.owner("frank", "history", "frank", "--json"))
        period = self.switch()
        self.log.publish(("frank", "frank 3"))
        late = self.one(self.owner("frank", "erase", "frank", "--from", "1", "--to", "1", "--wait", "--json"), REFUSED)
        self.assertEqual((late["reason"], late["current_version"]), ("other-period", 2))
        with self.log.update_client() as client:
            missing = client.post_json("/v1/erasures", {"key": "frank", "from": 1, "to": 1})
            self.assertEqual((missing.status, missing.json()["field"]), (400, "$.period"))
        shown = self.one(self.owner("reader", "history", "frank", "--json"))
        self.assertEqual([version["value"] for version in shown["versions"]], ["frank 2", "frank 3"])
        self.one(self.owner("frank", "history", "frank", "--json"))
        done = self.one(self.owner("frank", "erase", "frank", "--from", "1", "--to", "1", "--wait", "--json"))
        self.assertIn((period, 1), [(erased["period"], erased["version"]) for erased in done["erased"]])


if __name__ == "__main__":
    unittest.main()
