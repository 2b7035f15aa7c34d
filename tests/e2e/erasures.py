"""A storm of users, erasures, period switches, tokens and reassigned names while processes are killed, and an oracle that knows which
updates and erasures were acknowledged."""

import base64
import http.client
import json
import random
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import export
from harness import Deployment, Process
from load import ANSWER_SECONDS, RETRY_SECONDS, Worker
from oracle import Wrong, require
from rest import Answer, Client, b64, uuid7
from storage import OwnPostgreSql
from tokens import Signer, claims

RETAINED = 2
SETTINGS = {
    "Optiks__Log__UsernameReuse": "true", "Optiks__Log__PeriodLength": "00:00:10", "Optiks__Log__RetainedPeriods": str(RETAINED),
    "Optiks__Periods__Automatic": "true", "Optiks__Periods__Preparation": "00:00:06", "Optiks__Periods__CopiesPerChunk": "8",
    "Optiks__Log__MaxBehind": "00:00:10", "Optiks__Log__Heartbeat": "00:00:01", "Optiks__Tokens__ClockSkew": "00:00:01"}
# TOKEN: seconds for which a stolen token is valid. HOLD: seconds for which a free id waits before another user gets it. It is the sum of
# TOKEN, MaxBehind and ClockSkew, with some room, because an account system must wait as long (docs/spec/tokens.md section 2).
TOKEN, HOLD = 5, 20.0
SECRET = re.compile(rb"SECRET[0-9a-f]{24}")
HOUSEHOLDS, PEOPLE, IDS, NAMES, MOST_DEVICES = 2, 4, 60, 12, 3
# BETWEEN: seconds between two kills. RESTART: seconds until a killed process is started again.
BETWEEN, RESTART = 5.0, 1.0
SERVER_SHARE = 0.2
PUBLISHED, REFUSED, PENDING = "published", "refused", "pending"
# Reasons of refusals that are correct, because the client cannot know that an id or a name is not free yet, or that a new period has begun.
NOT_FREE, TOO_LATE = {"device-taken", "username-taken"}, {"other-period", "nothing-left"}


@dataclass
class Value:
    """A value that the test sent, with everything that the test knows about the value."""

    secret: bytes
    request_id: str
    item: int
    device: str
    period: int = -1
    version: int = 0


@dataclass
class Person:
    """The test's knowledge of a user, from the user's creation to its erasure."""

    id: bytes
    names: list[str]
    token: str = ""
    values: list[Value] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    removed_in: dict[str, int] = field(default_factory=dict)
    """For each device that left the list, the period in which it left."""
    left: float = 0.0

    @property
    def secrets(self) -> set[bytes]:
        return {value.secret for value in self.values}

    def latest(self, device: str) -> Value:
        return next(value for value in reversed(self.values) if value.device == device)


@dataclass
class Held:
    """The ids of a user who has left, which wait until another user may get them."""

    ids: list[str]
    period: int
    """The newest period when the user left. The ids are taken as long as this period lasts."""
    until: float | None = None
    """The time from which the ids may have another user. It is known once that period is over."""


class Facts:
    """The facts that the services acknowledged to any worker."""

    def __init__(self) -> None:
        self.published: Counter[tuple[str, int]] = Counter()
        self.refused: set[str] = set()
        self.erased: dict[bytes, str] = {}
        """The erased secrets, each with the statement that said that it is erased."""
        self.living: dict[bytes, Person] = {}
        self.everyone: list[Person] = []
        self.erasures = 0
        self.tries = 0
        self.shown = 0
        """The number of these tries that were answered with values, all of which belonged to the asking person."""


