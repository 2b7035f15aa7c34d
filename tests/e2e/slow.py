"""Slow clients, which request large answers and read little of them, or which send little of the body that they announced. One thread runs
all clients."""

import selectors
import socket
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

OCTETS_A_SECOND = 400
# The clients' receive buffer in octets. It has about the kernel's minimum size, so that unread data stays with the server.
RECEIVE_BUFFER = 4096


@dataclass(frozen=True)
class Slow:
    """The work that one client repeats: it sends `request` at once and `rest` slowly, and reads the answer slowly."""

    url: str
    request: Callable[[], bytes]
    rest: bytes = b""


@dataclass
class _Connection:
    kind: Slow
    link: socket.socket | None = None
    unsent: bytes = b""
    status: bytes = b""
    opened: float = 0
    slow_sent: int = 0


class SlowClients:
    """Runs slow clients. They connect from `source`, an address of this machine, so that the services can tell them from the honest
    callers. Use as a context manager."""

    def __init__(self, clients: list[Slow], source: str):
        self.answers: Counter[str] = Counter()
        """The number of answers by status; "ended" counts connections that the server closed, and "refused" connections that it did not
        accept."""
        self._connections = [_Connection(client) for client in clients]
        self._source = source
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "SlowClients":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            started = time.monotonic()
            for connection in self._connections:
                try:
                    self._turn(connection)
                except OSError:
                    self.answers["refused" if connection.opened == 0 else "ended"] += 1
                    self._close(connection)
            self._stop.wait(max(0.0, 1 - (time.monotonic() - started)))
        for connection in self._connections:
            self._close(connection)

    def _turn(self, connection: _Connection) -> None:
        """Does the work of one client. The thread calls this method once a second for each client."""
        if connection.link is None:
            self._open(connection)
        if connection.unsent:
            sent = connection.link.send(connection.unsent)
            connection.unsent = connection.unsent[sent:]
        elif connection.slow_sent < len(connection.kind.rest):
            connection.slow_sent += connection.link.send(connection.kind.rest[connection.slow_sent:connection.slow_sent + OCTETS_A_SECOND])
        with selectors.DefaultSelector() as selector:
            selector.register(connection.link, selectors.EVENT_READ)
            if not selector.select(0):
                return
        read = connection.link.recv(OCTETS_A_SECOND)
        if not read:
            self.answers["ended"] += 1
            self._close(connection)
        elif not connection.status:
            connection.status = read.partition(b"\r\n")[0]
            status = connection.status.split()[1].decode()
            self.answers[status] += 1
            if status != "200":
                # An answer with a status other than 200 is short, so the client has nothing to read slowly.
                self._close(connection)

    def _open(self, connection: _Connection) -> None:
        parts = urllib.parse.urlsplit(connection.kind.url)
        connection.link = socket.socket()
        connection.link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        connection.link.bind((self._source, 0))
        connection.link.settimeout(5)
        connection.link.connect((parts.hostname, parts.port))
        connection.opened = time.monotonic()
        connection.unsent = connection.kind.request()

    @staticmethod
    def _close(connection: _Connection) -> None:
        if connection.link is not None:
            connection.link.close()
        connection.link, connection.status, connection.unsent, connection.slow_sent, connection.opened = None, b"", b"", 0, 0.0
