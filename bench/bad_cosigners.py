"""Three auditors and three witnesses that a query-service asks for cosignatures. One auditor and one witness are dead, another auditor and
witness are slow, and the third auditor and witness make invalid cosignatures."""

import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from figures import ROOT

sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/reference")]

import board
import cosigners
import ed25519
from harness import Deployment
from lying import LyingProxy
from ports import free_port
from rest import Answer, Client

KINDS = ("auditor", "witness")
# The time that a slow cosigner takes. It is shorter than the time for which a query-service waits for a cosigner.
SLOW_SECONDS = 5
PATIENCE = 60
TYPE = {"content-type": "text/plain; charset=utf-8"}


class BadCosigners:
    """Runs the cosigners, and writes to `file` the policy that names the cosigners. Use as a context manager."""

    def __init__(self, log: Deployment, file: Path):
        self._log, self.file = log, file
        self._servers = ExitStack()
        self._keys: dict[str, board.LogKey] = {}

    def __enter__(self) -> "BadCosigners":
        lines = []
        for number, (kind, fault) in enumerate((kind, fault) for kind in KINDS for fault in ("dead", "slow", "false")):
            seed = bytes([number]) * 32
            key = board.LogKey(f"{fault}.example/{kind}", ed25519.public_key(seed), board.KEY_TYPE_COSIGNER)
            self._keys[key.name] = key
            url = f"http://127.0.0.1:{free_port()}" if fault == "dead" else self._serve(key, seed, fault)
            lines.append(f"witness {kind}-{fault} {key.vkey} {url}\n")
        self.file.write_text("".join(lines) + "quorum none\n")
        return self

    def wait_handed_out(self, service: Client) -> None:
        """Waits until the query-service returns the cosignatures of the slow cosigners. Raises AssertionError if it returns a cosignature
        of another cosigner, or if PATIENCE seconds pass first."""
        deadline = time.monotonic() + PATIENCE
        while True:
            notes = [note.encode() for note in service.get("/v1/cosignatures").json()["checkpoints"]]
            handed_out = {name for note in notes for name in board.verify_cosignatures(note, list(self._keys.values()))}
            slow = {name for name in self._keys if name.startswith("slow.")}
            if handed_out == slow:
                return
            if not handed_out <= slow or time.monotonic() > deadline:
                raise AssertionError(f"handed out is what {sorted(handed_out)} cosigned")
            time.sleep(0.2)

    def __exit__(self, *_) -> None:
        self._servers.close()

    def _serve(self, key: board.LogKey, seed: bytes, fault: str) -> str:
        def answer(_: str, said: Answer) -> Answer:
            if fault == "slow":
                time.sleep(SLOW_SECONDS)
            with self._log.query_client() as client:
                note = cosigners.cosign(key, seed, client.get("/log/checkpoint").body, int(time.time()))
            if fault == "false":
                # Four characters of the cosigner's line, which is the last line, are replaced, so that its signature is invalid.
                note = note[:-12] + (b"AAAA" if note[-12:-8] != b"AAAA" else b"BBBB") + note[-8:]
            return replace(said, status=200, headers=TYPE, body=note)

        return self._servers.enter_context(LyingProxy(self._log.query.url, answer)).url
