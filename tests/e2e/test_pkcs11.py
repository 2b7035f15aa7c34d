"""Tests a log and an auditor whose keys are in a real PKCS#11 token (SoftHSM2). Only the Python reference verifies their signatures."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import OUT, ROOT, Deployment, Run

sys.path.insert(0, str(ROOT / "tests/reference"))
import board  # noqa: E402

MODULE = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "4711"


class Token:
    """A PKCS#11 token for one test, in its own folder."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-token-"))
        self.tokens = self.folder / "tokens"
        self.tokens.mkdir()
        configuration = self.folder / "softhsm2.conf"
        configuration.write_text(f"directories.tokendir = {self.tokens}\nobjectstore.backend = file\nlog.level = ERROR\n")
        self.environment = {"SOFTHSM2_CONF": str(configuration)}
        subprocess.run(
            ["softhsm2-util", "--init-token", "--free", "--label", "e2e", "--so-pin", "0815", "--pin", PIN], env=os.environ | self.environment, capture_output=True, text=True, timeout=60, check=True)
        self.pin = self.folder / "pin"
        self.write_pin(PIN)

    def write_pin(self, pin: str) -> None:
        self.pin.write_text(pin + "\n")
        self.pin.chmod(0o600)

    def uri(self, key: str) -> str:
        return f"pkcs11:token=e2e;object={key}?module-path={MODULE}&pin-source={self.pin}"

    def close(self) -> None:
        shutil.rmtree(self.folder)


class TokenTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.token = Token()
        cls.addClassCleanup(cls.token.close)
        cls.log = cls.enterClassContext(Deployment({"Optiks__LogKey__Uri": cls.token.uri("log"), **cls.token.environment}))

    def test_a_log_is_signed_by_the_token_and_waits_for_it(self):
        self.assertFalse((self.log.data / "log.key").exists())
        epoch = self.log.publish(("alice", "a1"))["epoch"]
        key = board.LogKey.parse(json.loads((self.log.data / "trust.json").read_text())["log_key"])
        checkpoint = board.verify_checkpoint((self.log.data / "board/log/checkpoint").read_bytes(), key.name, key)
        self.assertGreater(checkpoint.size, epoch)
        said = self.log.optiks("lookup", "alice")
        self.assertEqual(said.code, 0, said)

        # A wrong PIN ends the start after one try, because further tries would lock the token.
        self.assertEqual(self.log.task.stop(), 0)
        self.token.write_pin("none-of-it")
        self.log.task.start()
        self.assertEqual(self.log.task.wait(60), 78)
        self.assertIn("refused the PIN", self.log.task.log_end())
        self.assertNotIn("none-of-it", self.log.task.log())
        self.token.write_pin(PIN)

        # While the token is missing, the services wait for it.
        away = self.token.folder / "away"
        self.token.tokens.rename(away)
        self.token.tokens.mkdir()
        self.log.task.start()
        self.log.task.wait_unready("key cannot be used")
        self.token.tokens.rmdir()
        away.rename(self.token.tokens)
        self.log.task.wait_ready()
        self.log.publish(("alice", "a2"))
        self.assertEqual(self.log.optiks("audit").code, 0)

    def test_an_auditor_signs_with_the_token(self):
        file = self.token.folder / "auditor.key"
        made = self.optiks("auditor", "init", "--name", "auditor.example/token", "--key-file", str(file), "--pkcs11", self.token.uri("auditor"), "--json")
        self.assertEqual(made.code, 0, made)
        vkey = json.loads(made.out)["vkey"]
        self.assertEqual(file.read_text(), f"{vkey}\n{self.token.uri('auditor')}\n")
        looked = self.optiks(
            "auditor", "--once", "--key-file", str(file), "--trust", str(self.log.data / "trust.json"), "--query-url", self.log.query.url, "--mark", str(self.token.folder / "mark"))
        self.assertEqual(looked.code, 0, looked)
        (signed,) = (self.log.data / "auditor").glob("*/signed.json")
        note = base64.b64decode(json.loads(signed.read_text())["note"])
        self.assertEqual(list(board.verify_cosignatures(note, [board.LogKey.parse(vkey, board.KEY_TYPE_COSIGNER)])), ["auditor.example/token"])

        witness = self.optiks("witness", "init", "witness.example/token", "--folder", str(self.token.folder / "witness"), "--pkcs11", self.token.uri("w").replace("e2e", "none"))
        self.assertEqual(witness.code, 3, witness)
        self.assertIn("there is no such token", witness.error)

    def test_the_token_wraps_the_logs_secrets(self):
        """Tests a rotation of the key-encryption key from the file into the token, while services run, and the services' behaviour without
        the token."""

        def run(*arguments: str) -> str:
            done = self.log.optiks_db("kek", *arguments)
            self.assertEqual(done.code, 0, done)
            return done.out

        (old,) = [line.split()[0] for line in run("list").splitlines()]
        line = self.token.folder / "kek-in-token"
        new = run("new", "--out", str(line), "--pkcs11", self.token.uri("kek")).strip()
        self.assertEqual(line.read_text(), self.token.uri("kek") + "\n")
        run("add", str(line))
        self.assertIn(f"rewrapped with {new}", run("rotate"))
        run("remove", old)
        self.assertEqual((self.log.data / "kek").read_text(), self.token.uri("kek") + "\n")

        away = self.token.folder / "away"
        for process in (self.log.task, self.log.query):
            self.assertEqual(process.stop(), 0)
        self.token.tokens.rename(away)
        self.token.tokens.mkdir()
        for process in (self.log.task, self.log.query):
            process.start()
        self.log.task.wait_unready("key cannot be used")
        self.log.query.wait_unready("there is no such token")
        self.token.tokens.rmdir()
        away.rename(self.token.tokens)
        for process in (self.log.task, self.log.query):
            process.wait_ready()
        self.log.publish(("bob", "b1"))
        self.assertEqual(self.log.optiks("lookup", "bob").code, 0)

    def optiks(self, *arguments: str) -> Run:
        done = subprocess.run([OUT / "cli/optiks", *arguments], env=self.log.environment, capture_output=True, text=True, timeout=120, check=False)
        return Run(done)


if __name__ == "__main__":
    unittest.main()
