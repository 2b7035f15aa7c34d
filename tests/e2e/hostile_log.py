"""A log whose operator lies about users and signs: the Python reference's directory behind HTTP, as the command line asks it."""

import http.server
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from harness import ROOT
from ports import free_port

sys.path.insert(0, str(ROOT / "tests/reference"))

import pahd
from codec import Reader
from codec_users import DeviceList
from directory import STEP_MS
from directory_users import At
from users import Asked, Kept, KeptList
from vectors_users_lies import Liar

MEDIA = "application/vnd.optiks."
# So many steps before now the log began: its newest record is fresh, and none is of the future.
AGE_STEPS = 100

Answer = Callable[[list[Asked], int], bytes]
"""What is answered to a request, given whom it is about and the size of the checkpoint that its client keeps."""


def young_log(**configuration) -> Liar:
    return Liar(seed=91, start_ms=time.time_ns() // 1_000_000 - AGE_STEPS * STEP_MS, **configuration)


class HostileLog:
    """Use as a context. Answers are those of `answer`, which may be replaced while it runs; by default they are true."""

    def __init__(self, d: Liar):
        self.d = d
        self.answer: Answer = self.honest
        self.asked: list[Asked] = []
        """Of the last request."""
        log = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self._reply(404, "application/problem+json", b'{"type":"urn:optiks:problem:not-found","title":"There is no such thing here.","status":404}')

            def do_POST(self):
                parts = urllib.parse.urlsplit(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if parts.path != "/v1/users/lookup":
                    self.do_GET()
                    return
                kept = urllib.parse.parse_qs(parts.query).get("checkpoint_size", ["0"])
                log.asked = log.questions(body)
                self._reply(200, MEDIA + "user-lookup", log.answer(log.asked, int(kept[0])))

            def _reply(self, status: int, media_type: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", media_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def trust(self, folder: Path) -> Path:
        """The file with the log's trust anchor."""
        path = folder / "trust.json"
        path.write_text(self.d.anchor.render())
        return path

    def honest(self, asked: list[Asked], kept_size: int) -> bytes:
        return self.of(asked, kept_size)

    def of(self, asked: list[Asked], kept_size: int, at: At | None = None, epoch: int | None = None) -> bytes:
        """True at these epochs, however late it is."""
        when = None if at is None else [at for _ in asked]
        return self.d.user_lookup(asked, when, epoch, kept_size=kept_size).encode()

    def questions(self, body: bytes) -> list[Asked]:
        """A UserQueryList (docs/spec/rest.md section 4), with what the client says that it knows."""

        def question(r: Reader) -> Asked:
            name, device, knows_user, period, version = r.opaque(1, 255), r.opaque(0, 255), r.discriminant(2), r.uint(8), r.uint(8)
            known = r.elements(0, 2**24 - 1, lambda key: (key.opaque(1, 255), key.uint(8)))
            user = self.d.users.get(name) if knows_user else None
            listed = KeptList(pahd.Known(period, version), DeviceList([]).encode()) if version else None
            return Asked(name, device or None, Kept(user, devices=listed, keys={one: pahd.Known(period, number) for one, number in known}))

        reader = Reader(body)
        asked = reader.elements(1, 2**24 - 1, question)
        reader.finish()
        return asked

    def __enter__(self) -> "HostileLog":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def known_alone(asked: list[Asked]) -> list[Asked]:
    """The same questions of clients that know nothing: what is answered to them shows all."""
    return [replace(one, kept=Kept()) for one in asked]
