"""A storage server that implements as much of S3 as the update-task needs, with conditional writes. Readers need only HTTP."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

NAME = "board"


class Bucket:
    """Use as a context manager. `objects` has the contents, content type and cache control of each object, by the object's key."""

    def __init__(self):
        self.objects: dict[str, tuple[bytes, str, str]] = {}
        self.lock = threading.Lock()
        self.is_down = False
        bucket = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                bucket.get(self)

            def do_PUT(self):
                bucket.put(self)

            def do_DELETE(self):
                with bucket.lock:
                    bucket.objects.pop(bucket.key(self), None)
                bucket.answer(self, 204)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.endpoint}/{NAME}"
        self.settings = {
            "Optiks__Bucket__Name": NAME, "Optiks__Bucket__ServiceUrl": self.endpoint, "Optiks__Bucket__PathStyle": "true", "Optiks__Bucket__RetryAfter": "00:00:00.200",
            "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}

    def __enter__(self) -> "Bucket":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()

    @staticmethod
    def key(request: BaseHTTPRequestHandler) -> str:
        return unquote(urlsplit(request.path).path).removeprefix(f"/{NAME}/")

    @staticmethod
    def tag(contents: bytes) -> str:
        """Returns an object's entity tag. The tag looks like the tag of an object that was uploaded in parts, so that no client takes it
        for a hash of the contents."""
        return f'"{hashlib.sha256(contents).hexdigest()[:32]}-1"'

    @staticmethod
    def answer(request: BaseHTTPRequestHandler, status: int, body: bytes = b"", **headers: str) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        if status != 204:
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def fail(self, request: BaseHTTPRequestHandler, status: int, code: str) -> None:
        self.answer(request, status, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode(), Content_Type="application/xml")

    def get(self, request: BaseHTTPRequestHandler) -> None:
        query = parse_qs(urlsplit(request.path).query)
        if self.is_down:
            self.fail(request, 503, "ServiceUnavailable")
        elif "list-type" in query:
            with self.lock:
                keys = sorted(key for key in self.objects if key.startswith(query.get("prefix", [""])[0]))
            listed = "".join(f"<Contents><Key>{escape(key)}</Key></Contents>" for key in keys)
            self.answer(request, 200, f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>'.encode(), Content_Type="application/xml")
        elif (found := self.objects.get(self.key(request))) is None:
            self.fail(request, 404, "NoSuchKey")
        else:
            contents, kind, cache = found
            self.answer(request, 200, contents, ETag=self.tag(contents), Content_Type=kind, Cache_Control=cache)

    def put(self, request: BaseHTTPRequestHandler) -> None:
        contents = request.rfile.read(int(request.headers["Content-Length"]))
        if self.is_down:
            self.fail(request, 503, "ServiceUnavailable")
            return
        key, headers = self.key(request), request.headers
        with self.lock:
            present = self.objects.get(key)
            holds = (headers["If-None-Match"] is None or present is None) and (headers["If-Match"] is None or (present is not None and self.tag(present[0]) == headers["If-Match"]))
            if holds:
                self.objects[key] = (contents, headers["Content-Type"], headers["Cache-Control"])
        if holds:
            self.answer(request, 200, ETag=self.tag(contents))
        else:
            self.fail(request, 412, "PreconditionFailed")
