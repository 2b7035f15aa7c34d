#!/usr/bin/python3
"""Measures lookups a second over HTTP/1.1 keep-alive.

The baseline is an endpoint of the same service that does no work: it has the same middleware, gets the same requests and returns as many
octets. Each sample is a pair of a rate of lookups and a rate of the baseline, which are measured one after the other. The results are
medians. Writes build/bench/lookups.json.
usage: measure_lookups.py [--keys N] [--seconds S] [--samples N] [--only ROW]..."""

import argparse
import json
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bad_cosigners import BadCosigners
from figures import ROOT, Figure, paired, table, value_of, write

sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import QUERY_BENCH, Deployment, Process
from rest import Client
from stress_tester import StressTester

CACHE = ROOT / "build/bench/data"
SCRIPT = ROOT / "bench/lookups.lua"
PREFIX, MANY, VERSIONS = "stress-", 1024, 10
USERNAMES, USERS, DEVICES, USERS_A_LIST = "user-", 4096, 3, 512
# The number of keys in a cached sample. They are requested repeatedly, so that their proofs come from the cache.
HOT = 1 << 16
# The least share of VRF proofs that must come from the cache in a cached row. In an uncached row, at most the rest (1 - LEAST_CACHED) may
# come from it.
LEAST_CACHED = 0.95
CONNECTIONS = 64
EMPTY = "/bench/empty"
BESIDE_COSIGNERS = "cached-beside-bad-cosigners"
SETTLING_SECONDS = 0.3
# An upper bound of the lookups a second for which a machine of the benchmark's size can make new proofs.
MOST_UNCACHED = 70_000
# A rate of lookups a second that is higher than one machine can both serve and verify.
VERIFIED_OVERLOAD = 20_000
SETTINGS = {"Optiks__UpdateTask__EpochInterval": "00:00:01", "Optiks__UpdateTask__LeaseDuration": "00:00:10"}


class BenchFailed(Exception):
    """Raised if a service gives an answer of another kind than the benchmark measures."""


@dataclass(frozen=True)
class Form:
    """The form of a sample's requests: their content, path and accepted format. lookups.lua uses the same names of forms."""

    name: str
    path: str
    asked_by: str
    accept: str


BINARY = Form("binary", "/v1/lookup", "key", "application/vnd.optiks.lookup")
JSON = Form("json", "/v1/lookup", "key", "application/json")
USER = Form("users", "/v1/users/lookup", "username", "application/vnd.optiks.user-lookup")


@dataclass(frozen=True)
class Keys:
    """The keys of a sample, named prefix<first> ... prefix<first+count-1>; count is a power of two. In the form `users` the names are
    usernames."""

    prefix: str
    first: int
    count: int


