"""A proxy in front of query-services that changes their answers. A client that verifies answers must refuse changed answers."""

import http.server
import threading
from collections.abc import Callable
from dataclasses import replace

from ports import free_port
from rest import Answer, Client

Change = Callable[[str, Answer], Answer]
"""Makes the answer from the request's path and the honest server's answer."""


def honest(_: str, answer: Answer) -> Answer:
    return answer


class LyingProxy:
    """Use as a context manager. `target` is the honest server that the proxy asks, and `change` is the function that changes its answers. A
    test may replace both while the proxy runs. `asked` has the paths and bodies of all requests."""

    def __init__(self, target: str, change: Change = honest):
        self.target, self.change = target, change
        self.asked: list[tuple[str, bytes | None]] = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self._pass_on(None)

            def do_POST(self):
                self._pass_on(self.rfile.read(int(self.headers["Content-Length"])))

            def _pass_on(self, body: bytes | None) -> None:
                proxy.asked.append((self.path, body))
                key = self.headers.get("Authorization", "").removeprefix("Bearer ")
                with Client(proxy.target, key or None) as client:
                    said = client.request(self.command, self.path, body, self.headers.get("Content-Type"), self.headers.get("Accept"))
                answer = proxy.change(self.path, said)
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers.get("content-type", "application/octet-stream"))
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                try:
                    self.wfile.write(answer.body)
                except ConnectionError:
                    # The client closed the connection before it got the answer.
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def change_bodies(self, change: Callable[[str, bytes], bytes]) -> None:
        """Makes the proxy change the bodies of all answers from now on, except the bodies of problems."""
        self.change = lambda path, said: replace(said, body=change(path, said.body)) if said.status == 200 else said

    def __enter__(self) -> "LyingProxy":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
