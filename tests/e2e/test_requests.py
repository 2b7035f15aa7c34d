"""Tests malformed requests to running services. Each gets a 4xx problem document that names the field, and changes nothing. For each kind,
one valid request is the control."""

import base64
import json
import unittest
from dataclasses import dataclass

from harness import Deployment
from rest import Client, b64, uuid7

PROBLEM = "urn:optiks:problem:"
JSON = "application/json"
MALFORMED = "malformed-request"
HOUR_MS = 3_600_000
MAX_VALUE, MAX_KEY, MAX_BODY = 65_536, 255, 8 << 20


@dataclass(frozen=True)
class Case:
    body: bytes
    problem: str = MALFORMED
    field: str | None = None
    status: int = 400
    content_type: str | None = JSON


def case(document, problem: str = MALFORMED, field: str | None = None, status: int = 400) -> Case:
    body = document.encode() if isinstance(document, str) else json.dumps(document).encode()
    return Case(body, problem, field, status)


def update(**members) -> dict:
    return {"key": "k", "value": "v"} | members


def padded(length: int) -> bytes:
    return json.dumps(update()).encode().ljust(length)


# For each kind of update request: the refused requests, and an accepted request that differs little from them.
UPDATES: dict[str, tuple[list[Case], Case]] = {
    "not JSON": ([case("", field="$"), case("{", field="$"), case("nonsense", field="$"), case('{"key":"k","value":"v"} {}', field="$"),
                  case('{"key":"k",/* */"value":"v"}', field="$.key"), Case(b'{"key":"\xff","value":"v"}', field="$")],
                 case('\n {"key":"k","value":"v"} \n')),
    "wrong type": ([case("5", field="$"), case("null", field="$"), case([5], field="$[0]"), case(update(key=5), field="$.key"),
                    case(update(value=None), field="$.value"), case(update(request_id=7), field="$.request_id"),
                    case({"items": {}}, field="$.items"), case([update(), update(value=[])], field="$[1].value")],
                   case([update()])),
    "unknown, missing or doubled members": (
        [case(update(vaule="v"), field="$.vaule"), case({"key": "k"}, field="$.value"), case({"value": "v"}, field="$.key"),
         case('{"key":"k","value":"v","value":"w"}', field="$.value"), case(update(key_b64="aw"), field="$.key_b64"),
         case(update(items=[update()]), field="$.key")],
        case({"items": [update()]})),
    "base64": ([case({"key_b64": "YQ==", "value": "v"}, field="$.key_b64"), case({"key": "k", "value_b64": "a+b/"}, field="$.value_b64"),
                case({"key": "k", "value_b64": "YR"}, field="$.value_b64"), case({"key": "k", "value_b64": "Y"}, field="$.value_b64")],
               case({"key_b64": b64(b"k\xff"), "value_b64": b64(b"\x00\xff")})),
    "length of the key": ([case(update(key=""), "key-length", "$.key"), case(update(key="k" * (MAX_KEY + 1)), "key-length", "$.key"),
                           case(update(key="é" * 128), "key-length", "$.key"),
                           case([update(), {"key_b64": b64(bytes(MAX_KEY + 1)), "value": "v"}], "key-length", "$[1].key_b64")],
                          case(update(key="k" * MAX_KEY))),
    "length of the value": ([case(update(value="v" * (MAX_VALUE + 1)), "value-length", "$.value"),
                             case({"items": [update(), {"key": "l", "value_b64": b64(bytes(MAX_VALUE + 1))}]}, "value-length", "$.items[1].value_b64")],
                            case(update(value="v" * MAX_VALUE))),
    "integers": ([case(update(expected={"period": 0, "version": bad}), field="$.expected.version") for bad in (-1, 1.5, 2**53, "1")]
                 + [case(update(expected={"version": 0}), field="$.expected.period")],
                 case(update(key="never set", expected={"period": 0, "version": 0}))),
    "number of elements": ([case([], "batch-length", "$"), case({"items": []}, "batch-length", "$.items"),
                            case([update()] * 1001, "batch-length", "$"),
                            case({"items": [update(key=f"k{i}") for i in range(257)]}, "batch-length", "$.items")],
                           case({"items": [update(key=f"k{i}") for i in range(256)]})),
    "a key twice": ([case({"items": [update(), update(value="w")]}, "duplicate-key", "$.items[1].key")],
                    case([update(), update(value="w")])),
    "request ids": ([case(update(request_id="5"), field="$.request_id"),
                     case(update(request_id="550e8400-e29b-41d4-a716-446655440000"), field="$.request_id")],
                    case(update(request_id=uuid7()))),
    "content type": ([Case(padded(30), "unsupported-media-type", None, 415, kind) for kind in (None, "text/plain", "application/cbor")],
                     Case(padded(30), content_type="application/json; charset=utf-8")),
    "length of the body": ([Case(padded(MAX_BODY + 1), "body-too-large", None, 413), Case(padded(10_000_000), "body-too-large", None, 413)],
                           Case(padded(MAX_BODY))),
    "depth": ([case("[" * 1000, field="$[0]"), case({"key": "k", "value": "v", "expected": [[]] * 99}, field="$.expected")], case([update()])),
}

