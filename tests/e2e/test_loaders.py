"""Tests the loaders of bench/ on a running log, with a few synthetic keys and a small keyring that has the typical contents of real
keyrings."""

import base64
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from harness import OUT, ROOT, Deployment

sys.path.insert(0, str(ROOT / "bench"))

import openpgp
import rest
from openpgp import PUBLIC_KEY, PUBLIC_SUBKEY, SIGNATURE, TRUST, USER_ATTRIBUTE, USER_ID, MalformedKeyring


def old(tag: int, body: bytes) -> bytes:
    return bytes([0x80 | tag << 2 | 1]) + len(body).to_bytes(2, "big") + body


def new(tag: int, body: bytes) -> bytes:
    if len(body) < 192:
        return bytes([0xC0 | tag, len(body)]) + body
    if len(body) < 8384:
        return bytes([0xC0 | tag, (len(body) - 192 >> 8) + 192, len(body) - 192 & 255]) + body
    return bytes([0xC0 | tag, 255]) + len(body).to_bytes(4, "big") + body


def key_body(created: int, seed: int) -> bytes:
    return b"\x04" + created.to_bytes(4, "big") + b"\x16" + bytes([seed]) * 40


def signature_body(by: bytes, padding: int = 0) -> bytes:
    hashed, other = b"\x05\x02" + bytes(4), b"\x09\x10" + by
    return b"\x04\x13\x16\x08" + len(hashed).to_bytes(2, "big") + hashed + len(other).to_bytes(2, "big") + other + bytes(padding)


def key_id(body: bytes) -> bytes:
    return openpgp.TransferableKey((openpgp.Packet(PUBLIC_KEY, body, b""),)).fingerprint[-8:]


ALICE, JANE = key_body(2000, 1), key_body(1000, 2)
OTHER = b"\xaa" * 8
ALICE_KEY = (old(PUBLIC_KEY, ALICE) + new(USER_ID, "Alicé <Alice@example.org>".encode()) + new(SIGNATURE, signature_body(key_id(ALICE)))
             + old(USER_ID, b"alice@work.example") + old(SIGNATURE, signature_body(key_id(ALICE)))
             + new(PUBLIC_SUBKEY, key_body(2001, 3)) + new(SIGNATURE, signature_body(key_id(ALICE), 300)))
JANE_OWN = (new(PUBLIC_KEY, JANE) + new(USER_ID, "Jäne <jane@köln.example>".encode("latin-1")) + new(SIGNATURE, signature_body(key_id(JANE)))
            + old(USER_ID, b"Jane, once Alice's secretary <alice@example.org>") + old(SIGNATURE, signature_body(key_id(JANE))))
CERTIFICATIONS = b"".join(new(SIGNATURE, signature_body(OTHER, 9000)) for _ in range(8))
JANE_KEY = JANE_OWN + CERTIFICATIONS + new(USER_ATTRIBUTE, bytes(300)) + new(SIGNATURE, signature_body(key_id(JANE)))
KEYRING = ALICE_KEY + old(TRUST, b"\x00\x01") + JANE_KEY


class KeyringTest(unittest.TestCase):
    def test_keys_and_addresses(self):
        alice, jane = openpgp.transferable_keys(KEYRING)
        self.assertEqual((alice.octets(), jane.octets()), (ALICE_KEY, JANE_KEY))
        self.assertEqual((alice.created, jane.created), (2000, 1000))
        self.assertEqual(alice.addresses(), ["alice@example.org", "alice@work.example"])
        self.assertEqual(jane.addresses(), ["jane@köln.example", "alice@example.org"])
        self.assertEqual((alice.own_octets(), jane.own_octets()), (ALICE_KEY, JANE_OWN))

    def test_malformed(self):
        partial = bytes([0xC0 | PUBLIC_KEY, 0xE1]) + bytes(2)
        endless = bytes([0x80 | PUBLIC_KEY << 2 | 3]) + ALICE
        for keyring in (KEYRING[:-1], KEYRING[:1], b"\x00" + KEYRING, KEYRING[len(old(PUBLIC_KEY, ALICE)):], partial, endless):
            with self.assertRaises(MalformedKeyring):
                openpgp.transferable_keys(keyring)
        self.assertEqual(openpgp.transferable_keys(b""), [])


class LoadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def load(self, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        environment = os.environ | {"OPTIKS_DATA": str(self.log.data), "OPTIKS_OUT": str(OUT), "OPTIKS_QUERY_URL": self.log.query.url,
                                    "OPTIKS_UPDATE_URL": self.log.update.url} | environment
        return subprocess.run([sys.executable, ROOT / "bench" / script, *arguments], env=environment, capture_output=True, text=True,
                              timeout=300, check=False)

    def test_keyring(self):
        path = self.folder / "keyring.gpg"
        path.write_bytes(KEYRING)
        done = self.load("load_keyring.py", "--keyring", str(path))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 keys, 3 addresses", done.stdout)
        self.assertIn("1 loaded without others' certifications, 0 left out", done.stdout)
        # Jane's key is older, although it comes second in the keyring.
        history = self.log.optiks("history", "alice@example.org", "--json").lines()[0]["versions"]
        self.assertEqual([next(openpgp.packets(_octets(version))).body for version in history], [JANE, ALICE])

    def test_a_keyring_whose_values_need_several_answers(self):
        """The values together have more octets than one answer may have, so the command line asks for them in several requests."""
        keys = [key_body(3000 + i, i) for i in range(90)]
        path = self.folder / "long.gpg"
        path.write_bytes(b"".join(
            old(PUBLIC_KEY, key) + new(USER_ID, b"long-%d@example.org" % i) + 6 * new(SIGNATURE, signature_body(key_id(key), 9000)) for i, key in enumerate(keys)))
        done = self.load("load_keyring.py", "--keyring", str(path))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("looked up and verified: 90 addresses", done.stdout)

    def test_a_kept_connection_that_the_server_closed_is_opened_again(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            served = []

            def serve() -> None:
                for _ in range(2):
                    link, _ = server.accept()
                    with link:
                        served.append(link.recv(65536).split(b" ")[1])
                        link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

            thread = threading.Thread(target=serve)
            thread.start()
            url = f"http://127.0.0.1:{server.getsockname()[1]}"
            with rest.Client(url, reopens=True) as kept:
                self.assertEqual((kept.get("/1").body, kept.get("/2").body), (b"ok", b"ok"))
            thread.join()
            self.assertEqual(served, [b"/1", b"/2"])

    def test_synthetic(self):
        done = self.load("load_synthetic.py", "--keys", "2500", "--lookups", "300", "--versions", "20")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for expected in ("2,500 keys accepted and published", "300 random lookups verified", "carries R(20) = [1, 2, 4, 8, 16, 20] and the absence of [21, 22, 24, 32]"):
            self.assertIn(expected, done.stdout)

    def test_failures(self):
        (self.folder / "broken.gpg").write_bytes(KEYRING[:-1])
        for keyring, expected in (("missing.gpg", "No such file"), ("broken.gpg", "ends within the packet")):
            done = self.load("load_keyring.py", "--keyring", str(self.folder / keyring))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(expected, done.stderr)
        refused = self.load("load_synthetic.py", "--keys", "10", OPTIKS_API_KEY="optiks_" + "A" * 43)
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn("HTTP 401", refused.stderr)


def _octets(version: dict) -> bytes:
    text = version["value_b64"]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


if __name__ == "__main__":
    unittest.main()
