"""A server that answers from the directory of directory.py like a query-service (docs/spec/rest.md), but only in binary forms, and without
limits and credentials."""

import http.server
import json
import re
import threading
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import board
import facts
from board import TILE
from codec import Reader, encoded_all, uint, vector
from codec_users import PartRecord
from directory import Directory

MEDIA = "application/vnd.optiks."
TEXT, OCTETS, JSON = "text/plain; charset=utf-8", "application/octet-stream", "application/json"
Said = tuple[str, bytes] | None


class Server:
    """A context manager that serves `log`, which a test may replace while the server runs. `cosigned` has the cosigned notes that the
    server serves; POST /cosigned adds a note. `turn` is called on POST /turn."""

    def __init__(self, log: Directory, port: int = 0, turn: Callable[[], None] = lambda: None):
        self.log, self.turn = log, turn
        self.cosigned: list[bytes] = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self._answer(server.get(self.path))

            def do_POST(self):
                self._answer(server.post(self.path, self.rfile.read(int(self.headers.get("Content-Length", 0)))))

            def _answer(self, said: Said) -> None:
                kind, body = said or ("application/problem+json", b'{"type": "urn:optiks:problem:not-found", "title": "There is no such thing here.", "status": 404}')
                self.send_response(200 if said else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def get(self, target: str) -> Said:
        path, query = split(target)
        log, size = self.log, len(self.log.records)
        if path == "/log/checkpoint":
            return TEXT, log.checkpoint(size)
        if path.startswith("/log/tile/"):
            tile = _tile(log, path.removeprefix("/log/"))
            return None if tile is None else (OCTETS, tile)
        if path == "/v1/cosignatures":
            return JSON, json.dumps({"checkpoints": [note.decode() for note in self.cosigned]}).encode()
        if path == "/v1/epochs/latest":
            return MEDIA + "head", _head(log, query).encode()
        if path == "/v1/periods":
            return MEDIA + "periods", _head(log, query).encode() + _bounds(log, query["from"])
        if one := re.fullmatch(r"/v1/epochs/(\d+)", path):
            epoch = int(one[1])
            return (MEDIA + "record", log.records[epoch].encode()) if epoch < size else None
        if step := re.fullmatch(r"/v1/epochs/(\d+)(?:-(\d+))?/audit-proof", path):
            first, last = (int(step[1]), int(step[2])) if step[2] else (int(step[1]) - 1, int(step[1]))
            return (MEDIA + "audit-proof", log.audit(first, last).encode()) if first < last < size else None
        return None

    def post(self, target: str, body: bytes) -> Said:
        path, query = split(target)
        if path == "/turn":
            self.turn()
            return TEXT, b"turned\n"
        if path == "/cosigned":
            self.cosigned.append(body)
            return TEXT, b"handed out from now on\n"
        form = path.removeprefix("/v1/")
        if form not in ("lookup", "history", "monitor"):
            return None
        log, asked = self.log, _queries(Reader(body))
        epoch = self.epoch_of(query)
        head = log.head(epoch, kept_size=self.kept_size(query))
        if form == "lookup":
            known = [version if period == log.period and version <= log.latest(epoch, key) else 0 for key, period, version in asked]
            items = [log.lookup_item(epoch, key, before) for (key, _, _), before in zip(asked, known, strict=True)]
        else:
            items = [log.versions_item(epoch, key, max(version, 1)) for key, _, version in asked]
        return MEDIA + form, head.encode() + vector(2**32 - 1, encoded_all(items))

    def epoch_of(self, query: dict[str, int]) -> int:
        """Returns the last epoch of the requested ended period, or the newest epoch if no period is requested."""
        return self.log.last_epoch(query["period"]) if "period" in query else self.log.epoch

    def kept_size(self, query: dict[str, int]) -> int:
        """Returns the size of the client's kept checkpoint, or 0 for a checkpoint that this log never had."""
        kept = query.get("checkpoint_size", 0)
        return kept if kept <= len(self.log.records) else 0


def split(target: str) -> tuple[str, dict[str, int]]:
    parts = urlsplit(target)
    return parts.path, {name: int(values[0]) for name, values in parse_qs(parts.query).items()}


def _queries(r: Reader) -> list[tuple[bytes, int, int]]:
    return r.elements(1, 2**24 - 1, lambda one: (one.opaque(1, facts.MAX_KEY_LEN), one.uint(8), one.uint(8)))


def _head(log: Directory, query: dict[str, int]):
    return log.head(log.epoch, kept_size=query.get("checkpoint_size", 0))


def _bounds(log: Directory, first: int) -> bytes:
    """Returns the answer with the records of the first and the last epoch of each period from period `first` on (docs/spec/periods.md
    section 4)."""
    epochs = []
    for period in range(first, log.period + 1):
        of_it = [r.epoch for r in log.records if r.period == period]
        epochs += [of_it[0]] if period == log.period or len(of_it) == 1 else [of_it[0], of_it[-1]]
    hashes = log.entries(len(log.records))
    return vector(2**24 - 1, encoded_all([PartRecord(log.records[epoch].encode(), board.make_inclusion(hashes, epoch)) for epoch in epochs]))


def _tile(log: Directory, path: str) -> bytes | None:
    """Returns a tile as C2SP tlog-tiles defines it, or None if the tile does not exist."""
    found = re.fullmatch(r"tile/(entries|\d+)/((?:x\d{3}/)*\d{3})(?:\.p/(\d+))?", path)
    if found is None:
        return None
    index = int(found[2].replace("x", "").replace("/", ""))
    width = int(found[3] or TILE)
    if found[1] == "entries":
        entries = [r.encode() for r in log.records][index * TILE : index * TILE + width]
        return b"".join(uint(len(entry), 2) + entry for entry in entries) if len(entries) == width else None
    span = TILE ** int(found[1])
    hashes = log.entries(len(log.records))
    below = [hashes[start : start + span] for start in range(index * TILE * span, (index * TILE + width) * span, span)]
    return b"".join(map(board.root_of, below)) if len(below[-1]) == span else None
