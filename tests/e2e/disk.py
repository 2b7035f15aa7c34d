"""A small separate disk for a log's board."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOMY = "1g"


class BoardDisk:
    """A tmpfs that is mounted over the board's folder and has the folder's contents. Only root may mount it. No update-task may run while
    the tmpfs is mounted or removed. Programs that read the board may continue, and are not disturbed."""

    def __init__(self, board: Path, aside: Path):
        self._mounted: list[Path] = []
        aside.mkdir()
        self._mount(aside, "-t", "tmpfs", "-o", f"size={ROOMY},mode=700", "optiks-board")
        _run("cp", "-a", f"{board}/.", aside)
        # The prepared folder is mounted in one step, so that the board's files exist at all times.
        self._mount(board, "--bind", aside)

    def close(self) -> None:
        for folder in reversed(self._mounted):
            _run("umount", folder)
        self._mounted.clear()

    @contextmanager
    def full(self) -> Iterator[None]:
        """Fills the disk, so that it has no free block."""
        disk = os.statvfs(self._mounted[0])
        self._resize(str((disk.f_blocks - disk.f_bfree) * disk.f_frsize))
        try:
            yield
        finally:
            self._resize(ROOMY)

    def _mount(self, folder: Path, *options) -> None:
        _run("mount", *options, folder)
        self._mounted.append(folder)

    def _resize(self, size: str) -> None:
        _run("mount", "-o", f"remount,size={size}", self._mounted[0])


def _run(*command) -> None:
    subprocess.run([str(part) for part in command], check=True)
