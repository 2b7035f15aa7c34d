"""How often a test repeats what it does: a few times in `make test`, more often in `make test-deep`, which sets OPTIKS_TEST_DEEP=1.

The long suites, which are programs and no tests of pytest, are as deep.
"""

import os
import sys

IS_DEEP = os.environ.get("OPTIKS_TEST_DEEP") == "1" or "pytest" not in sys.modules


def rounds(quick: float, deep: float) -> float:
    """Also of how long something waits between two rounds."""
    return deep if IS_DEEP else quick
