"""Makes tokens like an operator's account system (docs/spec/tokens.md), signed with the reference's Ed25519."""

import base64
import json
import os
import sys
import time
from pathlib import Path

from harness import ROOT, Deployment
from rest import b64

sys.path.insert(0, str(ROOT / "tests/reference"))
import ed25519  # noqa: E402

AUDIENCE = "log.example.org"
PKCS8 = bytes.fromhex("302e020100300506032b657004220420")


class Signer:
    """An account system's key pair."""

    def __init__(self, key_id: str):
        self.key_id = key_id
        self._seed = os.urandom(32)
        self.public = ed25519.public_key(self._seed)

    @property
    def jwk(self) -> dict:
        return {"kty": "OKP", "crv": "Ed25519", "kid": self.key_id, "x": b64(self.public)}

    def pem(self) -> str:
        return f"-----BEGIN PRIVATE KEY-----\n{base64.b64encode(PKCS8 + self._seed).decode()}\n-----END PRIVATE KEY-----\n"

    def trust(self, log: Deployment) -> None:
        """Configures a log that is not started yet, so that its services will accept the tokens that this signer makes."""
        keys_file = log.logs / "token-keys.json"
        write_keys(keys_file, self.jwk)
        log.environment.update(Optiks__Tokens__KeysFile=str(keys_file), Optiks__Tokens__Audience=AUDIENCE)

    def token(self, claims: dict, **header) -> str:
        signed = signing_input({"alg": "EdDSA", "kid": self.key_id} | header, claims)
        return f"{signed}.{b64(ed25519.sign(self._seed, signed.encode()))}"


def write_keys(path: Path, *jwks: dict) -> None:
    """Writes the file of token keys like an operator: completely or not at all."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"keys": jwks}))
    new.chmod(0o644)
    new.replace(path)


def signing_input(header: dict, claims: dict) -> str:
    return f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims).encode())}"


def claims(keys: list[str], scope: str = "update history", **changed) -> dict:
    now = int(time.time())
    return {"aud": AUDIENCE, "sub": "user 17", "iat": now, "exp": now + 600, "scope": scope, "keys": keys} | changed
