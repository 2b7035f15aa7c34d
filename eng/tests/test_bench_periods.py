"""Which windows of a run are before a switch, and which are compared with them."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench"))

from measure_periods import BenchFailed, Moments, compare, windows_of

BEGAN = 1_800_000_000


def report(windows, measured=60):
    """2 s of warm-up, then windows of 10 s."""
    return {
        "started": "2027-01-15T08:00:00+00:00", "warm_up_s": 2, "measured_s": measured,
        "windows": [{"start_s": 2 + 10 * i, "operations": [{"operation": "hit", "p99_s": p99}]} for i, p99 in enumerate(windows)]}


class Windows(unittest.TestCase):
    def test_the_last_window_counts_only_if_it_is_whole(self):
        self.assertEqual([BEGAN + 2, BEGAN + 12], [window.start for window in windows_of(report([1, 2, 3], measured=29), 10)])
        self.assertEqual([{"hit": 1}, {"hit": 2}, {"hit": 3}], [window.p99 for window in windows_of(report([1, 2, 3], measured=30), 10)])

    def test_a_window_in_which_the_switch_is_asked_for_is_not_before_it(self):
        windows = windows_of(report(range(6)), 10)
        before, meanwhile = compare(windows, Moments(asked=BEGAN + 22.5, begun=BEGAN + 35), 10, least_before=2)
        self.assertEqual([0, 1], [window.p99["hit"] for window in before])
        # Until 45, which is in the fifth.
        self.assertEqual([2, 3, 4], [window.p99["hit"] for window in meanwhile])

    def test_a_run_that_is_too_short_is_refused(self):
        windows = windows_of(report(range(6)), 10)
        with self.assertRaises(BenchFailed):
            compare(windows, Moments(asked=BEGAN + 21, begun=BEGAN + 35), 10, least_before=2)
        with self.assertRaises(BenchFailed):
            compare(windows, Moments(asked=BEGAN + 22.5, begun=BEGAN + 53), 10, least_before=2)


if __name__ == "__main__":
    unittest.main()
