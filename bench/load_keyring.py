#!/usr/bin/python3
"""Loads a keyring into a running Optiks, one OpenPGP key for each e-mail address, and then looks up and verifies each address.

    bench/load_keyring.py [--keyring /usr/share/keyrings/debian-keyring.gpg]

Debian's package debian-keyring has the keys of about a thousand people. The value of an address is the transferable public key as it is in
the keyring. If a key is longer than the log accepts, it is loaded without the certifications of other people and without pictures. An
address that occurs in several keys gets one version for each of them, in the order of the keys' creation. The script finds the services and
the data folder as `optiks` does. """

import argparse
import sys
from pathlib import Path

import openpgp
from loading import LoadFailed, Service, main

from facts import MAX_KEY_LEN

DEBIAN = "/usr/share/keyrings/debian-keyring.gpg"


def load(path: str) -> None:
    try:
        keyring = Path(path).read_bytes()
    except OSError as error:
        raise LoadFailed(f"{path}: {error.strerror}; Debian's is in the package debian-keyring") from None
    try:
        keys = sorted(openpgp.transferable_keys(keyring), key=lambda key: (key.created, key.fingerprint))
    except openpgp.MalformedKeyring as error:
        raise LoadFailed(f"{path}: {error}") from None
    service = Service()
    updates, minimized, left_out = [], 0, 0
    for key in keys:
        value = key.octets()
        if len(value) > service.max_value_len:
            value, minimized = key.own_octets(), minimized + 1
        if len(value) > service.max_value_len:
            minimized, left_out = minimized - 1, left_out + 1
            continue
        updates += [(name, value) for address in key.addresses() if len(name := address.encode()) <= MAX_KEY_LEN]
    if not updates:
        raise LoadFailed(f"{path} has no key with an address")
    latest = dict(updates)
    print(f"{path}: {len(keys)} keys, {len(latest)} addresses, {sum(len(value) for _, value in updates):,} octets of values")
    print(f"longer than {service.max_value_len} octets: {minimized + left_out} keys; {minimized} loaded without others' certifications, "
          f"{left_out} left out, as longer even so")
    epoch = service.load("accepted", updates)
    print(f"published up to epoch {epoch}")
    service.verify(sorted(latest.items()))
    print(f"looked up and verified: {len(latest)} addresses, among them {updates[-1][0].decode()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keyring", default=DEBIAN)
    arguments = parser.parse_args()
    sys.exit(main(lambda: load(arguments.keyring)))