class Household(Worker):
    """A thread that sends the requests of its own people, who are users of the log. Names and device ids pass from one of these people to
    the next."""

    def __init__(self, log: Deployment, name: str, seed: int, signer: Signer, facts: Facts):
        self._log, self._signer, self._facts, self._random = log, signer, facts, random.Random(seed)
        self._ids = [f"{name}-device-{i}" for i in range(IDS)]
        self._names = [f"{name}-name-{i}" for i in range(NAMES)]
        self._held: list[Held] = []
        self._newest_period = 0
        """The newest period in which something of this household was published."""
        self._people: list[Person] = []
        self._gone: list[Person] = []
        """People who have left and are not erased yet."""
        super().__init__(pause=0.05)

    def _work(self) -> None:
        self._release_ids()
        if len(self._people) < PEOPLE and len(self._ids) >= MOST_DEVICES:
            self._create()
            return
        if not self._people:
            return
        person = self._random.choice(self._people)
        self._random.choices((self._set, self._add, self._remove, self._erase_versions, self._leave), (5, 2, 3, 3, 2))[0](person)
        # Some people are erased immediately after they leave, but most only after a switch of the period.
        for gone in [gone for gone in self._gone if time.monotonic() - gone.left > self._random.uniform(0, 15)]:
            self._erase(gone)

    def finish_people(self) -> None:
        """Erases all users of this household who have left. Call it after the thread has ended."""
        for gone in list(self._gone):
            self._erase(gone)

    def _value(self, device: str) -> Value:
        return Value(b"SECRET" + uuid.uuid4().hex[:24].encode(), uuid7(), 0, device)

    def _create(self) -> None:
        devices = self._random.sample(self._ids, self._random.randint(1, MOST_DEVICES))
        person = Person(b"", [self._random.choice(self._names)])
        person.values = [self._value(device) for device in devices]
        create = {"op": "create", "usernames": person.names, "devices": [{"device": value.device, "value": value.secret.decode()} for value in person.values]}
        request = {"request_id": uuid7(), "changes": [create]}
        answer = self._until_answered("/v1/users", request, self._log.api_key)
        person.id = base64.urlsafe_b64decode(answer["user_b64"] + "==")
        status = self._outcome(f"/v1/updates/{request['request_id']}", self._log.api_key)
        if status["status"] == REFUSED:
            require(status["reason"] in NOT_FREE, f"create: {status}")
            self._facts.refused.add(request["request_id"])
            return
        self._ids = [device for device in self._ids if device not in devices]
        self._names.remove(person.names[0])
        person.devices = devices
        # The person is in this list before any request can use the person's token.
        self._facts.everyone.append(person)
        self._note(status, request["request_id"], person.values, 1 + len(person.names))
        person.token = self._signer.token(claims(devices, scope="update history erase", user_b64=b64(person.id)))
        self._facts.living[person.id] = person
        self._people.append(person)

    def _set(self, person: Person) -> None:
        if person.devices:
            value = self._value(self._random.choice(person.devices))
            self._change(person, [{"op": "set-device", "device": value.device, "value": value.secret.decode()}], [value])

    def _add(self, person: Person) -> None:
        if len(person.devices) < MOST_DEVICES and self._ids:
            value = self._value(self._random.choice(self._ids))
            token = self._signer.token(claims([*person.devices, value.device], scope="update history erase", user_b64=b64(person.id)))
            if self._change(person, [{"op": "add-device", "device": value.device, "value": value.secret.decode()}], [value], token):
                self._ids.remove(value.device)
                person.devices.append(value.device)
                person.token = token

    def _remove(self, person: Person) -> None:
        if len(person.devices) > 1:
            device = self._random.choice(person.devices)
            if status := self._change(person, [{"op": "remove-device", "device": device}], []):
                person.devices.remove(device)
                person.removed_in[device] = next(item["period"] for item in status["items"] if item["structure"] == "devices")
                if self._random.random() < 0.5:
                    self._wipe(person, device)

    def _wipe(self, person: Person, device: str) -> None:
        """Erases the last value of a device that the person has removed: an empty version supersedes it (docs/spec/erasure.md section 1)."""
        request = {"request_id": uuid7(), "items": [{"key": device, "value": ""}]}
        self._until_answered("/v1/updates", request, self._log.api_key)
        status = self._outcome(f"/v1/updates/{request['request_id']}", self._log.api_key)
        require(status["status"] == PUBLISHED, f"empty version: {status}")
        self._note(status, request["request_id"], [], 0)
        period, version = (status["items"][0][name] for name in ("period", "version"))
        erasure = self._ask_for_erasure({"key": device, "period": period, "from": 1, "to": version - 1}, person, self._log.api_key)
        if erasure["status"] != REFUSED:
            # The receipt lists only the value's copies in served periods. If the value was first published in an earlier period, the
            # version that published it was destroyed with that period.
            self._facts.erased.setdefault(person.latest(device).secret, f"request {erasure['request_id']} about the removed {device}: {person.latest(device)}")

    def _change(self, person: Person, changes: list[dict], values: list[Value], token: str | None = None) -> dict | None:
        """Sends the changes of a user. Returns the status of the request, or None if an id is not free yet."""
        request = {"request_id": uuid7(), "user_b64": b64(person.id), "changes": changes}
        # The person's list of values gets the new values before the request is sent. The check of every answer is that it shows a value of
        # this list, and an answer may show a new value while the request still runs.
        person.values += values
        self._until_answered("/v1/users", request, token or person.token)
        status = self._outcome(f"/v1/updates/{request['request_id']}", self._log.api_key)
        if status["status"] == REFUSED:
            require(status["reason"] in NOT_FREE, f"change: {status}")
            self._facts.refused.add(request["request_id"])
            person.values = [value for value in person.values if value not in values]
            return None
        self._note(status, request["request_id"], values, 1)
        return status

    def _note(self, status: dict, request_id: str, values: list[Value], first: int) -> None:
        items = {item["item"]: item for item in status["items"]}
        self._newest_period = max(self._newest_period, *(item["period"] for item in items.values()))
        for number in items:
            self._facts.published[request_id, number] += 1
        for i, value in enumerate(values):
            value.request_id, value.item = request_id, first + i
            value.period, value.version = items[value.item]["period"], items[value.item]["version"]

    def _leave(self, person: Person) -> None:
        request = {"request_id": uuid7(), "user_b64": b64(person.id), "changes": [{"op": "decommission"}]}
        self._until_answered("/v1/users", request, person.token)
        status = self._outcome(f"/v1/updates/{request['request_id']}", self._log.api_key)
        require(status["status"] == PUBLISHED, f"decommission: {status}")
        self._facts.living.pop(person.id)
        self._people.remove(person)
        person.left = time.monotonic()
        self._gone.append(person)
        # The names are free immediately. The ids are free only after a switch of the period: until then, the service refuses requests that
        # use them.
        self._names += person.names
        self._newest_period = max(self._newest_period, *(item["period"] for item in status["items"]))
        self._held.append(Held(sorted({value.device for value in person.values}), self._newest_period))

    def _release_ids(self) -> None:
        """Frees the ids of users who left, once neither a token nor a replica that is behind can show their values to the next user."""
        now = time.monotonic()
        for held in self._held:
            if held.until is None and self._newest_period > held.period:
                held.until = now + HOLD
        free = [held for held in self._held if held.until is not None and held.until <= now]
        self._held = [held for held in self._held if held not in free]
        self._ids += [device for held in free for device in held.ids]

    def _erase_versions(self, person: Person) -> None:
        """Erases the superseded versions of one device that this client knows, with the person's token."""
        device = self._random.choice(person.devices)
        known = [value for value in person.values if value.device == device and value.version]
        old = [value for value in known[:-1] if value.period == known[-1].period and value.secret not in self._facts.erased]
        if old:
            first, last = old[0].version, old[-1].version
            self._ask_for_erasure({"key": device, "period": old[0].period, "from": first, "to": last}, person, person.token)

    def _erase(self, person: Person) -> None:
        status = self._ask_for_erasure({"user_b64": b64(person.id)}, person, self._log.api_key)
        self._gone.remove(person)
        # If a device was removed in a period that is no longer served, the service does not find the device (docs/spec/erasure.md section
        # 1).
        served = self._period() - RETAINED + 1
        for value in person.values:
            if person.removed_in.get(value.device, served) >= served:
                self._facts.erased.setdefault(value.secret, f"{status['status']} {status.get('reason', '')} of user {person.id.hex()}, who removed {person.removed_in}, not before period {served}: {value}")

    def _ask_for_erasure(self, order: dict, person: Person, credential: str) -> dict:
        request = {"request_id": uuid7()} | order
        self._until_answered("/v1/erasures", request, credential)
        status = self._outcome(f"/v1/erasures/{request['request_id']}", self._log.api_key)
        if status["status"] == REFUSED:
            require(status["reason"] in TOO_LATE, f"erasure {order}: {status}")
            return status
        self._facts.erasures += 1
        gone = {(one["period"], one["version"]) for one in status["erased"] if one["structure"] == "keys"}
        for value in person.values:
            if "key" in order and value.device == order["key"] and (value.period, value.version) in gone:
                self._facts.erased.setdefault(value.secret, f"request {request['request_id']} about {order}")
        return status

    def _period(self) -> int:
        """Returns the newest period in the database, which is at least the period of the newest epoch that was published at the time of the
        call. A replica could not say this, because it may be behind."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while (status := self._log.optiks_db("period", "status", "--json")).code != 0:
            require(not self._abandoned and time.monotonic() < deadline, f"no periods in {ANSWER_SECONDS} s: {status}")
            time.sleep(RETRY_SECONDS)
        return json.loads(status.out)["current"]

    def _until_answered(self, path: str, document: dict, credential: str) -> dict:
        return self._repeat(lambda client: client.post_json(path, document), credential, 202)

    def _outcome(self, url: str, credential: str) -> dict:
        deadline = time.monotonic() + ANSWER_SECONDS
        while (status := self._repeat(lambda client: client.get(f"{url}?wait=5"), credential, 200))["status"] == PENDING:
            require(time.monotonic() < deadline, f"still pending: {status}")
        return status

    def _repeat(self, ask: Callable[[Client], Answer], credential: str, wanted: int) -> dict:
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                with Client(self._log.update.url, credential, timeout=15) as client:
                    answer = ask(client)
                if answer.status == wanted:
                    return answer.json()
                if answer.status not in (429, 503):
                    raise Wrong(f"HTTP {answer.status} {answer.body!r}")
            except (OSError, http.client.HTTPException):
                pass
            require(not self._abandoned and time.monotonic() < deadline, f"no answer in {ANSWER_SECONDS} s")
            time.sleep(RETRY_SECONDS)


class Thief(Worker):
    """Looks for leaks. It asks for the versions of people's devices with tokens of the same people, in the current period and in the
    previous period. An answer must not show a value of another person, not even of one who had the same device id earlier."""

    def __init__(self, log: Deployment, seed: int, signer: Signer, facts: Facts):
        self._log, self._random, self._signer, self._facts = log, random.Random(seed), signer, facts
        super().__init__(pause=0.1)

    def _work(self) -> None:
        living = list(self._facts.living.values())
        if not living:
            return
        person = self._random.choice(living)
        device = self._random.choice(person.devices)
        token = self._signer.token(claims([device], scope="history", user_b64=b64(person.id), exp=int(time.time()) + TOKEN))
        path, ended = self._random.choice(("/v1/history", "/v1/monitor")), ""
        try:
            if self._random.random() < 0.7:
                with self._log.query_client() as client:
                    period = client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["period"]
                ended = f"?period={max(period - 1, 0)}"
            with Client(self._log.query.url, token, timeout=15) as client:
                answer = client.post_json(path + ended, [{"key": device}], "application/json")
        except (OSError, http.client.HTTPException, KeyError, ValueError):
            return
        self._facts.tries += 1
        shown = set(SECRET.findall(answer.body))
        self._facts.shown += bool(shown)
        owners = {secret: other.id.hex() for other in self._facts.everyone for secret in other.secrets}
        foreign = {secret: owners.get(secret, "a request that was refused") for secret in shown - person.secrets}
        require(not foreign, f"leaked: {path}{ended} of {device} shows {foreign} to {person.id.hex()}, who has {person.devices}, had removed {person.removed_in} and has {person.values}")


class ErasureStorm:
    """A storm on one log. Use as a context manager: entering starts the services and the load, and leaving ends them."""

    def __init__(self, engine: str, seed: int):
        self.seed = seed
        self.facts = Facts()
        self.kills: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._signer = Signer("storm")
        self.log = Deployment(SETTINGS, replicas=2, engine=engine, before_start=self._signer.trust)
        self._households: list[Household] = []
        self._thief: Thief

    def __enter__(self) -> "ErasureStorm":
        self.log.__enter__()
        self._households = [Household(self.log, f"h{i}", self._random.randrange(2**32), self._signer, self.facts) for i in range(HOUSEHOLDS)]
        self._thief = Thief(self.log, self._random.randrange(2**32), self._signer, self.facts)
        return self

    def __exit__(self, *_) -> None:
        for worker in self._workers:
            worker.abandon()
        self.log.__exit__()

    @property
    def _workers(self) -> list[Worker]:
        return [*self._households, self._thief]

    def blow(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, self._random.uniform(0, 2 * BETWEEN)))
            for worker in self._workers:
                worker.hold()
                worker.go_on()
            self._strike()
        self.log.wait_ready()

    def _strike(self) -> None:
        if self.log.storage.name == OwnPostgreSql.name and self._random.random() < SERVER_SHARE:
            self.kills["database server"] += 1
            self.log.storage.server.kill()
            time.sleep(self._random.uniform(0, RESTART))
            self.log.storage.server.start()
        else:
            process: Process = self._random.choice(self.log.processes)
            self.kills[process.service] += 1
            process.kill()
            time.sleep(self._random.uniform(0, RESTART))
        for process in self.log.processes:
            if not process.running:
                process.start()

    def judge(self) -> dict:
        """Ends the load and all processes, and returns a report. The report says which updates were lost or doubled, and which erased
        values came back. Raises Wrong if a value leaked, or another promise was broken."""
        for worker in self._workers:
            worker.finish()
        for household in self._households:
            household.finish_people()
        # Once this call returns, every replica has applied the last erasure.
        self.log.publish(("the last one", "of all"))
        self._look_living_up()
        audit = self.log.optiks("audit", "--from", "0", "--json")
        require(audit.code == 0, f"audit: {audit}")
        periods = json.loads(self.log.optiks_db("period", "status", "--json").out)
        self._forget_destroyed(periods)
        self.log.stop()
        fsck = self.log.optiks_db("fsck", "--board", self.log.data / "board")
        require(fsck.code == 0, f"fsck: {fsck}")
        file = self.log.logs / "export"
        run = self.log.optiks_db("export", file)
        require(run.code == 0, f"export: {run}")
        there = export.origins(file)
        lost = [one for one in self.facts.published if there[one] == 0]
        doubled = [one for one, count in there.items() if count > 1 and one[0] != str(uuid.UUID(int=0))]
        refused = [one for one in there if one[0] in self.facts.refused]
        require(not refused, f"published, although it was refused: {refused}")
        found = {path: SECRET.findall(path.read_bytes()) for path in self._files(file)}
        back = sorted({f"{secret.decode()} in {path}: {self.facts.erased[secret]}" for path, secrets in found.items() for secret in secrets if secret in self.facts.erased})
        living = {person.latest(device).secret for person in self.facts.living.values() for device in person.devices}
        require(self.facts.shown > 0, "nobody was shown a value")
        require(living <= set(found[file]), "the export lacks values of people who are there: nothing is found in it")
        return {"engine": self.log.storage.name, "seed": self.seed, "kills": dict(self.kills), "periods": periods["current"], "published": len(self.facts.published),
                "erasures": self.facts.erasures, "erased": len(self.facts.erased), "thefts": self.facts.tries, "lost": len(lost), "doubled": len(doubled), "back": back}

    def _look_living_up(self) -> None:
        """Checks that lookups show every remaining user in the state after the user's last change."""
        for person in self.facts.living.values():
            with self.log.query_client() as client:
                answer = client.post_json("/v1/users/lookup", [{"username": person.names[0]}], "application/json")
            require(answer.status == 200, f"lookup: HTTP {answer.status} {answer.body!r}")
            shown, expected = set(SECRET.findall(answer.body)), {person.latest(device).secret for device in person.devices}
            require(shown == expected, f"{person.names[0]} is shown with {shown}, set were {expected}")

    def _forget_destroyed(self, periods: dict) -> None:
        """Marks as destroyed the values that were superseded in a destroyed period, and everything of users who left in it."""
        destroyed = {row["period"] for row in periods["periods"] if row["state"] == "destroyed"}
        for person in self.facts.everyone:
            for value in person.values:
                later = [one for one in person.values if one.device == value.device and one.period == value.period and one.version > value.version]
                if value.period in destroyed and later:
                    self.facts.erased.setdefault(value.secret, f"superseded in period {value.period}, which is destroyed")

    def _files(self, file: Path) -> Iterator[Path]:
        yield file
        self.log.storage.drop_free_space()
        for folder in (self.log.data, self.log.logs):
            yield from (path for path in folder.rglob("*") if path.is_file() and path != file)
        yield from self.log.storage.files_elsewhere
