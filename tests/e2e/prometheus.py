"""Prometheus as operators run it: the rules and the dashboard of deploy/, and a server of its own in a folder of its own."""

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
RULES, RULE_TESTS, CONFIGURATION = (DEPLOY / "prometheus" / name for name in ("alerts.yml", "alerts.test.yml", "prometheus.yml"))
DASHBOARD = DEPLOY / "grafana/optiks.json"
# Words of PromQL that stand where a metric's name may stand.
WORDS = {"and", "or", "unless", "on", "by", "le"}


def expressions() -> list[str]:
    """All that the alerts and the dashboard ask."""
    rules = re.findall(r"^ +expr: (.*)$", RULES.read_text(), re.MULTILINE)
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return rules + [target["expr"] for panel in panels for target in panel.get("targets", [])]


def metrics_of(expression: str) -> set[str]:
    """Names of the metrics in an expression: names that are neither a function's, nor a label's, nor in a text."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]|\b(?:by|on) *\([^)]*\)', " ", expression)
    return {name for name, after in re.findall(r"\b([a-z_][a-z0-9_]*)\b *(\(?)", bare) if not after and name not in WORDS}


def metrics_named() -> set[str]:
    """Names of all metrics that the alerts and the dashboard ask of."""
    return set().union(*(metrics_of(expression) for expression in expressions()))


class Prometheus:
    """A server with the rules of deploy/ and its configuration, in which the targets are others. Use as a context."""

    def __init__(self, targets: dict[str, str], key_files: dict[str, Path]):
        """targets: host and port by job. key_files: the API key by job."""
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-prometheus-"))
        self.url = f"http://127.0.0.1:{free_port()}"
        configuration = re.sub(r"\b15s\b", "1s", CONFIGURATION.read_text()).replace("alerts.yml", str(RULES))
        for job in re.findall(r"job_name: (\S+)", configuration):
            head, _, tail = configuration.partition(f"job_name: {job}\n")
            tail = re.sub(r"credentials_file: [^}]+", f"credentials_file: {key_files[job]}", tail, count=1)
            tail = re.sub(r'targets: \["[^"]+"\]', f'targets: ["{targets[job]}"]', tail, count=1)
            configuration = f"{head}job_name: {job}\n{tail}"
        (self.folder / "prometheus.yml").write_text(configuration)
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> "Prometheus":
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                ["prometheus", f"--config.file={self.folder / 'prometheus.yml'}", f"--storage.tsdb.path={self.folder / 'data'}", f"--web.listen-address={self.url.removeprefix('http://')}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder)

    def get(self, path: str, **parameters: str):
        """The data of an answer of its API; None while it does not answer."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            if self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()) from None
            return None

    def names(self) -> set[str]:
        """Of the metrics that it has."""
        return set(self.get("label/__name__/values") or [])

    def alerts(self, *states: str) -> set[str]:
        return {alert["labels"]["alertname"] for alert in (self.get("alerts") or {"alerts": []})["alerts"] if alert["state"] in states}

    def wait(self, holds, seconds: float, what: str) -> None:
        """Until `holds()` does."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() >= deadline:
                raise AssertionError(f"{what} not within {seconds} s: {self.get('targets')}")
            time.sleep(0.5)
