"""Tests OPTIKS_FORCE_KERNEL at the start of each service. With an unknown kernel the service ends with one sentence. With a known kernel
the log serves the same answers as with other kernels."""

import unittest

from harness import Deployment

CONFIGURATION = 78


class KernelTest(unittest.TestCase):
    def test_forced_kernel(self):
        with Deployment() as log:
            log.publish(("alice", "a1"))
            for process in log.processes:
                with self.subTest(process.service):
                    self.assertEqual(process.stop(), 0)
                    said_before = len(process.log())
                    process.start(OPTIKS_FORCE_KERNEL="nonsense")
                    self.assertEqual(process.wait(30), CONFIGURATION)
                    self.assertRegex(process.log()[said_before:], r"\Aoptiks: OPTIKS_FORCE_KERNEL names none of scalar, [a-z0-9, ]+\n\Z")
                    process.start(OPTIKS_FORCE_KERNEL="scalar")
                    process.wait_ready()
            refused = log.optiks_db("fsck", OPTIKS_FORCE_KERNEL="nonsense")
            self.assertEqual(refused.code, CONFIGURATION, str(refused))
            self.assertIn("OPTIKS_FORCE_KERNEL names none of scalar", refused.error)
            # The services compute labels with the forced kernel. The client that verifies them chooses its own kernel.
            log.publish(("alice", "a2"), ("bob", "b1"))
            for key, value in (("alice", "a2"), ("bob", "b1")):
                looked_up = log.optiks("lookup", key)
                self.assertEqual(looked_up.code, 0, str(looked_up))
                self.assertIn(value, looked_up.out)


if __name__ == "__main__":
    unittest.main()
