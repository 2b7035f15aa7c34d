"""Compares the board with files of C2SP programs (tests/vectors/tlog), and Ed25519 with RFC 8032."""

import base64
import json
import unittest
from pathlib import Path

import board
import ed25519
from board import LogKey
from refused import Refused

TLOG = Path(__file__).resolve().parent.parent / "vectors" / "tlog"

def load(name: str) -> dict:
    return json.loads((TLOG / name).read_text())


def hashes(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


class BoardTest(unittest.TestCase):
    def test_cosignatures(self):
        rows = load("cosignatures.json")
        keys = load("keys.json")
        cosigners = [LogKey.parse(key["vkey"], board.KEY_TYPE_COSIGNER) for key in [*keys["witnesses"], keys["auditor"]]]
        self.assertEqual((len(rows["valid"]), len(rows["invalid"])), (27, 20))
        for row in rows["valid"]:
            key = LogKey.parse(row["vkey"], board.KEY_TYPE_COSIGNER)
            self.assertEqual(key.vkey, row["vkey"])
            self.assertEqual(board.verify_cosignatures(row["note"].encode(), cosigners), {key.name: row["timestamp"]}, row["id"])
        for row in rows["invalid"]:
            with self.subTest(row["id"]):
                # verify_cosignatures accepts two kinds of invalid notes. If only the cosignature's time is wrong, the caller must compare
                # the time with the clock. If no known cosigner signed the note, the result is empty.
                if row["id"] == "milliseconds":
                    self.assertGreater(*board.verify_cosignatures(row["note"].encode(), cosigners).values(), 10**12)
                elif row["id"] in ("key-id-of-type-0x01", "other-name"):
                    self.assertEqual(board.verify_cosignatures(row["note"].encode(), cosigners), {})
                else:
                    with self.assertRaises(Refused):
                        board.verify_cosignatures(row["note"].encode(), cosigners)

    def test_ed25519(self):
        # The vectors are TEST 1 to 3 of RFC 8032 section 7.1.
        for seed, public, message, signature in (
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
                "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
        ):
            seed, public, message, signature = map(bytes.fromhex, (seed, public, message, signature))
            self.assertEqual(ed25519.public_key(seed), public)
            self.assertEqual(ed25519.sign(seed, message), signature)
            self.assertTrue(ed25519.verify(public, message, signature))
            self.assertFalse(ed25519.verify(public, message + b"\0", signature))
            s_plus_l = int.from_bytes(signature[32:], "little") + ed25519.L
            self.assertFalse(ed25519.verify(public, message, signature[:32] + s_plus_l.to_bytes(32, "little")))

    def test_notes(self):
        notes = load("notes.json")
        self.assertEqual(len(notes["vectors"]), 92)
        key = LogKey.parse(notes["known_vkeys"][0])
        self.assertEqual(key.vkey, notes["known_vkeys"][0])
        rows = load("../board/notes.json")["vectors"]
        decided = {row["kind"].removeprefix("c2sp "): row["reason"] for row in rows if row["kind"].startswith("c2sp ")}
        self.assertEqual(set(decided), {row["id"] for row in notes["vectors"]})
        for row in notes["vectors"]:
            # Our verifier refuses every note that C2SP refuses, with one exception: it does not verify lines of other signers, so it
            # accepts notes in which only such lines are wrong.
            if row["spec_expectation"]["checkpoint"].startswith("reject") and row["id"] != "log-good-witness-bad":
                self.assertNotEqual(decided[row["id"]], "valid", row["id"])
        for row in rows:
            with self.subTest(row["kind"]):
                try:
                    board.verify_checkpoint(bytes.fromhex(row["note"]), notes["expected_origin"], key)
                    self.assertEqual(row["reason"], "valid")
                except Refused as refused:
                    self.assertEqual(row["reason"], refused.reason)

    def test_roots_and_checkpoints(self):
        entries = load("log/entries.json")["entries"]
        leaves = [board.leaf_hash(base64.b64decode(entry["data_base64"])) for entry in entries]
        self.assertEqual([leaf.hex() for leaf in leaves], [entry["leaf_hash_hex"] for entry in entries])
        roots = load("log/roots.json")["root_hex"]
        self.assertEqual(len(roots), 601)
        for size in range(0, 601, 7):
            self.assertEqual(board.root_of(leaves[:size]).hex(), roots[size])
        keys = load("keys.json")["log"]
        seed = bytes.fromhex(keys["seed_hex"])
        key = LogKey(keys["name"], ed25519.public_key(seed))
        for row in load("log/sizes.json")["sizes"]:
            made = board.make_checkpoint(key, seed, row["size"], bytes.fromhex(row["root_hex"]))
            self.assertEqual(made.decode(), row["checkpoint"])

    def test_inclusion(self):
        rows = load("inclusion.json")["vectors"]
        self.assertEqual(sum(row["valid"] for row in rows), 60)
        self.assertEqual(len(rows), 80)
        for row in rows:
            leaf, root = bytes.fromhex(row["leaf_hash_hex"]), bytes.fromhex(row["root_hex"])
            found = board.verify_inclusion(leaf, row["index"], row["size"], root, hashes(row["proof_hex"]))
            self.assertEqual(found, row["valid"], row["id"])

    def test_consistency(self):
        rows = load("consistency.json")["vectors"]
        self.assertEqual(len(rows), 80)
        checked = []
        for row in rows:
            if not 0 < row["size1"] < row["size2"]:
                continue
            old, new = bytes.fromhex(row["root1_hex"]), bytes.fromhex(row["root2_hex"])
            found = board.verify_consistency(row["size1"], old, row["size2"], new, hashes(row["proof_hex"]))
            self.assertEqual(found, row["valid"], row["id"])
            checked.append(found)
        self.assertGreater(checked.count(True), 45)
        self.assertGreater(checked.count(False), 10)

    def test_made_proofs_verify(self):
        leaves = [board.leaf_hash(bytes([i])) for i in range(40)]
        for size in range(1, 41):
            root = board.root_of(leaves[:size])
            for index in range(size):
                proof = board.make_inclusion(leaves[:size], index)
                self.assertTrue(board.verify_inclusion(leaves[index], index, size, root, proof))
                self.assertFalse(board.verify_inclusion(leaves[index], index ^ 1, size, root, proof) and size > 1)
            for old in range(1, size):
                proof = board.make_consistency(leaves[:size], old)
                old_root = board.root_of(leaves[:old])
                self.assertTrue(board.verify_consistency(old, old_root, size, root, proof))
                self.assertFalse(board.verify_consistency(old, root, size, root, proof))

    def test_log_from_tiles_alone(self):
        files = {str(p.relative_to(TLOG / "log" / "tree")): p for p in (TLOG / "log" / "tree").rglob("*") if p.is_file()}

        def fetch(path: str) -> bytes | None:
            return files[path].read_bytes() if path in files else None

        entries = load("log/entries.json")["entries"]
        for row in load("log/sizes.json")["sizes"]:
            checkpoint = board.Checkpoint(row["size"], bytes.fromhex(row["root_hex"]))
            found = board.verify_tiles(fetch, checkpoint)
            self.assertEqual(found, [base64.b64decode(entry["data_base64"]) for entry in entries[: row["size"]]])
        for path in ("tile/0/001", "tile/1/000.p/2", "tile/entries/002.p/88"):
            def changed(wanted: str, path: str = path) -> bytes | None:
                content = fetch(wanted)
                return content[:-1] + bytes([content[-1] ^ 1]) if wanted == path else content

            with self.assertRaises(Refused, msg=path):
                board.verify_tiles(changed, checkpoint)

    def test_tile_paths(self):
        self.assertEqual(board.tile_path("0", 1234067), "tile/0/x001/x234/067")
        self.assertEqual(board.tile_path("entries", 5, 3), "tile/entries/005.p/3")


if __name__ == "__main__":
    unittest.main()
