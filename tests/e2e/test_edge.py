"""Tests nginx with the configuration of deploy/nginx in front of three query-services and two update-services. The tests check which
requests reach which service. They also check that no lookup fails, whatever happens to a service."""

import json
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from edge import PROXY_SETTING, UNLIMITED, Edge
from harness import OUT, Deployment, Process, Run
from rest import Answer, Client

MEBIOCTET = 1 << 20
# The number of requests that an update-service accepts at once from a caller without a credential. It is small, so that the tests soon
# exceed it.
BURST = 30
LIMITS = {"Optiks__RateLimits__Statuses__PerSecond": "0.01", "Optiks__RateLimits__Statuses__Burst": str(BURST)}
NOBODY = "/v1/updates/01900000-0000-7000-8000-000000000000"
# This replacement is for deployments where apps send updates for their users.
OPEN = ("    # include snippets/optiks-updates.conf;", "    include snippets/optiks-updates.conf;")
SECRET_NAME = "alice-whom-no-log-knows"


def said_last(link: ssl.SSLSocket) -> bytes:
    """Returns the first line that arrives before the connection ends; it is empty if the connection was reset."""
    try:
        return link.recv(4096).partition(b"\r\n")[0]
    except TimeoutError:
        raise
    except OSError:
        return b""


class EdgeCase(unittest.TestCase):
    """One log and one nginx in front of it for all tests of a class."""

    SETTINGS: dict[str, str] = {}

    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment({**PROXY_SETTING, **cls.SETTINGS}, replicas=3))
        cls.log.other_update.start()
        cls.log.other_update.wait_ready()
        cls.edge = cls.enterClassContext(Edge(cls.log, OPEN, *UNLIMITED))
        cls.log.publish(("alice", "a1"), (SECRET_NAME, "s1"))

    def client(self, url: str | None = None, key: str | None = None, certificate: str | None = None, **options) -> Client:
        return Client(url or self.edge.url, key, tls=self.edge.certificates.context(certificate), **options)

    def optiks(self, *arguments: str, **environment: str) -> Run:
        command = [OUT / "cli/optiks", *arguments, "--json", "--query-url", self.edge.url, "--update-url", self.edge.url]
        return Run(subprocess.run(command, env=self.log.environment | environment, capture_output=True, text=True, timeout=120, check=False))

    @classmethod
    def stress(cls, *arguments: str) -> subprocess.Popen:
        command = [OUT / "stress/optiks-stress", *arguments, "--data", cls.log.data, "--query-url", cls.edge.url, "--update-url", cls.edge.url]
        return subprocess.Popen(command, env=cls.log.environment | cls.edge.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def is_problem(self, answer: Answer, status: int, name: str) -> None:
        self.assertEqual((status, "application/problem+json"), (answer.status, answer.media_type), answer.body)
        said = answer.json()
        self.assertEqual((status, f"urn:optiks:problem:{name}"), (said["status"], said["type"]))
        self.assertRegex(said["trace_id"], "^[0-9a-f]{32}$")
        self.assertIn("no-store", answer.headers["cache-control"])


class Passing(EdgeCase):
    # Without protection, this variable would make services believe any caller's statement about the caller's address.
    SETTINGS = {**LIMITS, "ASPNETCORE_FORWARDEDHEADERS_ENABLED": "true"}

    def test_a_lookup_through_it_is_verified_and_only_with_its_authority(self):
        found = self.optiks("lookup", "alice", **self.edge.environment)
        self.assertEqual((0, "present"), (found.code, found.lines()[0]["verdict"]), found)
        self.assertEqual(3, self.optiks("lookup", "alice").code)
        updated = self.optiks("update", "bob", "b1", "--wait", **self.edge.environment)
        self.assertEqual((0, "accepted"), (updated.code, updated.lines()[0]["verdict"]), updated)
        found = self.optiks("lookup", "bob", **self.edge.environment)
        self.assertEqual((0, "present"), (found.code, found.lines()[0]["verdict"]), found)

    def test_tls_is_1_3_and_nothing_older(self):
        for version, is_taken in ((ssl.TLSVersion.TLSv1_3, True), (ssl.TLSVersion.TLSv1_2, False)):
            for port in (self.edge.port, self.edge.updates_port):
                with self.subTest(version=version, port=port):
                    self.assertEqual(is_taken, self.shakes_hands(port, version))

    def test_who_asks_for_another_name_is_shown_no_certificate(self):
        self.assertTrue(self.shakes_hands(self.edge.port, name="localhost"))
        self.assertFalse(self.shakes_hands(self.edge.port, name="other.example"))
        self.assertFalse(self.shakes_hands(self.edge.port, name=None))

    def shakes_hands(self, port: int, version: ssl.TLSVersion | None = None, name: str | None = "localhost") -> bool:
        context = self.edge.certificates.context(version=version)
        # The client accepts any certificate, because the server must be the side that refuses.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
            try:
                with context.wrap_socket(link, server_hostname=name):
                    return True
            except (ssl.SSLError, ConnectionError):
                return False

    def test_http_2_is_spoken(self):
        command = ["curl", "--silent", "--show-error", "--http2", "--cacert", self.edge.certificates.authority, "--write-out", "%{http_version} %{http_code}", "--output", "/dev/null"]
        done = subprocess.run([*command, f"{self.edge.url}/v1/epochs/latest"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual("2 200", done.stdout, done.stderr)

    def test_updates_at_the_operators_port_need_a_certificate_and_a_key(self):
        body = {"key": "carol", "value": "c1"}
        for certificate, key, expected in (("client", self.log.api_key, None), ("client", None, (401, "unauthorized")), (None, self.log.api_key, (403, "forbidden")),
                                           ("stranger", self.log.api_key, (403, "forbidden"))):
            with self.subTest(certificate=certificate, key=key is not None), self.client(self.edge.updates_url, key, certificate) as client:
                answer = client.post_json("/v1/updates", body)
                if expected is None:
                    self.assertEqual(202, answer.status, answer.body)
                else:
                    self.is_problem(answer, *expected)

    def test_what_is_not_for_strangers_is_not_reached(self):
        for path in ("/health/ready", "/health/live", "/metrics", "/internal/snapshot", "/", "/v1/lookup/"):
            with self.subTest(path), self.client() as client:
                self.is_problem(client.get(path), 404, "not-found")
        # nginx and a service would normalize these paths differently.
        odd = ["/log/../health/ready", "/log/%2e%2e/health/ready", "/log%2f..%2fhealth/ready", "/log//../health/ready", "/v1/../internal/snapshot", "/v1/epochs/../../metrics", "//health/ready",
               "/log/a%2fb/../../metrics", "/log/a%2Fb/../../health/ready", "/log/a%2fb/../../internal/snapshot", "/log/a%2fb/../../v1/lookup?key=alice", "/log/..%5chealth/ready", "/log/a\\..\\..\\metrics",
               "/health%2f..%2flog/checkpoint", "/log/..", "/log/.?a"]
        for path in odd:
            with self.subTest(path), self.client() as client, Client(self.log.queries[0].url) as past_nginx, Client(self.log.update.url) as updates:
                for answer in (client.get(path), past_nginx.get(path), updates.get(path)):
                    self.is_problem(answer, 400, "malformed-request")
        for path in ("/log/%252e%252e/health/ready", "/log/tile/..;/health/ready"):
            with self.subTest(path), self.client() as client:
                self.assertIn(client.get(path).status, (400, 404))
        # A path is not refused because a name in it contains dots, or because of the text after the question mark.
        with self.client() as client:
            newest = client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["epoch"]
            self.assertEqual(200, client.get(f"/log/tile/0/000.p/{newest + 1}").status)
            self.is_problem(client.get("/v1/epochs/1?a=../%2f"), 400, "malformed-request")
        reached = [line for line in self.edge.requests() if line["upstream"] and ("health" in line["path"] or "metrics" in line["path"] or "internal" in line["path"])]
        self.assertLessEqual({line["status"] for line in reached}, {400, 404}, reached)

    def test_no_name_is_in_a_log(self):
        with self.client() as client:
            refused = client.get(f"/v1/lookup?key={SECRET_NAME}")
            self.is_problem(refused, 405, "method-not-allowed")
            self.assertEqual("POST", refused.headers["allow"])
            self.assertEqual(200, client.post_json("/v1/lookup", {"key": SECRET_NAME}).status)
            self.assertEqual(404, client.get(f"/?{SECRET_NAME}").status)
        self.assertEqual({200, 405}, {line["status"] for line in self.edge.requests("/v1/lookup")} & {200, 405})
        for file in self.edge.logs.iterdir():
            self.assertNotIn(SECRET_NAME, file.read_text(), file)

    def test_what_never_changes_is_kept_and_the_checkpoint_is_not(self):
        folder = self.log.data / "board/log"
        tile = next(file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.startswith(".") and "tile" in file.parts)
        path = f"/log/{tile.relative_to(folder)}"
        with self.client() as client:
            answers = [client.get(path) for _ in range(2)]
            self.assertEqual([tile.read_bytes()] * 2, [answer.body for answer in answers])
            self.assertIn("immutable", answers[1].headers["cache-control"])
            self.assertEqual(["MISS", "HIT"], [line["cache"] for line in self.edge.requests(path)])
            self.assertEqual("", self.edge.requests(path)[1]["upstream"])
            with Client(self.edge.url, tls=self.edge.certificates.context(), headers={"If-None-Match": answers[0].headers["etag"]}) as knows:
                self.assertEqual(304, knows.get(path).status)
            # The same URL has an answer in JSON and an answer in binary form, and nginx must cache both.
            forms = {accept: client.get("/v1/epochs/0", accept).body for accept in ("application/json", "application/vnd.optiks.record") for _ in range(2)}
            self.assertEqual(2, len(set(forms.values())))
            self.assertEqual(["MISS", "HIT"] * 2, [line["cache"] for line in self.edge.requests("/v1/epochs/0")])
            # nginx must never cache an error, so the same request is sent twice.
            for _ in range(2):
                self.assertEqual(404, client.get("/v1/epochs/999999").status)
            self.assertEqual(["MISS"] * 2, [line["cache"] for line in self.edge.requests("/v1/epochs/999999")])
            # nginx asked each of the replicas for this epoch in turn.
            self.assertEqual(3, len(self.edge.requests("/v1/epochs/999999")[0]["upstream"].split(", ")))
            epoch = self.log.publish(("dora", "d1"))["epoch"]
            self.assertGreater(int(client.get("/log/checkpoint").body.split(b"\n")[1]), epoch)
            self.assertGreaterEqual(client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["epoch"], epoch)
        for path in ("/log/checkpoint", "/v1/epochs/latest"):
            self.assertEqual({""}, {line["cache"] for line in self.edge.requests(path)})

    def test_bodies_are_as_long_as_the_services_take(self):
        for path, key, length in (("/v1/lookup", None, MEBIOCTET), ("/v1/updates", self.log.api_key, 8 * MEBIOCTET)):
            with self.subTest(path), self.client(key=key) as client:
                # nginx passes a body of the maximum length to the service, and the service says what is wrong with it.
                self.is_problem(client.request("POST", path, b" " * length, "application/json"), 400, "malformed-request")
                self.is_problem(client.request("POST", path, b" " * (length + 1), "application/json"), 413, "body-too-large")

    def test_the_services_count_addresses_that_nginx_sees_and_nobody_can_choose_one(self):
        self.assertIn(429, self.ask_often("127.0.0.3", self.client))
        # The client now sends invented addresses, but is still recognized.
        names = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host")
        for i in range(5):
            spoofed = {name: f"for=192.0.2.{i}" if name == "Forwarded" else f"192.0.2.{i}" for name in names}
            with self.client(source="127.0.0.3", headers=spoofed) as client:
                self.assertEqual(429, client.get(NOBODY).status)
        # Other clients are not delayed. This shows that the services do not count requests by nginx's address.
        with self.client(source="127.0.0.4") as client:
            self.assertEqual(401, client.get(NOBODY).status)

    def test_a_service_believes_nobody_but_the_proxy(self):
        """Connects directly to a service, without nginx, from another address than nginx's."""
        with Client(self.log.update.url, source="127.0.0.5") as client:
            self.assertEqual([401] * BURST, [client.get(NOBODY).status for _ in range(BURST)])
        for i in range(3):
            with Client(self.log.update.url, source="127.0.0.5", headers={"X-Forwarded-For": f"192.0.2.{i}"}) as client:
                self.assertEqual(429, client.get(NOBODY).status)
        # A service trusts nginx's address, so it counts this request for the client's address in the header. That client's address has not
        # used up its limit.
        with Client(self.log.update.url, source="127.0.0.1", headers={"X-Forwarded-For": "192.0.2.1"}) as client:
            self.assertEqual(401, client.get(NOBODY).status)

    def ask_often(self, source: str, client_of) -> list[int]:
        with client_of(source=source) as client:
            return [client.get(NOBODY).status for _ in range(3 * BURST)]

    def test_who_asks_nginx_too_often_is_told_so_and_ipv6_counts_by_64_bits(self):
        balancer = "set_real_ip_from 127.0.0.0/8;\nreal_ip_header X-Test-Address;\n"
        with Edge(self.log, OPEN, ("rate=100r/s", "rate=1r/s"), ("burst=500", "burst=4"), more=balancer) as edge:
            def statuses(address: str, count: int) -> list[int]:
                with Client(edge.url, tls=edge.certificates.context(), headers={"X-Test-Address": address}) as client:
                    answers = [client.post_json("/v1/lookup", {"key": "alice"}) for _ in range(count)]
                for answer in answers:
                    if answer.status != 200:
                        self.is_problem(answer, 429, "rate-limited")
                        self.assertEqual("1", answer.headers["retry-after"])
                return [answer.status for answer in answers]

            self.assertEqual([200] * 5 + [429] * 2, statuses("2001:db8:1:2::1", 7))
            self.assertEqual([429], statuses("2001:db8:1:2:ffff:ffff:ffff:ffff", 1))
            self.assertEqual([200], statuses("2001:db8:1:3::1", 1))
            self.assertEqual([200] * 5 + [429], statuses("192.0.2.1", 6))
            self.assertEqual([200], statuses("192.0.2.2", 1))

    def test_slow_clients_are_sent_away_and_hold_up_nobody(self):
        head = b"POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
        connections = 100
        with ExitStack() as stack:
            slow = []
            for i in range(connections):
                link = stack.enter_context(socket.create_connection(("127.0.0.1", self.edge.port), timeout=60))
                secure = stack.enter_context(self.edge.certificates.context().wrap_socket(link, server_hostname="localhost"))
                # Half of the clients never end their headers, and half begin a body.
                secure.sendall(head if i % 2 else head + b"\r\n{")
                slow.append(secure)
            started = time.monotonic()
            with self.client() as client:
                while time.monotonic() < started + 5:
                    self.assertEqual(200, client.post_json("/v1/lookup", {"key": "alice"}).status)
                    time.sleep(0.05)
                    for secure in slow[1::2][:5]:
                        # An occasional octet must not keep these connections alive.
                        secure.sendall(b"x")
            for secure in slow:
                self.assertIn(said_last(secure), (b"", b"HTTP/1.1 408 Request Time-out"))
            self.assertLess(time.monotonic(), started + 20)
        late = [line for line in self.edge.requests("/v1/lookup") if line["status"] == 408]
        self.assertEqual((connections, {""}), (len(late), {line["upstream"] for line in late}))


class Failing(EdgeCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with cls.stress("prepare", "300", "--many-count", "0") as prepared:
            said, _ = prepared.communicate(timeout=120)
        if prepared.returncode != 0:
            raise AssertionError(said)

    def test_no_lookup_fails_when_a_replica_is_killed_hangs_or_starts(self):
        killed, hung, _ = self.log.queries
        ending = threading.Event()

        def look_up(number: int) -> list[int]:
            with self.client(timeout=60) as client:
                statuses = []
                while not ending.is_set():
                    statuses.append(client.post_json("/v1/lookup", {"key": f"stress-{number}"}).status)
                return statuses

        with ThreadPoolExecutor(4) as pool:
            readers = [pool.submit(look_up, number) for number in range(4)]
            try:
                time.sleep(0.5)
                killed.kill()
                time.sleep(1)
                hung.signal(signal.SIGSTOP)
                # The pause is longer than nginx's time limit for requests to a replica.
                time.sleep(7)
                hung.signal(signal.SIGCONT)
                killed.start()
                killed.wait_ready()
                self.wait_all_asked()
            finally:
                hung.signal(signal.SIGCONT)
                ending.set()
            statuses = [status for reader in readers for status in reader.result()]
        self.assertEqual({200}, set(statuses))
        self.assertGreater(len(statuses), 500)

    def test_all_gone_is_said_and_over_at_once(self):
        for query in self.log.queries:
            query.stop()
        with self.client() as client:
            for path in ("/v1/lookup", "/v1/history"):
                gone = client.post_json(path, {"key": "alice"})
                self.is_problem(gone, 503, "unavailable")
                self.assertEqual("1", gone.headers["retry-after"])
            for query in self.log.queries:
                query.start()
            for query in self.log.queries:
                query.wait_ready()
            self.assertEqual(200, client.post_json("/v1/lookup", {"key": "alice"}).status)

    def test_who_asks_for_what_is_not_there_yet_takes_no_replica_out(self):
        # nginx must first forget the failures that another test caused.
        self.wait_all_asked()
        with self.client() as client:
            for _ in range(20):
                ahead = client.post_json("/v1/lookup?min_epoch=99999999", {"key": "alice"})
                self.assertEqual((503, "urn:optiks:problem:not-caught-up"), (ahead.status, ahead.json()["type"]))
                self.assertEqual(200, client.post_json("/v1/lookup", {"key": "alice"}).status)
        others = [line["upstream"] for line in self.edge.requests("/v1/lookup") if line["status"] == 200][-20:]
        self.assertEqual(3, len(set(others)), others)

    def test_who_has_seen_more_than_any_replica_serves_is_answered_when_they_have_caught_up(self):
        newest = self.log.publish(("early", "value"))["epoch"]

        def ask():
            with self.client() as client:
                return client.post_json(f"/v1/lookup?min_epoch={newest + 1}", {"key": "early"})

        with ThreadPoolExecutor() as pool:
            asked = pool.submit(ask)
            time.sleep(0.3)
            self.assertFalse(asked.done())
            self.log.publish(("late", "value"))
            self.assertEqual(200, asked.result().status)

    def test_rolling_restarts_of_replicas_fail_no_lookup(self):
        file = self.log.logs / "stress.json"
        with self.stress("run", "--mix", "hit=1", "--key-count", "300", "--rate", "150", "--duration", "600", "--warm-up", "0", "--late", "5", "--json", file) as stress:
            try:
                # After three seconds optiks-stress has begun its run.
                time.sleep(3)
                for query in self.log.queries:
                    self.restart(query)
                time.sleep(1)
                stress.terminate()
                said, _ = stress.communicate(timeout=120)
            finally:
                stress.kill()
        self.assertEqual(0, stress.returncode, said)
        report = json.loads(file.read_text())
        self.assertEqual([], report["errors"])
        verification = report["verification"]
        self.assertEqual((verification["answers"], 0), (verification["verified"], verification["wrong"]))
        self.assertGreater(verification["verified"], 500)

    def test_restarts_of_update_services_that_were_taken_out_fail_no_update(self):
        ending = threading.Event()

        def update(number: int) -> list[int]:
            statuses = []
            while not ending.is_set():
                # Each request uses a new connection, because nginx closes idle connections when it is reloaded.
                with self.client(self.edge.updates_url, self.log.api_key, "client") as client:
                    statuses.append(client.post_json("/v1/updates", {"key": f"writer {number} {len(statuses)}", "value": "v"}).status)
            return statuses

        with ThreadPoolExecutor(2) as pool:
            writers = [pool.submit(update, number) for number in range(2)]
            try:
                for process in (self.log.update, self.log.other_update):
                    self.edge.set_down(process, True)
                    self.restart(process)
                    self.edge.set_down(process, False)
            finally:
                ending.set()
            statuses = [status for writer in writers for status in writer.result()]
        self.assertEqual({202}, set(statuses))
        self.assertGreater(len(statuses), 50)

    def wait_all_asked(self) -> None:
        """Waits until nginx uses all replicas again, and asks each of them first for some requests."""
        deadline = time.monotonic() + 30
        with self.client() as client:
            while True:
                for _ in range(9):
                    self.assertEqual(200, client.post_json("/v1/lookup", {"key": "alice"}).status)
                asked = {line["upstream"] for line in self.edge.requests("/v1/lookup")[-9:]}
                if {f"127.0.0.1:{query.port}" for query in self.log.queries} <= asked:
                    return
                self.assertLess(time.monotonic(), deadline, asked)

    def restart(self, process: Process) -> None:
        process.stop()
        process.start()
        process.wait_ready()


if __name__ == "__main__":
    unittest.main()
