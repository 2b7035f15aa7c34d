"""Each VRF key and proof verified once, for the many answers that share them. What is said of them stays the same."""

import contextlib
import functools
from collections.abc import Iterator

import ecvrf
import user_monitor
import users
import verify


@contextlib.contextmanager
def vrf_verdicts() -> Iterator[None]:
    found: dict[bytes, ecvrf.PublicKey] = {}

    def vrf_key(r, number: int) -> ecvrf.PublicKey:
        octets = r.structure(number).vrf_public_key
        if octets not in found:
            found[octets] = verify.vrf_key(r, number)
        return found[octets]

    slow, users.vrf_key, user_monitor.vrf_key = ecvrf.verify, vrf_key, vrf_key
    ecvrf.verify = functools.cache(slow)
    try:
        yield
    finally:
        ecvrf.verify, users.vrf_key, user_monitor.vrf_key = slow, verify.vrf_key, verify.vrf_key
