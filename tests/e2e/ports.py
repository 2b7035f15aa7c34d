"""Ports for servers that a test starts."""

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path
from typing import IO

# The ports that free_port returned and that may not be bound yet, each with a lock file. The lock keeps tests in other processes from
# getting the port. The locks end with this process.
_given: dict[int, IO[bytes]] = {}


def free_port(among: range = range(15000, 30000)) -> int:
    """Returns a port below the ports that the system assigns to clients, so that no client takes it before the service does. Processes of
    this user never get the same port twice."""
    folder = Path(tempfile.gettempdir()) / f"optiks-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    left = sorted(set(among) - _given.keys())
    for port in random.sample(left, min(200, len(left))):
        lock = (folder / str(port)).open("wb")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
            _given[port] = lock
            return port
        except OSError:
            lock.close()
    raise RuntimeError("no free port")