class LookupBench:
    """Measures the rate and the latency of lookups at one replica."""

    def __init__(self, log: Deployment, seconds: int, samples: int, replica: int = 0):
        self._log, self._seconds, self._samples, self._replica = log, seconds, samples, replica
        self._place: dict[tuple[Form, Keys], int] = {}

    def compare(self, name: str, keys: Keys, form: Form = BINARY, warm: bool = True) -> Figure:
        """Compares the rate of lookups of the keys with the rate of the empty endpoint. If `warm` is true, each key is looked up once
        before the samples, so that its proofs are cached. Otherwise the samples are so short that no key repeats."""
        seconds = self._seconds if warm else min(self._seconds, max(1, keys.count // (MOST_UNCACHED * self._samples)))
        with self._client() as client:
            octets = round(statistics.mean(self._octets(client, keys, form, i * keys.count // 256) for i in range(256)))
            client.request("PUT", f"{EMPTY}/{octets}")
        if warm:
            self._warm_up(keys, form)
        hits, misses = self._proofs()
        lookups, empty = [], []
        for sample in range(self._samples):
            empty.append(self._wrk(EMPTY, keys, form, seconds).rate)
            lookups.append(self._wrk(form.path, keys, form, seconds).rate)
            print(f"  {name} {sample + 1} of {self._samples}: {lookups[-1]:,.0f}/s, empty {empty[-1]:,.0f}/s", flush=True)
        more_hits, more_misses = self._proofs()
        proofs = more_hits - hits + more_misses - misses
        share = (more_hits - hits) / max(1, proofs)
        print(f"  {name}: {octets:,} octets, {share:.1%} of {proofs:,} VRF proofs from the cache", flush=True)
        if share < LEAST_CACHED if warm else share > 1 - LEAST_CACHED:
            raise BenchFailed(f"{name} is not measured as it says: {share:.1%} of the VRF proofs came from the cache")
        return paired(name, "/s", lookups, empty)

    def verified(self, tester: StressTester, keys: int) -> Figure:
        """Returns the rate at which a client on the same machine requests answers and verifies each of them with the SDK's verifier."""
        lookups, empty = [], []
        hot = Keys(PREFIX, 0, HOT)
        for _ in range(self._samples):
            empty.append(self._wrk(EMPTY, hot, BINARY, self._seconds).rate)
            report = tester.run("hit=1", VERIFIED_OVERLOAD, max(2, self._seconds), "--warm-up", "3", "--max-in-flight", str(CONNECTIONS), "--late", "0.2", "--keys", "uniform",
                                "--key-count", str(min(keys, HOT)))
            lookups.append(value_of(report, "hit/answered"))
        return paired("sdk-verified", "/s", lookups, empty)

    def beside(self, other: "LookupBench", name: str, keys: Keys) -> list[Figure]:
        """Compares the rates and p99 of cached lookups of this replica with those of the replica `other`, which has other settings. While
        one replica is measured, the other is stopped with SIGSTOP."""
        benches = (self, other)
        for bench in benches:
            bench._warm_up(keys, BINARY)
            bench._process.signal(signal.SIGSTOP)
        runs: dict[LookupBench, list[WrkRun]] = {bench: [] for bench in benches}
        # The first pair of runs is not counted, because both replicas compile the code that they run during these runs.
        for sample in range(self._samples + 1):
            # The two replicas take turns in being measured first.
            for bench in benches if sample % 2 else reversed(benches):
                bench._process.signal(signal.SIGCONT)
                # During this time the replica does the work that became due while it was stopped.
                time.sleep(SETTLING_SECONDS)
                runs[bench].append(bench._wrk(BINARY.path, keys, BINARY, self._seconds))
                bench._process.signal(signal.SIGSTOP)
            print(f"  {name} {sample} of {self._samples}: {runs[self][-1]}, without {runs[other][-1]}", flush=True)
        for bench in benches:
            bench._process.signal(signal.SIGCONT)
        with_, without = runs[self][1:], runs[other][1:]
        return [paired(name, "/s", [run.rate for run in with_], [run.rate for run in without]), paired(f"{name}/p99", "ms", [run.p99_ms for run in with_], [run.p99_ms for run in without])]

    @property
    def _process(self) -> Process:
        return self._log.queries[self._replica]

    def _client(self) -> Client:
        return self._log.query_client(self._replica)

    def _warm_up(self, keys: Keys, form: Form) -> None:
        while self._place.get((form, keys), 0) < keys.count:
            self._wrk(form.path, keys, form, self._seconds)

    def _octets(self, client: Client, keys: Keys, form: Form, number: int) -> int:
        answer = client.post_json(form.path, {form.asked_by: f"{keys.prefix}{keys.first + number}"}, form.accept)
        if answer.status != 200:
            raise BenchFailed(f"HTTP {answer.status} {answer.body!r}")
        return len(answer.body)

    def _proofs(self) -> tuple[int, int]:
        with self._client() as client:
            meters = client.get("/bench/meters").json()
        return meters["optiks.query.vrf_cache.hits"], meters["optiks.query.vrf_cache.misses"]

    def _wrk(self, path: str, keys: Keys, form: Form, seconds: int) -> "WrkRun":
        """Runs wrk. The first requested key is the key after the last key of the previous run."""
        place = self._place.get((form, keys), 0)
        done = subprocess.run(
            ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--latency", "--script", SCRIPT, self._process.url, "--",
             form.name, path, keys.prefix, str(keys.first), str(keys.count), str(place)], capture_output=True, text=True, check=False)
        run = WrkRun.parse(done.stdout + done.stderr)
        if path == form.path:
            self._place[form, keys] = place + run.requests
        return run


@dataclass(frozen=True)
class WrkRun:
    """The results of one run of wrk, as wrk prints them."""

    rate: float
    """Requests a second."""
    requests: int
    p99_ms: float

    @classmethod
    def parse(cls, text: str) -> "WrkRun":
        """Raises BenchFailed unless every request was answered with 200."""
        rate, requests, p99 = re.search(r"Requests/sec:\s+([\d.]+)", text), re.search(r"(\d+) requests in ", text), re.search(r"^\s+99%\s+([\d.]+)(us|ms|s)$", text, re.MULTILINE)
        if rate is None or requests is None or p99 is None or "Non-2xx" in text or "Socket errors" in text:
            raise BenchFailed(f"wrk:\n{text}")
        return cls(float(rate[1]), int(requests[1]), float(p99[1]) * {"us": 1e-3, "ms": 1, "s": 1e3}[p99[2]])

    def __str__(self) -> str:
        return f"{self.rate:,.0f}/s, p99 {self.p99_ms:.2f} ms"


def fill(keys: int) -> Path:
    """Returns the data folder of a log with the given number of keys. The folder is made only once, and an interrupted call leaves no
    incomplete folder."""
    folder = CACHE / f"lookups-{keys}"
    if not folder.exists():
        print(f"== loading {keys:,} keys, kept in {folder.relative_to(ROOT)}", flush=True)
        with Deployment(SETTINGS) as log:
            StressTester(log).prepare(keys, "--many-count", str(MANY), "--versions", str(VERSIONS))
            for process in reversed(log.processes):
                process.stop()
            CACHE.mkdir(parents=True, exist_ok=True)
            unfinished = CACHE / f"unfinished-{keys}"
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(log.data, unfinished)
            unfinished.rename(folder)
    return folder


def restore(log: Deployment, folder: Path) -> None:
    """Restores the data folder of a log that an earlier run filled, possibly with an older build."""
    shutil.rmtree(log.data)
    shutil.copytree(folder, log.data)
    log.migrate()


def publish_users(log: Deployment, client: Client, requests: list[dict]) -> list[dict]:
    """Sends the requests to `/v1/users` and waits until their changes are served. Returns the elements of the answer with status 202."""
    answer = client.post_json("/v1/users", requests)
    if answer.status != 202:
        raise BenchFailed(f"users: HTTP {answer.status} {answer.body!r}")
    statuses = [client.get(f"{element['status_url']}?wait=60").json() for element in answer.json()]
    if any(status["status"] != "published" for status in statuses):
        raise BenchFailed(f"users are not there: {statuses}")
    log.wait_served(max(status["epoch"] for status in statuses))
    return answer.json()


def make_users(log: Deployment) -> None:
    """Makes USERS users with DEVICES devices each, and waits until they are served."""
    with log.update_client(timeout=90) as client:
        for first in range(0, USERS, USERS_A_LIST):
            publish_users(log, client, [
                {"changes": [{"op": "create", "usernames": [f"{USERNAMES}{i}"], "devices": [{"device": f"{USERNAMES}{i}/{d}", "value": "v" * 64} for d in range(DEVICES)]}]}
                for i in range(first, first + USERS_A_LIST)])


def measure_beside_cosigners(log: Deployment, without: LookupBench, beside: LookupBench, keys: Keys) -> list[Figure]:
    """Starts the second replica with a policy of six auditors and witnesses that are dead, slow or lying. Compares this replica with the
    first replica, which has no policy."""
    replica = log.queries[1]
    with BadCosigners(log, log.logs / "cosigners") as cosigners:
        replica.start(Optiks__QueryService__CosignersFile=str(cosigners.file))
        replica.wait_ready()
        figures = beside.beside(without, BESIDE_COSIGNERS, keys)
        with log.query_client(replica=1) as client:
            cosigners.wait_handed_out(client)
        replica.stop()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=1 << 20, help="keys of the log, a power of two of 2^17 or more (default 2^20)")
    parser.add_argument("--seconds", type=int, default=3, help="of a sample (default 3)")
    parser.add_argument("--samples", type=int, default=7, help="pairs of each (default 7)")
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="this row, and others that are named so (default all)")
    arguments = parser.parse_args()
    if arguments.keys < 2 * HOT or arguments.keys & arguments.keys - 1:
        parser.error("--keys is a power of two of 2^17 or more")
    # The folders are not in /tmp, because /tmp may be in memory.
    tempfile.tempdir = "/var/tmp"
    folder = fill(arguments.keys)
    print("== starting", flush=True)
    with Deployment(SETTINGS, replicas=2, before_start=lambda log: restore(log, folder), query=QUERY_BENCH) as log:
        bench = LookupBench(log, arguments.seconds, arguments.samples)
        hot, half = Keys(PREFIX, 0, HOT), arguments.keys // 2
        make_users(log)
        log.queries[1].stop()
        rows = {
            "cached": lambda: [bench.compare("cached", hot)],
            "uncached": lambda: [bench.compare("uncached", Keys(PREFIX, half, half), warm=False)],
            "absent": lambda: [bench.compare("absent", Keys(f"{PREFIX}absent-", 0, HOT))],
            "ten-versions": lambda: [bench.compare("ten-versions", Keys(f"{PREFIX}many-", 0, MANY))],
            "json": lambda: [bench.compare("json", hot, form=JSON)],
            "user-three-devices": lambda: [bench.compare("user-three-devices", Keys(USERNAMES, 0, USERS), form=USER)],
            "sdk-verified": lambda: [bench.verified(StressTester(log), arguments.keys)],
            BESIDE_COSIGNERS: lambda: measure_beside_cosigners(log, bench, LookupBench(log, arguments.seconds, arguments.samples, replica=1), hot),
        }
        if unknown := set(arguments.only) - rows.keys():
            parser.error(f"there is no row {', '.join(sorted(unknown))}: {', '.join(rows)}")
        print("== lookups", flush=True)
        figures = [figure for name, row in rows.items() if not arguments.only or name in arguments.only for figure in row()]
    write(ROOT / "build/bench/lookups.json", figures)
    print(f"\n{table(figures)}")


if __name__ == "__main__":
    main()
