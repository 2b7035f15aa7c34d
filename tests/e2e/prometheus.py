"""Runs a Prometheus server in its own folder, with the rules of deploy/ as operators use them, and reads the dashboard of deploy/."""

import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

from ports import free_port

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
RULES, RULE_TESTS, CONFIGURATION, PROBE = (DEPLOY / "prometheus" / name for name in ("alerts.yml", "alerts.test.yml", "prometheus.yml", "blackbox.yml"))
# The name of the job whose target is the address to which the probe connects.
EDGE = "optiks-edge"
DASHBOARD = DEPLOY / "grafana/optiks.json"
# Keywords of PromQL that may occur at places where a metric's name may occur.
WORDS = {"and", "or", "unless", "on", "by", "le"}


def rules() -> list[str]:
    """Returns the expressions of the alerts."""
    return re.findall(r"^ +expr: (.*)$", RULES.read_text(), re.MULTILINE)


def panels() -> list[str]:
    """Returns the expressions of the dashboard."""
    return [target["expr"] for panel in json.loads(DASHBOARD.read_text())["panels"] for target in panel.get("targets", [])]


def answerable() -> list[str]:
    """Returns the expressions that have a result while programs run, and not only when an alert fires.

    A comparison is changed so that it gives 0 or 1 for each series that it finds. If the labels of its two sides do not match, it finds no
    series, and the alert would never fire. The two sides of `or` are returned as separate expressions, and tests for absence are left out.
    """
    sides = [side for rule in rules() for side in rule.split(" or ") if "absent(" not in side]
    return [re.sub(r" ([<>]=?|[!=]=) ", r" \1 bool ", side) for side in sides] + panels()


def metrics_of(expression: str) -> set[str]:
    """Returns the names of the metrics in an expression. These are all names in the expression except the names of functions, the names of
    labels, and names inside string literals."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]|\b(?:by|on) *\([^)]*\)', " ", expression)
    return {name for name, after in re.findall(r"\b([a-z_][a-z0-9_]*)\b *(\(?)", bare) if not after and name not in WORDS}


def metrics_named() -> set[str]:
    """Returns the names of all metrics in the alerts and the dashboard."""
    return set().union(*(metrics_of(expression) for expression in rules() + panels()))


class Prometheus:
    """A Prometheus server and a probe with the rules and configurations of deploy/, but with other targets. Use as a context manager."""

    def __init__(self, targets: dict[str, str], key_files: dict[str, Path]):
        """`targets` has the host and port of each job. `key_files` has the file with the API key of each job; EDGE has no key, because the
        probe sends no key."""
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-prometheus-"))
        self.url = f"http://127.0.0.1:{free_port()}"
        self._probe_address = f"127.0.0.1:{free_port()}"
        configuration = re.sub(r"\b15s\b", "1s", CONFIGURATION.read_text()).replace("alerts.yml", str(RULES)).replace("127.0.0.1:9115", self._probe_address)
        jobs = re.findall(r"job_name: (\S+)", configuration)
        for job in jobs:
            head, _, tail = configuration.partition(f"job_name: {job}\n")
            if job != EDGE:
                tail = re.sub(r"credentials_file: [^}]+", f"credentials_file: {key_files[job]}", tail, count=1)
            tail = re.sub(r"targets: \[[^]]+\]", f'targets: ["{targets[job]}"]', tail, count=1)
            configuration = f"{head}job_name: {job}\n{tail}"
        (self.folder / "prometheus.yml").write_text(configuration)
        self._process: subprocess.Popen | None = None
        self._probe: subprocess.Popen | None = None

    def __enter__(self) -> "Prometheus":
        self._probe = self._start("prometheus-blackbox-exporter", f"--config.file={PROBE}", f"--web.listen-address={self._probe_address}", log="probe-log")
        self._process = self._start("prometheus", f"--config.file={self.folder / 'prometheus.yml'}", f"--storage.tsdb.path={self.folder / 'data'}",
                                    f"--web.listen-address={self.url.removeprefix('http://')}", log="log")
        return self

    def __exit__(self, *_) -> None:
        for process in (self._process, self._probe):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder)

    def _start(self, *command: str, log: str) -> subprocess.Popen:
        with (self.folder / log).open("wb") as file:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)

    def get(self, path: str, **parameters: str):
        """Queries Prometheus' API and returns the data of the answer, or None while Prometheus does not answer."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            if self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()) from None
            return None

    def names(self) -> set[str]:
        """Returns the names of the metrics that Prometheus has."""
        return set(self.get("label/__name__/values") or [])

    def alerts(self, *states: str) -> set[str]:
        return {alert["labels"]["alertname"] for alert in (self.get("alerts") or {"alerts": []})["alerts"] if alert["state"] in states}

    def wait(self, holds, seconds: float, what: str) -> None:
        """Waits until `holds()` is true."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() >= deadline:
                raise AssertionError(f"{what} not within {seconds} s: {self.get('targets')}")
            time.sleep(0.5)
