"""Finds the Debian packages that `make deb` built."""

from pathlib import Path

from harness import ROOT


def newest(name: str, source: Path = ROOT) -> Path:
    """Returns the package that the last `make deb` in a clone built."""
    return max((source / "build/deb").glob(f"{name}_*.deb"), key=lambda path: path.stat().st_mtime)
