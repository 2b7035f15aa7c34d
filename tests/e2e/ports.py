"""Ports for servers that a test starts."""

import random
import socket


# Those that were given and may not be bound yet.
_given: set[int] = set()


def free_port() -> int:
    """Below the ports that the system gives to clients, so that none of them takes it before the service does. No port is given twice."""
    for port in random.sample(sorted(set(range(15000, 30000)) - _given), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                _given.add(port)
                return port
            except OSError:
                continue
    raise RuntimeError("no free port")