QUERIES: dict[str, tuple[list[Case], Case]] = {
    "not JSON": ([case("", field="$"), case("{", field="$"), case('{"key":"alice"},', field="$")], case({"key": "alice"})),
    "wrong type": ([case("5", field="$"), case({"key": 5}, field="$.key"), case([{"key": "a"}, []], field="$[1]")], case([{"key": "alice"}])),
    "members": ([case({}, field="$.key"), case({"key": "a", "kez": 1}, field="$.kez"), case('{"key":"a","key":"a"}', field="$.key"),
                 case({"key": "a", "key_b64": "YQ"}, field="$.key_b64"), case({"key": "a", "known": {"period": 0}}, field="$.known.version")],
                case({"key": "alice", "known": {"period": 0, "version": 1}})),
    "base64": ([case({"key_b64": "YQ=="}, field="$.key_b64")], case({"key_b64": "YQ"})),
    "length of the key": ([case({"key": ""}, "key-length", "$.key"), case({"key": "k" * 256}, "key-length", "$.key")], case({"key": "k" * 255})),
    "number of queries": ([case([], "batch-length", "$"), case([{"key": "a"}] * 257, "batch-length", "$")], case([{"key": "a"}] * 256)),
    "content type": ([Case(b'{"key":"a"}', "unsupported-media-type", None, 415, "text/plain")], case({"key": "a"})),
    "length of the body": ([Case(b'{"key":"a"}'.ljust(10_000_000), "body-too-large", None, 413)], Case(b'{"key":"a"}'.ljust(1 << 20))),
    "binary": ([Case(b"\x00\x00\x13\x01a" + bytes(16), content_type="application/vnd.optiks.query"),
                Case(b"\x00\x00\x11\x00" + bytes(16), content_type="application/vnd.optiks.query")],
               Case(b"\x00\x00\x12\x01a" + bytes(16), content_type="application/vnd.optiks.query")),
}


class RequestTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())
        cls.log.publish(("alice", "a"))

    def refuse(self, client: Client, method: str, path: str, one: Case) -> None:
        with self.subTest(path=path, body=one.body[:60], content_type=one.content_type):
            answer = client.request(method, path, one.body, one.content_type)
            self.assertEqual((answer.status, answer.media_type), (one.status, "application/problem+json"), answer.body)
            problem = answer.json()
            self.assertEqual((problem["type"], problem["status"]), (PROBLEM + one.problem, one.status))
            self.assertLessEqual({"title", "detail", "trace_id"}, set(problem))
            if one.field is not None:
                self.assertEqual(problem.get("field"), one.field, problem)

    def settle(self, client: Client, answer) -> None:
        """Waits until all accepted requests are decided, so that the facts in the database do not change afterwards."""
        accepted = answer.json()
        for one in accepted if isinstance(accepted, list) else [accepted]:
            self.assertEqual(client.get(f"{one['status_url']}?wait=60").json()["status"], "published")

    def test_updates(self):
        with self.log.update_client(timeout=90) as client:
            for kind, (refused, control) in UPDATES.items():
                before = self.log.facts()
                for one in refused:
                    self.refuse(client, "POST", "/v1/updates", one)
                self.assertEqual(self.log.facts(), before, kind)
                accepted = client.request("POST", "/v1/updates", control.body, control.content_type)
                self.assertEqual(accepted.status, 202, f"{kind}: {accepted.body}")
                self.settle(client, accepted)
                self.assertNotEqual(self.log.facts(), before, kind)

    def test_update_ids(self):
        """Sends request ids with a wrong time, and an id that an earlier request used."""
        with self.log.update_client(timeout=90) as client:
            now = int(uuid7().replace("-", "")[:12], 16)
            used = uuid7()
            first = client.post_json("/v1/updates", update(key="once", request_id=used))
            self.assertEqual(first.status, 202)
            self.settle(client, first)
            before = self.log.facts()
            for when in (now + HOUR_MS, now - 25 * HOUR_MS):
                self.refuse(client, "POST", "/v1/updates", case(update(request_id=uuid7(when)), "request-id-time", "$.request_id"))
            self.refuse(client, "POST", "/v1/updates", case(update(key="once", value="w", request_id=used), "request-id-reused", "$.request_id", 409))
            self.assertEqual(client.post_json("/v1/updates", update(key="once", request_id=used)).status, 202)
            self.assertEqual(self.log.facts(), before)
            self.settle(client, client.post_json("/v1/updates", update(request_id=uuid7(now - 23 * HOUR_MS))))
            self.assertNotEqual(self.log.facts(), before)

    def test_callers(self):
        body, before = json.dumps(update()).encode(), self.log.facts()
        for key in (None, "optiks_" + base64.urlsafe_b64encode(bytes(32)).decode().rstrip("=")):
            with Client(self.log.update.url, key) as client:
                self.refuse(client, "POST", "/v1/updates", Case(body, "unauthorized", None, 401))
            with Client(self.log.query.url, key) as client:
                self.refuse(client, "POST", "/v1/history", Case(b'{"key":"alice"}', "unauthorized", None, 401))
        self.assertEqual(self.log.facts(), before)
        with self.log.query_client() as client:
            self.assertEqual(client.post_json("/v1/history", {"key": "alice"}).status, 200)

    def test_queries(self):
        before = self.log.facts()
        with self.log.query_client() as client:
            for kind, (refused, control) in QUERIES.items():
                for one in refused:
                    self.refuse(client, "POST", "/v1/lookup", one)
                self.assertEqual(client.request("POST", "/v1/lookup", control.body, control.content_type).status, 200, kind)
            for path in ("/v1/history", "/v1/monitor"):
                self.refuse(client, "POST", path, case({"key": "a", "from": 0}, field="$.from"))
                self.refuse(client, "POST", path, case({"key": "a", "known": {"period": 0, "version": 1}}, field="$.known"))
                self.assertEqual(client.post_json(path, {"key": "a", "from": 1}).status, 200)
        self.assertEqual(self.log.facts(), before)

    def test_paths(self):
        none = Case(b"", "not-found", None, 404, None)
        with self.log.query_client() as query, self.log.update_client() as updates:
            newest = query.get("/v1/epochs/latest", JSON).json()["record_fields"]["epoch"]
            for path, problem, status in (("/v1/epochs/x", MALFORMED, 400), ("/v1/epochs/01", MALFORMED, 400), ("/v1/epochs/999999", "not-found", 404),
                                          ("/v1/epochs/0/audit-proof", "not-found", 404), ("/v1/epochs/1-0/audit-proof", MALFORMED, 400),
                                          ("/v1/epochs/0-257/audit-proof", "range-too-large", 422), ("/v1/lookup", MALFORMED, 400),
                                          ("/v1/epochs/latest?checkpoint_size=x", MALFORMED, 400), ("/v1/nothing", "not-found", 404)):
                self.refuse(query, "GET", path, Case(b"", problem, None, status, None))
            for path, field in (("/v1/lookup?key=alice&keys=1", "?keys"), ("/v1/lookup?Key=alice", "?Key"), ("/v1/lookup?key=alice&key=bob", "?key"),
                                ("/v1/lookup?key=%ff", "?"), ("/v1/epochs/0?min=1", "?min"), ("/health/ready?a", "?a"), ("/v1/epochs/x", "{epoch}")):
                self.refuse(query, "GET", path, Case(b"", MALFORMED, field, 400, None))
            for path in ("/v1/epochs/latest", f"/v1/epochs/{newest}", "/v1/lookup?key=alice", "/log/checkpoint"):
                self.refuse(query, "GET", f"{path}{'&' if '?' in path else '?'}min_epoch={newest + 1000}",
                            Case(b"", "not-caught-up", "?min_epoch", 503, None) if path != "/log/checkpoint" else Case(b"", MALFORMED, "?min_epoch", 400, None))
            self.refuse(query, "DELETE", "/v1/lookup", Case(b"", "method-not-allowed", None, 405, None))
            for good in ("/v1/epochs/0", f"/v1/epochs/{newest}", f"/v1/epochs/0-{newest}/audit-proof", "/v1/lookup?key=alice"):
                self.assertEqual(query.get(good).status, 200, good)
            self.refuse(updates, "GET", f"/v1/updates/{uuid7()}", none)
            self.refuse(updates, "GET", "/v1/updates/7", Case(b"", MALFORMED, "{request_id}", 400, None))
            self.refuse(updates, "GET", f"/v1/updates/{uuid7()}?waits=1", Case(b"", MALFORMED, "?waits", 400, None))


if __name__ == "__main__":
    unittest.main()
