"""Ports for servers that a test starts."""

import random
import socket


def free_port() -> int:
    """Below the ports that the system gives to clients, so that none of them takes it before the service does."""
    for port in random.sample(range(15000, 30000), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise RuntimeError("no free port")
