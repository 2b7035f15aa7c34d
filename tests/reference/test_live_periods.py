"""Tests live.py --periods with an HTTP server made of directory.py: a server that switched its period passes, and lying servers do not."""

import re
import time
import unittest

import live
import test_live
from codec import Reader, VersionsAnswer
from directory import Directory
from mutations import flip
from vectors_periods import LENGTH_MS, bounds_of, first_period, periods_answer, switch

ALICE, BOB = b"alice", b"bob"


class Handler(test_live.Handler):
    """Adds /v1/periods and ?period to the handler of test_live.py. `gone` has the periods that are no longer served."""

    gone: tuple[int, ...] = (0,)

    def do_GET(self) -> None:
        d = self.directory
        if found := re.fullmatch(r"/v1/periods\?from=(\d+)", self.path):
            self.answer(periods_answer(d, bounds_of(d, int(found[1]), d.epoch)).encode(), live.MEDIA + "periods")
        else:
            super().do_GET()

    def do_POST(self) -> None:
        d = self.directory
        found = re.fullmatch(r"/v1/(\w+)\?period=(\d+)", self.path)
        if not found:
            super().do_POST()
            return
        period = int(found[2])
        body = Reader(self.rfile.read(int(self.headers["Content-Length"])))
        queries = body.elements(1, 2**24 - 1, lambda r: (r.opaque(1, 255), r.uint(8), r.uint(8)))
        if period in self.gone or period >= d.period:
            self.send_response(410 if period in self.gone else 404)
            self.end_headers()
            return
        last = d.last_epoch(period)
        made = VersionsAnswer(d.head(last), [d.versions_item(last, key, start) for key, _, start in queries])
        self.answer(made.encode(), live.MEDIA + found[1])


class LivePeriodsTest(test_live.LiveServer, unittest.TestCase):
    handler = Handler

    @classmethod
    def setUpClass(cls):
        start = time.time_ns() // 1_000_000 - 60_000
        d = first_period(Directory(seed=73, start_ms=start, period_length_ms=LENGTH_MS))
        switch(d)
        d.publish({b"user-%d" % i: b"first" for i in range(8)} | {ALICE: b"alice 4"})
        d.publish({ALICE: b"alice 5", b"user-1": b"second"})
        switch(d)
        d.publish({ALICE: b"alice 6", BOB: b"bob 2"})
        d.publish({ALICE: b"alice 7", b"user-2": b"second"})
        cls.begin(d)

    def test_honest_server(self):
        more = ("--key", "bob", "--absent", "nobody", "--periods", "--api-key", test_live.API_KEY)
        code, output = self.run_live(lambda path, body: body, *more)
        self.assertEqual(code, 0, output)
        self.assertIn("verified the bounds of 3 periods", output)
        self.assertIn("verified hand-over of 3 keys to period 2", output)
        for reason in ("period_bounds", "handover_period", "handover_value", "handover_unset", "handover_missing", "410", "404"):
            self.assertRegex(output, rf"(?m)^refused .*: {reason}$")

    def test_lying_servers(self):
        more = ("--absent", "nobody", "--periods", "--api-key", test_live.API_KEY)
        for part, where, reason in (
            ("/v1/periods", -1, "inclusion_proof"),
            ("/v1/periods", 90, "inclusion_proof|record_"),
            ("?period=1", -1, "absent_root"),
            ("?period=1", 90, "record_|inclusion_proof"),
        ):
            with self.subTest(part):
                code, output = self.run_live(lambda path, body, p=part, w=where: flip(body, w) if p in path else body, *more)
                self.assertEqual(code, 1, output)
                self.assertRegex(output.splitlines()[-1], reason)

    def test_a_period_that_is_gone_too_early(self):
        self.handler = type("Gone", (Handler,), {"gone": (0, 1)})
        code, output = self.run_live(lambda path, body: body, "--absent", "nobody", "--periods", "--api-key", test_live.API_KEY)
        self.assertEqual(code, 1, output)
        self.assertIn("HTTP 410", output.splitlines()[-1])
