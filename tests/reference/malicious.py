"""A server that has the log's key and lies. It tests all clients and auditors that implement docs/spec, not only those of this project.

    python3 tests/reference/malicious.py --list
    python3 tests/reference/malicious.py SCENARIO --folder FOLDER [--port N]

Writes FOLDER/trust.json and serves an honest log, in which alice and bob have a key. After POST /turn it lies as SCENARIO says. Each
scenario states the fault that a client or auditor must find if it looked before the turn and looks again.

A client that looks for the first time after the turn cannot compare the answer with an earlier answer. It finds a fork only by earlier
cosignatures (docs/spec/cosigners.md). The server hides these, until POST /cosigned makes it serve the cosigned note in the request's body.
"""

import argparse
import copy
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import facts
from directory import Directory, Stored
from serve import Server
from tree import Leaf

ALICE, BOB, MALLORY = b"alice", b"bob", b"mallory's"
KEYS = facts.KEYS - 1
DAY_MS = 86_400_000


class Log(Directory):
    """A log whose epochs have current times. The scenarios make its parts contradict each other."""

    def next(self, updates: dict[bytes, bytes] | None = None) -> None:
        """Publishes an honest epoch."""
        self.publish(updates or {}, time_ms=self._now())

    def next_of_stored(self, listed: list[Leaf]) -> None:
        """Publishes an epoch in which the tree of the structure `keys` has the stored leaves. Its audit proof lists the given leaves."""
        self.regrow()
        self.next()
        self.added[-1][KEYS] = listed

    def sign(self, **changes) -> None:
        """Replaces the last epoch's record with a copy that has these changes, so that the record contradicts the trees."""
        self.records[-1] = replace(self.records[-1], **changes)

    def _now(self) -> int:
        return max(self.now_ms + 1, time.time_ns() // 1_000_000)


def honest_log(name: str) -> Log:
    log = Log(seed=time.time_ns(), start_ms=time.time_ns() // 1_000_000 - 1_000, origin=b"malicious.example/" + name.encode(), period_length_ms=DAY_MS)
    log.next({ALICE: b"alice 1", BOB: b"bob 1"})
    log.next({ALICE: b"alice 2"})
    return log


def forks(log: Log) -> None:
    """Replaces the last epoch that the log showed with a different epoch, and then publishes one more epoch."""
    other = _without_epochs(log, 1)
    other.next({ALICE: MALLORY})
    other.next({b"somebody": b"new"})
    log.__dict__ = other.__dict__


def rewrites(log: Log) -> None:
    """Replaces epoch 1 and all later epochs with different epochs."""
    other = _without_epochs(log, 2)
    other.next({ALICE: MALLORY, BOB: b"bob 1"})
    other.next({ALICE: b"alice 2"})
    other.next()
    log.__dict__ = other.__dict__


def drops(log: Log) -> None:
    """Drops bob's leaf."""
    del log.versions[BOB]
    log.next_of_stored([])


def replaces(log: Log) -> None:
    """Replaces bob's leaf with another leaf, so that the tree does not become smaller."""
    log.versions[BOB] = [Stored(log.epoch + 1, bytes(16), MALLORY)]
    log.next_of_stored(log.leaves()[-1:])


def changes_old(log: Log) -> None:
    """Gives the first of alice's two versions another value, in a leaf with the old epoch."""
    log.versions[ALICE][0] = replace(log.versions[ALICE][0], value=MALLORY)
    log.next_of_stored([])


def drops_latest(log: Log) -> None:
    """Replaces alice's second version with another leaf."""
    log.versions[ALICE].pop()
    log.versions[b"somebody"] = [Stored(log.epoch + 1, bytes(16), b"new")]
    log.next_of_stored(log.leaves()[-1:])


def dates_back(log: Log) -> None:
    """Adds a version of alice's key whose leaf names an earlier epoch than the epoch that inserts the leaf."""
    log.versions[ALICE].append(Stored(log.epoch, bytes(16), MALLORY))
    log.next_of_stored([])


def hides(log: Log) -> None:
    """Adds a version of alice's key that no audit proof lists."""
    log.versions[ALICE].append(Stored(log.epoch + 1, bytes(16), MALLORY))
    log.next_of_stored([])


def takes_back(log: Log) -> None:
    """Shows a version of alice's key for one epoch. In the next epoch, another leaf takes the place of this version."""
    log.next({ALICE: MALLORY})
    log.versions[ALICE].pop()
    log.versions[b"somebody"] = [Stored(log.epoch + 1, bytes(16), b"new")]
    log.next_of_stored(log.leaves()[-1:])


def shows_another_vrf_key(log: Log) -> None:
    """Replaces the VRF key of the structure `keys`. Under the new key it shows another directory, in which alice has another value."""
    log.versions[ALICE][-1] = replace(log.versions[ALICE][-1], value=MALLORY)
    log.change_vrf_key()
    log.next()


def changes_vrf_key(log: Log) -> None:
    """Shows the directory of the scenario shows-another-vrf-key for one epoch, and then the previous directory again."""
    _for_one_epoch(log, shows_another_vrf_key)


def skips(log: Log) -> None:
    """Omits epoch 3's entry of the log."""
    log.next()
    log.sign(epoch=log.epoch + 1)
    log.next()


def switches_early(log: Log) -> None:
    """Begins the next period a day too early."""
    log.switch_period(log._now())
    log.next()


def switches_and_back(log: Log) -> None:
    """Begins the next period a day too early, for one epoch, and then returns to the previous period."""
    _for_one_epoch(log, lambda log: log.switch_period(log._now()))


def _for_one_epoch(log: Log, lie: Callable[[Log], object]) -> None:
    """Tells the lie in one epoch, and then publishes an epoch with the contents from before the lie."""
    before = log.current()
    lie(log)
    log.go_back(before)
    log.next()


def _without_epochs(log: Log, last: int) -> Log:
    """Returns a copy of the log, with the same keys, as it was this many epochs ago."""
    other = copy.deepcopy(log)
    for states in (other.records, other.vrf_keys_at, other.stored_at, other.added, other.trees_at):
        del states[-last:]
    other.trees = list(other.trees_at[-1])
    other.stored = [{key: list(mine) for key, mine in held.items()} for held in other.stored_at[-1]]
    other.counts = [state.count for state in other.records[-1].structures]
    return other


@dataclass(frozen=True)
class Scenario:
    """One lie, with the reasons for which each party must refuse it.

    `auditor`, `client`, `owner`: the reason for which this party refuses an answer if it looked before the lie; None if its requests do not
    reveal the lie. A client looks up alice and bob; the owner of both keys monitors them. `is_proven`: whether the log's own signatures, as
    the auditor has them, prove the lie to everybody. `history`: the reason for which the owner then refuses a history. The owner's kept
    statements prove `leaf_contradicts`.
    """

    lie: Callable[[Log], None]
    auditor: str
    client: str | None
    owner: str | None
    is_proven: bool
    history: str | None = None


SCENARIOS = {
    "forks": Scenario(forks, "fork", "fork", "fork", True),
    "rewrites-an-epoch": Scenario(rewrites, "fork", "fork", "fork", True),
    "drops-a-leaf": Scenario(drops, "record_count", "record_count", "leaf_contradicts", True),
    "replaces-a-leaf": Scenario(replaces, "append_", None, "leaf_contradicts", False),
    "changes-an-old-version": Scenario(changes_old, "append_", None, None, False, "leaf_contradicts"),
    "drops-the-latest-version": Scenario(drops_latest, "append_", "version_regressed", "leaf_contradicts", False),
    "dates-an-insertion-back": Scenario(dates_back, "append_", "leaf_epoch_order", "leaf_contradicts", False),
    "hides-an-insertion": Scenario(hides, "append_", None, "unexpected_version", False),
    "takes-a-fake-back": Scenario(takes_back, "append_", None, None, False),
    "shows-another-vrf-key": Scenario(shows_another_vrf_key, "record_vrf_key", "record_vrf_key", "record_vrf_key", True),
    "changes-a-vrf-key": Scenario(changes_vrf_key, "record_vrf_key", None, None, True),
    "skips-an-epoch": Scenario(skips, "record_epoch", None, None, True),
    "switches-early": Scenario(switches_early, "record_period", "record_period", "record_period", True),
    "switches-early-and-back": Scenario(switches_and_back, "record_period", None, None, True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="?", choices=SCENARIOS)
    parser.add_argument("--list", action="store_true", help="what each scenario does, and what is to be found")
    parser.add_argument("--folder", type=Path, help="where trust.json goes")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.list or arguments.scenario is None or arguments.folder is None:
        for name, one in SCENARIOS.items():
            print(f"{name:20} {one.lie.__doc__}\n{'':20} auditor: {one.auditor}; client: {one.client or 'nothing'}; owner: {one.owner or (one.history and f'{one.history} by a history') or 'nothing'}; {'proven to all' if one.is_proven else 'proven to nobody else'}")
        sys.exit(0 if arguments.list else 2)
    log = honest_log(arguments.scenario)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "trust.json").write_text(log.anchor.render())
    with Server(log, arguments.port, lambda: SCENARIOS[arguments.scenario].lie(log)) as server:
        print(f"{server.url} serves an honest log; POST {server.url}/turn and it {arguments.scenario.replace('-', ' ')}", flush=True)
        while True:
            # Clients refuse an epoch that is older than some minutes, so the log publishes an epoch each minute.
            time.sleep(60)


if __name__ == "__main__":
    main()
