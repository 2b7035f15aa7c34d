"""The number of rounds in which a test repeats its work: few in `make test`, more in `make test-deep`, which sets OPTIKS_TEST_DEEP=1.

The long suites, which are programs and not pytest tests, use the deep number.
"""

import os
import sys

IS_DEEP = os.environ.get("OPTIKS_TEST_DEEP") == "1" or "pytest" not in sys.modules


def rounds(quick: float, deep: float) -> float:
    """Returns `deep` in the deep form of the tests, otherwise `quick`. The value is a number of repetitions, or the length of a pause
    between two repetitions."""
    return deep if IS_DEEP else quick
