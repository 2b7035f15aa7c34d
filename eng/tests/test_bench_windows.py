"""Tests which windows of a run count as windows before an event, which windows are compared with these windows, and which p99 latencies
result."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench"))

from windows import BenchFailed, Moments, compare, windows_of

BEGAN = 1_800_000_000


def report(windows, measured=60):
    """Returns a report with 2 s of warm-up, and then windows of 10 s."""
    return {
        "started": "2027-01-15T08:00:00+00:00", "warm_up_s": 2, "measured_s": measured,
        "windows": [{"start_s": 2 + 10 * i, "operations": [{"operation": "hit", "latencies_us": counts}]} for i, counts in enumerate(windows)]}


def once(*seconds):
    """Returns one window for each of the given latencies in seconds. Each window has one answer with this latency."""
    return [[[second * 1_000_000, 1]] for second in seconds]


class Windows(unittest.TestCase):
    def test_the_last_window_counts_only_if_it_is_whole(self):
        self.assertEqual([BEGAN + 2, BEGAN + 12], [window.start for window in windows_of(report(once(1, 2, 3), measured=29), 10)])
        self.assertEqual([1, 2, 3], [window.p99("hit") for window in windows_of(report(once(1, 2, 3), measured=30), 10)])

    def test_a_window_in_which_the_switch_is_asked_for_is_not_before_it(self):
        windows = windows_of(report(once(*range(6))), 10)
        comparison = compare(windows, Moments(asked=BEGAN + 22.5, begun=BEGAN + 35), 10, least_before=2)
        self.assertEqual([0, 1], [window.p99("hit") for window in comparison.before])
        # The windows during the event last until second 45, which is in the fifth window.
        self.assertEqual([2, 3, 4], [window.p99("hit") for window in comparison.meanwhile])

    def test_p99_is_of_all_answers_and_of_those_of_each_window(self):
        # In the third window, 2 of 100 answers take 9 ms, which is 1 in 100 of all answers during the event. The last window has no
        # answers.
        windows = windows_of(report([[[2_000, 100]], [[2_000, 98], [3_000, 2]], [[4_000, 98], [9_000, 2]], [[4_000, 100]], []], measured=50), 10)
        comparison = compare(windows, Moments(asked=BEGAN + 22, begun=BEGAN + 42), 10, least_before=2)
        whole, worst = comparison.figures("p99", "hit")
        self.assertEqual((4, 2), (whole.value, whole.baseline))
        self.assertEqual((9, 2.5, [9, 4]), (worst.value, worst.baseline, worst.samples))

    def test_a_run_that_is_too_short_is_refused(self):
        windows = windows_of(report(once(*range(6))), 10)
        with self.assertRaises(BenchFailed):
            compare(windows, Moments(asked=BEGAN + 21, begun=BEGAN + 35), 10, least_before=2)
        with self.assertRaises(BenchFailed):
            compare(windows, Moments(asked=BEGAN + 22.5, begun=BEGAN + 53), 10, least_before=2)


if __name__ == "__main__":
    unittest.main()
