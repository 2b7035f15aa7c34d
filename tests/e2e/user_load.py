"""Load about users that remembers the answers that it got. Users are created, get devices and names, change their keys, and leave for
good."""

import base64
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness import ROOT
from load import KEYS, Accepted, Callers, Writer
from rest import b64, uuid7

sys.path.insert(0, str(ROOT / "tests/reference"))

from codec_users import DeviceList
from facts import DECOMMISSIONED, DEVICES, USERNAMES

MOST_DEVICES = 5
# A user leaves in one turn out of this number. Users leave rarely, so that some users get many versions.
LEAVES = 12
LEFT = b"\x01"


@dataclass
class User:
    """The state that a user has in the log once all accepted changes are published."""

    prefix: str
    """Of devices and names that are made for it."""
    id: bytes
    names: list[str]
    devices: list[str]
    made: int
    """Devices and names so far, of which each is used once."""


class UserWriter(Writer):
    """A writer with its own users. It knows every version that a request will make, so the service refuses none of its requests, even if
    earlier requests are published late."""

    def __init__(self, log: Callers, name: str, seed: int, point: Callable[[], str], users: int = 8, pause: float = 0.1, reuses_names: bool = False):
        """If `reuses_names` is set, some users get the name of a user who has left (docs/spec/recycled-names.md)."""
        self._users: list[User] = []
        self._reuses_names = reuses_names
        self._left: deque[tuple[str, list[str]]] = deque()
        """Of users that leave: the request that said so, and their names."""
        self.reused = 0
        """Names that got another user."""
        self._most = users
        self._created = 0
        super().__init__(log, name, seed, point, keys=0, pause=pause)

    def _work(self) -> None:
        self._number += 1
        if len(self._users) < self._most:
            self._create()
        elif self._number % LEAVES == 0:
            self._leave(self._random.choice(self._users))
        else:
            self._random.choice((self._add_device, self._set_device, self._remove_device, self._add_username, self._change_several))(self._random.choice(self._users))

    def _create(self) -> None:
        self._created += 1
        prefix = f"{self._name}-{self._created}"
        # A name is free from the epoch after the epoch in which its user left.
        free = self._left.popleft()[1] if self._left and self._published(self._left[0][0]) else []
        self.reused += len(free)
        names = free or [prefix]
        devices = [f"{prefix}-device-{i}" for i in range(self._random.randint(0, 3))]
        values = {device: self._value(device) for device in devices}
        create = {"op": "create", "usernames": names} | ({"devices": [{"device": device, "value": value} for device, value in values.items()]} if devices else {})
        answer = self._ask(None, [create])
        user = User(prefix, base64.urlsafe_b64decode(answer["user_b64"] + "=="), names, devices, len(devices))
        self._users.append(user)
        self._accept(answer, user, is_listed=True, names=names, values=values)

    def _add_device(self, user: User) -> None:
        if len(user.devices) < MOST_DEVICES:
            self._change(user, added=[self._new(user)])

    def _set_device(self, user: User) -> None:
        if user.devices:
            self._change(user, changed=[self._random.choice(user.devices)])

    def _remove_device(self, user: User) -> None:
        if user.devices:
            self._change(user, removed=[self._random.choice(user.devices)])

    def _add_username(self, user: User) -> None:
        self._change(user, names=[self._new(user)])

    def _change_several(self, user: User) -> None:
        """Requests several changes of a user, all of which one epoch publishes."""
        kept = self._random.sample(user.devices, len(user.devices))
        self._change(user, added=[self._new(user)], removed=kept[:1], changed=kept[1:2], names=[self._new(user)])

    def _leave(self, user: User) -> None:
        answer = self._ask(user.id, [{"op": "decommission"}])
        self._users.remove(user)
        self._take(answer, 1, DECOMMISSIONED, user.id, LEFT)
        if self._reuses_names:
            self._left.append((answer["request_id"], user.names))

    def _change(self, user: User, added: Sequence[str] = (), removed: Sequence[str] = (), changed: Sequence[str] = (), names: Sequence[str] = ()) -> None:
        values = {device: self._value(device) for device in (*added, *changed)}
        changes = [{"op": "add-username", "username": name} for name in names]
        changes += [{"op": "add-device", "device": device, "value": values[device]} for device in added]
        changes += [{"op": "set-device", "device": device, "value": values[device]} for device in changed]
        changes += [{"op": "remove-device", "device": device} for device in removed]
        answer = self._ask(user.id, changes)
        user.names += names
        user.devices = [*(device for device in user.devices if device not in removed), *added]
        self._accept(answer, user, bool(added or removed), names, values)

    def _ask(self, user: bytes | None, changes: list[dict]) -> dict:
        request = {"request_id": uuid7(), "changes": changes} | ({"user_b64": b64(user)} if user else {})
        return self._until_answered("/v1/users", request).json()

    def _accept(self, answer: dict, user: User, is_listed: bool, names: Sequence[str], values: dict[str, str]) -> None:
        """Records the accepted versions. The request's items are in order (docs/spec/rest.md section 5): the list, names, keys."""
        if is_listed:
            self._take(answer, 0, DEVICES, user.id, DeviceList(sorted(device.encode() for device in user.devices)).encode())
        items = [(USERNAMES, name.encode(), user.id) for name in names] + [(KEYS, device.encode(), value.encode()) for device, value in values.items()]
        for number, item in enumerate(items, start=1):
            self._take(answer, number, *item)

    def _take(self, answer: dict, item: int, structure: int, key: bytes, value: bytes) -> None:
        self.accepted.append(Accepted(answer["request_id"], item, key, value, self._point(), structure))

    def _new(self, user: User) -> str:
        user.made += 1
        return f"{user.prefix}-device-{user.made}"

    def _value(self, device: str) -> str:
        return f"{device} {self._number}"
