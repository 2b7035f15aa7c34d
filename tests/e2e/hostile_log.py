"""A log whose operator lies about users and periods, and signs the lies. It serves the Python reference's directory over HTTP, so that the
command line can query it."""

import base64
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from harness import ROOT

sys.path.insert(0, str(ROOT / "tests/reference"))

import facts
import pahd
from codec import Reader
from codec_users import DeviceList
from directory import STEP_MS
from directory_users import At
from serve import JSON, MEDIA, Said, Server, split
from user_monitor import Own
from users import Asked, Kept, KeptList
from vectors_users_lies import Liar

# The log's first epoch was this number of epochs' intervals ago, so that the newest record is fresh and no record is from the future.
AGE_STEPS = 100

Answer = Callable[[list[Asked], int], bytes]
"""Makes the answer to a request from the users that it asks about and the size of the checkpoint that the client keeps."""


def young_log(kind: type[Liar] = Liar, **configuration) -> Liar:
    return kind(seed=91, start_ms=time.time_ns() // 1_000_000 - AGE_STEPS * STEP_MS, **configuration)


class HostileLog(Server):
    """Use as a context manager. The function `answer` answers lookups of users. A test may replace it while the server runs. By default it
    answers from the directory, as the server does for all other requests."""

    def __init__(self, d: Liar):
        super().__init__(d)
        self.d = d
        self.answer: Answer = self.honest
        self.asked: list[Asked] = []
        """The questions of the last lookup of users."""

    def post(self, target: str, body: bytes) -> Said:
        path, query = split(target)
        if path == "/v1/users/monitor":
            return MEDIA + "user-monitor", self.d.user_monitor(own_user(body), self.epoch_of(query), kept_size=self.kept_size(query)).encode()
        if path != "/v1/users/lookup":
            return super().post(target, body)
        self.asked = self.questions(body)
        return MEDIA + "user-lookup", self.answer(self.asked, query.get("checkpoint_size", 0))

    def trust(self, folder: Path) -> Path:
        """Writes the log's trust anchor into a file in the folder, and returns the file's path."""
        path = folder / "trust.json"
        path.write_text(self.d.anchor.render())
        return path

    def honest(self, asked: list[Asked], kept_size: int) -> bytes:
        return self.of(asked, kept_size)

    def of(self, asked: list[Asked], kept_size: int, at: At | None = None, epoch: int | None = None) -> bytes:
        """Returns an answer whose parts were true at these epochs, even if the epochs are old."""
        when = None if at is None else [at for _ in asked]
        return self.d.user_lookup(asked, when, epoch, kept_size=kept_size).encode()

    def questions(self, body: bytes) -> list[Asked]:
        """Decodes a UserQueryList (docs/spec/rest.md section 4), including the knowledge that the client names."""

        def question(r: Reader) -> Asked:
            name, device, knows_user, period, version = r.opaque(1, 255), r.opaque(0, 255), r.discriminant(2), r.uint(8), r.uint(8)
            known = r.elements(0, 2**24 - 1, lambda key: (key.opaque(1, 255), key.uint(8)))
            user = self.d.users.get(name) if knows_user else None
            listed = KeptList(pahd.Known(period, version), DeviceList([]).encode()) if version else None
            return Asked(name, device or None, Kept(user, devices=listed, keys={one: pahd.Known(period, number) for one, number in known}))

        reader = Reader(body)
        asked = reader.elements(1, 2**24 - 1, question)
        reader.finish()
        return asked


class WritingLog(HostileLog):
    """Also accepts update requests about users, and executes and publishes each request at once, together with the changes that `beside`
    makes to the user."""

    def __init__(self, d: Liar, beside: Callable[[bytes], None] = lambda user: None):
        super().__init__(d)
        self.beside = beside
        self.names_list = False
        """Whether the status names a version of the device list although the request did not ask for one."""
        self._published: dict[str, dict] = {}

    def get(self, target: str) -> Said:
        path, _ = split(target)
        found = self._published.get(path.removeprefix("/v1/updates/"))
        return super().get(target) if found is None else (JSON, json.dumps(found).encode())

    def post(self, target: str, body: bytes) -> Said:
        if target != "/v1/users":
            return super().post(target, body)
        request = json.loads(body)
        user, d = octets(request["user_b64"]), self.d
        keys = [key for change in request["changes"] for key in self._apply(user, change)]
        changes_list = any(change["op"] in ("create", "add-device", "remove-device") for change in request["changes"])
        self.beside(user)
        d.publish_users()
        items = [(facts.KEYS, "keys", key) for key in keys] + [(facts.DEVICES, "devices", user)] * (changes_list or self.names_list)
        named = [{"item": i, "structure": name, "key_b64": text(key), "period": d.period, "version": len(d.stored[number - 1][key])} for i, (number, name, key) in enumerate(items)]
        self._published[request["request_id"]] = {"request_id": request["request_id"], "status": "published", "epoch": d.epoch, "items": named}
        pending = {"request_id": request["request_id"], "status": "pending", "status_url": f"/v1/updates/{request['request_id']}", "user_b64": text(user)}
        return JSON, json.dumps(pending).encode()

    def _apply(self, user: bytes, change: dict) -> list[bytes]:
        """Stages a change of a user, and returns the ids of the devices to which the change gives a value."""
        d, device = self.d, octets(change.get("device_b64", ""))
        if change["op"] == "create":
            devices = {octets(one["device_b64"]): octets(one["value_b64"]) for one in change.get("devices", [])}
            d.create(user, [octets(name) for name in change["usernames_b64"]], devices)
            return list(devices)
        if change["op"] == "remove-device":
            d.remove_device(user, device)
            return []
        if change["op"] == "add-device":
            d.add_device(user, device, octets(change["value_b64"]))
        else:
            d.set_device(device, octets(change["value_b64"]))
        return [device]


def octets(base64url: str) -> bytes:
    return base64.urlsafe_b64decode(base64url + "=" * (-len(base64url) % 4))


def text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def own_user(body: bytes) -> Own:
    """Decodes a UserMonitorQuery (docs/spec/rest.md section 4)."""
    r = Reader(body)
    user, names = r.opaque(1, 255), r.elements(0, 2**16 - 1, lambda one: one.opaque(1, 255))
    period, start = r.uint(8), r.uint(8)
    keys = r.elements(0, 2**24 - 1, lambda key: (key.opaque(1, 255), key.uint(8)))
    r.finish()
    listed = KeptList(pahd.Known(period, start - 1), b"")
    return Own(user, names, devices=listed, keys={one: pahd.Known(period, first - 1) for one, first in keys})


def known_alone(asked: list[Asked]) -> list[Asked]:
    """Returns copies of the questions that do not say what the clients already know. So an answer to them leaves out nothing."""
    return [replace(one, kept=Kept()) for one in asked]
