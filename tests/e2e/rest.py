"""A small HTTP client for the two services, and a function that makes the UUIDs of update requests."""

import base64
import http.client
import json
import os
import ssl
import time
import urllib.parse
import uuid
from collections import deque
from dataclasses import dataclass


def b64(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")


def uuid7(now_ms: int | None = None) -> str:
    """Returns a UUID of RFC 9562: 48 bits of time in ms, version 7, random bits."""
    milliseconds = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    number = milliseconds << 80 | int.from_bytes(os.urandom(10), "big")
    number = number & ~(0xF << 76) & ~(0x3 << 62) | 0x7 << 76 | 0x2 << 62
    return str(uuid.UUID(int=number))


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip()

    def json(self):
        return json.loads(self.body)


class Client:
    """A client of one service, with one connection at a time. Not thread-safe. Raises OSError or http.client.HTTPException if the transport
    fails."""

    def __init__(
        self, url: str, api_key: str | None = None, timeout: float = 30, tls: ssl.SSLContext | None = None, source: str | None = None, headers: dict[str, str] | None = None,
        reopens: bool = False
    ):
        """`tls` is the TLS context for a server with TLS. `source` is the address of this machine that the server sees. `headers` has
        additional headers for each request. If `reopens` is set and the server has closed the connection, for example because it was idle,
        the client sends the request again on a new connection. Set `reopens` only for requests that may be sent twice."""
        self._address = _address(url)
        self._api_key = api_key
        self._timeout = timeout
        self._tls = tls
        self._source = (source, 0) if source is not None else None
        self._headers = headers or {}
        self._reopens = reopens
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def request(
        self, method: str, path: str, body: bytes | None = None, content_type: str | None = None, accept: str | None = None
    ) -> Answer:
        headers = dict(self._headers)
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key}"
        if content_type is not None:
            headers["Content-Type"] = content_type
        if accept is not None:
            headers["Accept"] = accept
        was_kept = self._connection is not None
        if self._connection is None:
            self._connection = self._connect()
        try:
            self._connection.request(method, path, body=body, headers=headers)
            response = self._connection.getresponse()
            answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if self._reopens and was_kept and isinstance(error, ConnectionError):
                return self.request(method, path, body, content_type, accept)
            raise
        if response.will_close:
            self.close()
        return answer

    def _connect(self) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(*self._address, timeout=self._timeout, source_address=self._source)
        return http.client.HTTPSConnection(*self._address, timeout=self._timeout, source_address=self._source, context=self._tls)

    def get(self, path: str, accept: str | None = None) -> Answer:
        return self.request("GET", path, accept=accept)

    def post_json(self, path: str, document, accept: str | None = None) -> Answer:
        return self.request("POST", path, json.dumps(document).encode(), "application/json", accept)


class FailoverClient(Client):
    """A client of several equivalent services. If a service fails or is unavailable, the client asks the next service."""

    def __init__(self, urls: list[str], api_key: str | None = None, timeout: float = 30):
        self._urls = deque(urls)
        super().__init__(urls[0], api_key, timeout)

    def request(
        self, method: str, path: str, body: bytes | None = None, content_type: str | None = None, accept: str | None = None
    ) -> Answer:
        try:
            answer = super().request(method, path, body, content_type, accept)
        except (OSError, http.client.HTTPException):
            self._turn()
            raise
        if answer.status == 503:
            self._turn()
        return answer

    def _turn(self) -> None:
        self.close()
        self._urls.rotate(-1)
        self._address = _address(self._urls[0])


def _address(url: str) -> tuple[str, int]:
    parts = urllib.parse.urlsplit(url)
    return parts.hostname, parts.port
