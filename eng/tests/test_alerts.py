"""Tests that the alerts, the runbook, the dashboard and the page of metrics name the same alerts and metrics. (tests/e2e/test_watching.py
evaluates the alerts with Prometheus.)"""

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import prometheus  # noqa: E402

# For each unit, the ending that Prometheus adds to the names of metrics with this unit.
UNITS = {"s": "_seconds", "By": "_bytes"}
ROW = re.compile(r"^\| `(optiks\.[a-z_.]+)` \| `([^`]+)` \|", re.MULTILINE)


def documented() -> set[str]:
    """Returns all names that Prometheus may give to the documented metrics. There are several, because the page does not say which metrics
    are counters."""
    page = (ROOT / "docs/operations/telemetry.md").read_text()
    names = {name.replace(".", "_") + UNITS.get(unit, "") for name, unit in ROW.findall(page)}
    return names | {f"{name}_total" for name in names} | {f"{name}_bucket" for name in names}


class AlertsTest(unittest.TestCase):
    def setUp(self):
        self.rules = prometheus.RULES.read_text()
        self.alerts = re.findall(r"^ +- alert: (\w+)$", self.rules, re.MULTILINE)

    def test_each_alert_has_an_entry_in_the_runbook_and_no_other_has_one(self):
        self.assertGreaterEqual(len(self.alerts), 10)
        page = (ROOT / "docs/operations/runbook.md").read_text()
        self.assertEqual(self.alerts, re.findall(r"^## (\w+)$", page, re.MULTILINE))
        for entry in page.split("\n## ")[1:]:
            with self.subTest(entry=entry.split("\n", 1)[0]):
                self.assertEqual(["Means", "Look", "Do"], re.findall(r"^\*\*(\w+)\*\*", entry, re.MULTILINE))

    def test_each_alert_says_how_urgent_it_is_and_links_its_entry(self):
        for alert, text in zip(self.alerts, re.split(r"^ +- alert: \w+$", self.rules, flags=re.MULTILINE)[1:], strict=True):
            with self.subTest(alert=alert):
                self.assertRegex(text, r"labels: \{severity: (page|ticket)\}")
                self.assertIn(f'runbook: "docs/operations/runbook.md#{alert.lower()}"', text)
                severity = re.search(r"severity: (\w+)", text)[1]
                entry = (ROOT / "docs/operations/runbook.md").read_text().split(f"\n## {alert}\n")[1]
                self.assertIn(f"**Means** ({severity}):", entry.split("\n## ")[0])

    def test_each_alert_has_a_test_in_which_it_fires_and_one_in_which_it_is_silent(self):
        tests = re.findall(r"^  - name: (\w+) (fires|is silent)$", prometheus.RULE_TESTS.read_text(), re.MULTILINE)
        self.assertEqual({(alert, how) for alert in self.alerts for how in ("fires", "is silent")}, set(tests))

    def test_what_they_ask_of_is_documented(self):
        known = documented()
        for name in sorted(prometheus.metrics_named()):
            with self.subTest(metric=name):
                self.assertTrue(not name.startswith("optiks_") or name in known, f"{name} is not on docs/operations/telemetry.md")

    def test_the_dashboard_has_no_panel_twice(self):
        panels = json.loads(prometheus.DASHBOARD.read_text())["panels"]
        for field in ("id", "title"):
            values = [panel[field] for panel in panels]
            self.assertEqual(len(values), len(set(values)))


if __name__ == "__main__":
    unittest.main()
