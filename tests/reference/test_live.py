"""Tests live.py with an HTTP server made of directory.py: an honest server passes, and lying servers do not."""

import contextlib
import io
import json
import re
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import board
import live
from codec import LookupAnswer, Reader, VersionsAnswer
from directory import Directory
from mutations import flip

API_KEY = "optiks_test"


class Handler(BaseHTTPRequestHandler):
    directory: Directory
    change = staticmethod(lambda path, body: body)

    def log_message(self, *_) -> None:
        pass

    def answer(self, body: bytes | None, kind: str = "application/octet-stream") -> None:
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", kind)
        body = self.change(self.path, body) if body is not None else b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        d = self.directory
        if found := re.fullmatch(r"/v1/epochs/(\d+)-(\d+)/audit-proof", self.path):
            self.answer(d.audit(int(found[1]), int(found[2])).encode(), live.MEDIA + "audit-proof")
        elif self.path == "/log/checkpoint":
            self.answer(d.checkpoint(len(d.records)))
        else:
            self.answer(self.files().get(self.path))

    def files(self) -> dict[str, bytes]:
        """Returns the tiles of a log of at most 255 records."""
        d = self.directory
        size = len(d.records)
        bundle = b"".join(len(r.encode()).to_bytes(2, "big") + r.encode() for r in d.records)
        return {
            "/log/" + board.tile_path("entries", 0, size): bundle,
            "/log/" + board.tile_path("0", 0, size): b"".join(d.entries(size)),
        }

    def do_POST(self) -> None:
        d = self.directory
        form, kept = re.fullmatch(r"/v1/(\w+)(?:\?checkpoint_size=(\d+))?", self.path).groups()
        body = Reader(self.rfile.read(int(self.headers["Content-Length"])))
        queries = body.elements(1, 2**24 - 1, lambda r: (r.opaque(1, 255), r.uint(8), r.uint(8)))
        body.finish()
        head = d.head(d.epoch, kept_size=int(kept or 0))
        if form == "lookup":
            made = LookupAnswer(head, [d.lookup_item(d.epoch, key, version) for key, _, version in queries])
        else:
            assert self.headers["Authorization"] == f"Bearer {API_KEY}"
            items = [d.versions_item(d.epoch, key, start) for key, _, start in queries]
            made = VersionsAnswer(head, items)
        self.answer(made.encode(), live.MEDIA + form)


class LiveServer:
    """An HTTP server with a directory, against which the tests run live.py."""

    handler: type[Handler] = Handler

    @classmethod
    def begin(cls, d: Directory) -> None:
        cls.d = d
        cls.folder = tempfile.TemporaryDirectory()
        cls.trust = Path(cls.folder.name) / "trust.json"
        cls.trust.write_text(d.anchor.render())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_live(self, change=lambda path, body: body, *more: str) -> tuple[int, str]:
        handler = type("Changed", (self.handler,), {"directory": self.d, "change": staticmethod(change)})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        output = io.StringIO()
        url = f"http://127.0.0.1:{server.server_port}"
        try:
            with contextlib.redirect_stdout(output):
                code = live.main(["--query-url", url, "--trust", str(self.trust), "--key", "alice", *more])
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
        return code, output.getvalue()


class LiveTest(LiveServer, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        start = time.time_ns() // 1_000_000 - 30_000
        d = Directory(seed=71, start_ms=start)
        d.publish({b"user-%d" % i: b"first" for i in range(20)})
        for i in range(6):
            d.publish({b"alice": b"alice %d" % i, b"user-%d" % i: b"second"})
        d.publish({})
        cls.begin(d)

    def test_honest_server(self):
        export = Path(self.folder.name) / "export.json"
        more = ("--key", "user-1", "--api-key", API_KEY, "--export", str(export))
        code, output = self.run_live(lambda path, body: body, *more)
        self.assertEqual(code, 0, output)
        self.assertNotRegex(output, "(?m)^skipped")
        rows = json.loads(export.read_text())["vectors"]
        self.assertEqual({row["form"] for row in rows}, {"lookup", "history", "monitor", "audit"})
        self.assertGreater(len({row["kind"] for row in rows if row["reason"] != "valid"}), 150)
        self.assertGreater(len({row["reason"] for row in rows}), 40)

    def test_too_few_changed_answers_is_a_failure(self):
        code, output = self.run_live(lambda path, body: body, "--at-least", "100000")
        self.assertEqual(code, 1)
        self.assertIn("fewer than 100000", output)

    def test_lying_servers(self):
        for part, where, reason in (
            ("/log/checkpoint", -5, "checkpoint_"),
            ("/log/tile/0/", 40, "inclusion_proof"),
            ("/log/tile/entries/", 400, "inclusion_proof"),
            ("audit-proof", -1, "append_|malformed_"),
            ("/v1/lookup", -1, "absent_root"),
            ("/v1/lookup", 300, "record_|inclusion_proof"),
        ):
            with self.subTest(part):
                code, output = self.run_live(lambda path, body, p=part, w=where: flip(body, w) if p in path else body)
                self.assertEqual(code, 1, output)
                self.assertRegex(output.splitlines()[-1], reason)

    def test_another_trust_anchor(self):
        good = self.trust.read_text()
        self.trust.write_text(Directory(seed=72).anchor.render())
        try:
            code, output = self.run_live()
        finally:
            self.trust.write_text(good)
        self.assertEqual(code, 1)
        self.assertIn("checkpoint_signature", output)


if __name__ == "__main__":
    unittest.main()
