"""Tests a log that signs its own lies (tests/reference/malicious.py). `optiks` and `optiks auditor` find the lies, and a third party judges
the evidence without their state."""

import base64
import copy
import json
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

from auditors import Auditor
from harness import OUT, ROOT, Run, clean_environment
from rest import Client
from witness import Witness

sys.path.insert(0, str(ROOT / "tests/reference"))

import board
from malicious import SCENARIOS, Log, honest_log
from rounds import IS_DEEP
from serve import Server

VALID, INVALID, FORK = 0, 1, 5
# A client's own state proves a refusal for one of these reasons, even if auditors have no proof.
PROVEN = ("fork", "leaf_contradicts")
# Only the deep form tests these lies. Each is similar to another scenario, and client/sdk/tests/LeafTests.cs or test_hostile_periods.py
# covers it too.
OF_DEEP = ("drops-the-latest-version", "dates-an-insertion-back", "shows-another-vrf-key", "switches-early-and-back")
TOLD = {name: one for name, one in SCENARIOS.items() if IS_DEEP or name not in OF_DEEP}
NAMES = ("alice", "bob")
# This API key has the right form. The test's server does not check it.
KEY = "optiks_" + "A" * 43


class MaliciousTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="optiks-malicious-")))

    def optiks(self, *arguments: str) -> Run:
        return Run(subprocess.run([OUT / "cli/optiks", *arguments], env=clean_environment(), capture_output=True, text=True, timeout=120, check=False))

    def client(self, name: str, server: Server, *arguments: str, data: str | None = None) -> Run:
        """Runs a command as a client of one log. Each kind of command has its own state; `data` names the kind whose state the command uses
        instead."""
        folder = self.folder / name
        return self.optiks(*arguments, "--json", "--query-url", server.url, "--trust", str(folder / "trust.json"), "--data", str(folder / (data or arguments[0])), "--api-key", KEY)

    def serve(self, name: str) -> Server:
        """Starts the server of a scenario, as any user of malicious.py would start it."""
        log = honest_log(name)
        (self.folder / name).mkdir()
        (self.folder / name / "trust.json").write_text(log.anchor.render())
        return self.enterContext(Server(log, turn=lambda: SCENARIOS[name].lie(log)))

    def test_each_lie_is_found_and_shown_to_others(self):
        servers = {name: self.serve(name) for name in TOLD}
        logs = [types.SimpleNamespace(data=self.folder / name, queries=[server], environment=clean_environment()) for name, server in servers.items()]
        auditor = Auditor(self.folder / "auditor", *logs)
        first = auditor.once()
        self.assertEqual(first.code, VALID, str(first))
        auditor.look_at_signed()
        signed = list(auditor.newest)
        for name, server in servers.items():
            self.assertEqual(self.client(name, server, "lookup", *NAMES).code, VALID)
            # The owner's client did not set these versions, so monitoring reports them. The owner then accepts them.
            self.assertEqual(self.client(name, server, "monitor", *NAMES).lines()[0]["reason"], "unexpected_version")
            self.assertEqual(self.client(name, server, "monitor", *NAMES, "--accept").code, VALID)
            with Client(server.url) as anyone:
                self.assertEqual(anyone.request("POST", "/turn", b"").status, 200)
        found = {line["origin"].rpartition("/")[2]: line for line in auditor.once().lines()}
        # After a finding, the auditor signs nothing more of any of these logs.
        auditor.once()
        auditor.look_at_signed()
        self.assertEqual(auditor.newest, signed)
        for name, scenario in TOLD.items():
            with self.subTest(name):
                self.assertEqual(found[name]["proven"], scenario.is_proven, found[name])
                self.assertTrue(found[name]["reason"].startswith(scenario.auditor), found[name])
                self.judge(name, Path(found[name]["evidence"]), scenario.is_proven)
                self.look(name, servers[name], "lookup", scenario.client)
                self.look(name, servers[name], "monitor", scenario.owner)
                if scenario.history is not None:
                    self.look(name, servers[name], "history", scenario.history, "alice", data="monitor")
                    # Once a fault of the log is proven, the client refuses everything from the log.
                    self.look(name, servers[name], "lookup", scenario.history, "bob", data="monitor")

    def look(self, name: str, server: Server, command: str, reason: str | None, *names: str, data: str | None = None) -> None:
        """Runs a client's command, which must refuse an answer for `reason`. If `reason` is None, the command does not reveal the lie and
        must succeed."""
        run = self.client(name, server, command, *(names or NAMES), data=data)
        if reason is None:
            self.assertEqual(run.code, VALID, str(run))
            return
        refused = {line["reason"]: line for line in run.lines() if line["reason"] != "valid"}
        self.assertIn(reason, refused, str(run))
        if reason in PROVEN:
            self.assertEqual(run.code, FORK, str(run))
            self.judge(name, Path(refused[reason]["evidence"]), True)

    def judge(self, name: str, evidence: Path, is_proven: bool) -> None:
        """Judges the evidence as a third party that has only the evidence's files and the log's trust anchor."""
        elsewhere = self.folder / "third party"
        shutil.rmtree(elsewhere, ignore_errors=True)
        shutil.copytree(evidence, elsewhere)
        judged = self.optiks("evidence", "verify", str(elsewhere), "--trust", str(self.folder / name / "trust.json"), "--json")
        self.assertEqual(judged.code, VALID if is_proven else INVALID, str(judged))

    def test_two_heads_for_two_clients_with_and_without_a_witness(self):
        """Each client is new, and is shown only one of two histories of the same keys."""
        shown = honest_log("two-heads")
        other = copy.deepcopy(shown)
        SCENARIOS["forks"].lie(other)
        servers = [self.enterContext(Server(log)) for log in (shown, other)]
        witness = Witness("one")
        self.addCleanup(witness.close)
        witness.know(shown.log_key.vkey)
        witness.start()
        cosigned = self.add_checkpoint(witness, shown, 0)
        self.assertIsNotNone(cosigned)
        self.assertIsNone(self.add_checkpoint(witness, other, len(shown.records)))

        def look(client: str, server: Server, **policy) -> dict:
            (self.folder / client).mkdir()
            (self.folder / client / "trust.json").write_text(json.dumps(json.loads(shown.anchor.render()) | policy))
            return self.client(client, server, "lookup", "alice").lines()[0]

        policy = {"witnesses": [witness.line("one").rstrip("\n"), "quorum one"]}
        # Without a witness, neither client notices that the other sees another history.
        for client, server, value in (("first", servers[0], "alice 2"), ("second", servers[1], "mallory's")):
            found = look(f"{client} without", server)
            self.assertEqual((found["reason"], found["value"]), ("valid", value))
        # If the server hides the checkpoint that the witness cosigned, the client refuses the answer because the quorum is missing. Below,
        # both servers serve this checkpoint.
        self.assertEqual(look("hidden from", servers[1], **policy)["reason"], "witness_quorum")
        for server in servers:
            server.cosigned = [cosigned]
        self.assertEqual(look("first with", servers[0], **policy)["reason"], "valid")
        found = look("second with", servers[1], **policy)
        self.assertEqual(found["reason"], "fork")
        self.judge("second with", Path(found["evidence"]), True)

    def test_two_heads_for_two_clients_of_one_auditor(self):
        """The auditor follows the history that the first client is shown, and the second client is shown another history. The second client
        first gets an alarm because no auditor covers the answer. Then it detects the fork by the checkpoints that the auditor cosigned."""
        shown = honest_log("two-heads")
        other = copy.deepcopy(shown)
        SCENARIOS["forks"].lie(other)
        servers = [self.enterContext(Server(log)) for log in (shown, other)]
        log = types.SimpleNamespace(data=self.folder / "log", queries=servers[:1], environment=clean_environment())
        log.data.mkdir()
        (log.data / "trust.json").write_text(shown.anchor.render())
        auditor = Auditor(self.folder / "auditor", log)
        self.assertEqual(auditor.once().code, VALID)
        self.assertEqual(auditor.newest_signed(), len(shown.records))
        cosigned = base64.b64decode(json.loads((auditor.folder_of() / "signed.json").read_text())["note"])
        trust = {lag: json.dumps(json.loads(shown.anchor.render()) | {"auditors": {"required": 1, "max_lag_ms": lag, "keys": [{"key": auditor.vkey, "first_epoch": 0}]}}) for lag in (1, 3_600_000)}

        def look(client: str, server: Server, lag: int = 3_600_000) -> Run:
            folder = self.folder / client
            folder.mkdir(exist_ok=True)
            (folder / "trust.json").write_text(trust[lag])
            return self.client(client, server, "lookup", "alice")

        # The second client first believes the answer. When it looks again with a short limit, it gets the alarm that the audit is overdue.
        for lag, code, overdue in ((3_600_000, VALID, False), (1, INVALID, True)):
            run = look("second", servers[1], lag)
            said, = run.lines()
            self.assertEqual((run.code, said["reason"], said["value"], said["audited"], "overdue" in said), (code, "valid", "mallory's", "not-yet", overdue), str(run))
        state = ("--json", "--query-url", servers[1].url, "--trust", str(self.folder / "second/trust.json"), "--data", str(self.folder / "second/lookup"))
        listed = self.optiks("overdue", *state).lines()[0]
        self.assertEqual((listed["reason"], [one["epoch"] for one in listed["overdue"]]), ("overdue", [len(other.records) - 1]))
        for server in servers:
            with Client(server.url) as anyone:
                self.assertEqual(anyone.request("POST", "/cosigned", cosigned).status, 200)
        first, = look("first", servers[0]).lines()
        self.assertEqual((first["reason"], first["value"], first["audited"]), ("valid", "alice 2", "valid"))
        found = look("second", servers[1])
        self.assertEqual((found.code, found.lines()[0]["reason"]), (FORK, "fork"), str(found))
        evidence = Path(found.lines()[0]["evidence"])
        self.judge("second", evidence, True)
        # The evidence has both signed views, and names the cosigner of the view that the client was not shown.
        self.assertIn(f"{auditor.vkey.partition('+')[0]} cosigned", (evidence / "README.txt").read_text())
        # The client's verdict stays, whatever the server shows from then on.
        servers[1].log = shown
        self.assertEqual(look("second", servers[1]).code, FORK)
        # The auditor finds the same fork when it is shown the second client's history, and signs nothing more.
        servers[0].log = other
        run = auditor.once()
        self.assertEqual((run.code, run.lines()[0]["reason"], run.lines()[0]["proven"]), (FORK, "fork", True), str(run))
        self.judge("second", Path(run.lines()[0]["evidence"]), True)
        self.assertEqual(auditor.newest_signed(), len(shown.records))

    @staticmethod
    def add_checkpoint(witness: Witness, log: Log, old: int) -> bytes | None:
        """Sends an add-checkpoint request of C2SP tlog-witness. Returns the checkpoint with the witness's cosignature line, or None if the
        witness refuses the request."""
        size = len(log.records)
        note = log.checkpoint(size)
        proof = board.make_consistency(log.entries(size), old) if old else []
        body = f"old {old}\n" + "".join(base64.b64encode(one).decode() + "\n" for one in proof) + "\n" + note.decode()
        with Client(witness.url) as client:
            answer = client.request("POST", "/add-checkpoint", body.encode())
        return note + answer.body if answer.status == 200 else None

    def test_whoever_has_the_scenario_can_try_another_client(self):
        """Starts a scenario with the command line of malicious.py, as the tester of another client would."""
        listed = subprocess.run([sys.executable, ROOT / "tests/reference/malicious.py", "--list"], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual([name for name in SCENARIOS if name not in listed.stdout], [])
        name = "drops-a-leaf"
        program = subprocess.Popen([sys.executable, ROOT / "tests/reference/malicious.py", name, "--folder", self.folder / name], stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.wait)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.kill)
        server = types.SimpleNamespace(url=program.stdout.readline().split(" ", 1)[0])
        self.assertEqual(self.client(name, server, "lookup", "bob").lines()[0]["value"], "bob 1")
        with Client(server.url) as anyone:
            self.assertEqual(anyone.request("POST", "/turn", b"").status, 200)
        self.assertEqual(self.client(name, server, "lookup", "bob").lines()[0]["reason"], "record_count")


if __name__ == "__main__":
    unittest.main()
