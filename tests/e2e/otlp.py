"""An OTLP/HTTP collector that keeps the data that services send (opentelemetry-proto, collector/*/v1). It decodes enough protobuf to read
the names of metrics and spans."""

import gzip
import http.server
import threading
from dataclasses import dataclass, field


def fields(message: bytes):
    """Yields (number, value) of a protobuf message's fields: length-delimited fields as octets, other fields as integers."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            octet = message[at]
            at += 1
            value |= (octet & 0x7F) << shift
            shift += 7
            if octet < 0x80:
                return value

    while at < len(message):
        number, kind = divmod(varint(), 8)
        if kind == 0:
            yield number, varint()
            continue
        length = {1: 8, 5: 4}[kind] if kind != 2 else varint()
        if at + length > len(message):
            raise ValueError("a field ends beyond its message")
        octets = message[at:at + length]
        at += length
        yield number, octets if kind == 2 else int.from_bytes(octets, "little")


def at_path(message: bytes, *path: int):
    """Yields all values that are at a path of field numbers in a message."""
    for number, value in fields(message):
        if number == path[0]:
            if len(path) == 1:
                yield value
            else:
                yield from at_path(value, *path[1:])


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str
    attributes: frozenset[str]
    """The keys of the attributes on any of the metric's points."""


@dataclass(frozen=True)
class Span:
    service: str
    name: str
    id: bytes
    parent: bytes
    links: int


@dataclass
class Received:
    """The payloads that the collector has received so far."""

    payloads: dict[str, list[bytes]] = field(default_factory=lambda: {"metrics": [], "traces": [], "logs": []})

    def metrics(self) -> dict[tuple[str, str], Metric]:
        """Returns the received metrics, by (service, name)."""
        found = {}
        for service, scope in self._scopes("metrics"):
            for metric in at_path(scope, 2):
                name, unit = (b"".join(at_path(metric, number)).decode() for number in (1, 3))
                # Field numbers of opentelemetry-proto: a Metric has its gauge in field 5, its sum in field 7 and its histogram in field 9.
                # Each of these has its points in field 1. A point of a gauge or a sum has its attributes in field 7, a point of a histogram
                # in field 9.
                keys = {key.decode() for data, point in ((5, 7), (7, 7), (9, 9)) for key in at_path(metric, data, 1, point, 1)}
                known = found.get((service, name))
                found[service, name] = Metric(name, unit, frozenset(keys) | (known.attributes if known else frozenset()))
        return found

    def spans(self) -> list[Span]:
        return [Span(service, b"".join(at_path(span, 5)).decode(), b"".join(at_path(span, 2)), b"".join(at_path(span, 4)), len(list(at_path(span, 13))))
                for service, scope in self._scopes("traces") for span in at_path(scope, 2)]

    def logs(self) -> list[tuple[str, str]]:
        """Returns (service, body) of each received log record."""
        return [(service, body.decode()) for service, scope in self._scopes("logs") for body in at_path(scope, 2, 5, 1)]

    def _scopes(self, signal: str):
        # Field numbers of each kind of payload: the list of resources is field 1. In it, the resource is field 1, with its attributes in
        # field 1 (key 1, value 2, whose string is 1), and the list of scopes is field 2.
        for payload in list(self.payloads[signal]):
            for resource in at_path(payload, 1):
                names = [b"".join(at_path(attribute, 2, 1)).decode() for attribute in at_path(resource, 1, 1)
                         if b"".join(at_path(attribute, 1)) == b"service.name"]
                for scope in at_path(resource, 2):
                    yield names[0] if names else "", scope


class Collector:
    """The collector's HTTP server. Use as a context manager. `url` is the OTLP endpoint."""

    def __init__(self):
        self.received = Received()
        received = self.received

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                received.payloads[self.path.rsplit("/", 1)[1]].append(body)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Collector":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
