"""Proxies between processes whose TCP connections stall, are cut or are refused. All proxies run on one event loop in a separate thread.
Data that was sent before or during a stall arrives after the stall, even if the sender has gone meanwhile. So an answer or a request may
arrive late.
"""

import asyncio
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress

from ports import free_port

HOST = "127.0.0.1"
CHUNK = 65536
# With this option close() sends RST and not FIN. The other end then gets an error at its next octet, as if this machine had restarted.
RESET = struct.pack("ii", 1, 0)
# BETWEEN: seconds without a fault between two faults of one proxy. USUAL, LONG: seconds of a usual and of a long fault. A long fault lasts
# longer than any session, lease or caller waits. SHARE_OF_LONG: the share of long faults.
BETWEEN, USUAL, LONG, SHARE_OF_LONG = 4.0, 1.5, 12.0, 0.15
TO_TARGET, TO_CLIENT = 0, 1

Say = Callable[[str], None]
"""A function that is called on the loop's thread when a fault begins, with the fault and its two ends."""


class Proxies:
    """A set of proxies. Use as a context manager; leaving cuts all connections. `storm` and `calm` apply to all proxies. Not
    thread-safe."""

    def __init__(self, seed: int):
        self.faults: Counter[str] = Counter()
        """The number of faults of each name."""
        self.told: Say = lambda fault: None
        self._seed = seed
        self._proxies: list[Proxy] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> "Proxies":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        for proxy in self._proxies:
            self._run(proxy.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def add(self, name: str, target: int) -> int:
        """Adds a calm proxy to a port of this machine, on which no program needs to listen yet. Returns the proxy's port. `name` says which
        two ends the proxy connects."""
        # Each proxy has its own random generator, so that its times do not depend on the progress of other proxies.
        proxy = Proxy(name, target, random.Random(f"{self._seed} {len(self._proxies)}"), self._begin)
        self._proxies.append(proxy)
        self._run(proxy.open())
        return proxy.port

    def storm(self) -> None:
        """Causes faults at random from now on."""
        for proxy in self._proxies:
            self._run(proxy.storm())

    def put(self, fault: str, seconds: float) -> None:
        """Causes the fault with this name in Proxy.faults at all proxies. Returns when the fault has begun."""
        for proxy in self._proxies:
            self._run(proxy.put(fault, seconds))

    def calm(self) -> None:
        """Ends all faults, and returns when the proxies let every connection through again."""
        for proxy in self._proxies:
            self._run(proxy.calm())

    def _begin(self, fault: str) -> None:
        self.faults[fault] += 1
        self.told(fault)

    def _run(self, work: Coroutine) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()


class Proxy:
    """One route from clients to one target. Use it only on the event loop's thread."""

    def __init__(self, name: str, target: int, moments: random.Random, begin: Say):
        self.port = free_port()
        self._name, self._target, self._random, self._begin = name, target, moments, begin
        self._flows = (asyncio.Event(), asyncio.Event())
        """For each direction, an event that is set while octets may pass."""
        self.faults = {"stall": self._stall, "hold_answers": self._hold_answers, "lose_answers": self._lose_answers, "cut": self._cut_all, "refuse": self._refuse}
        self._server: asyncio.Server | None = None
        self._bound: socket.socket | None = None
        """Holds the port while connections are refused."""
        self._links: set[asyncio.Task] = set()
        self._weather: asyncio.Task | None = None

    async def open(self) -> None:
        for flow in self._flows:
            flow.set()
        self._bind()
        await self._listen()

    async def close(self) -> None:
        await self.calm()
        self._stop_listening()
        self._cut()
        await asyncio.gather(*self._links, return_exceptions=True)

    async def storm(self) -> None:
        self._weather = asyncio.create_task(self._rage())

    async def put(self, fault: str, seconds: float) -> None:
        self._weather = asyncio.create_task(self.faults[fault](seconds))
        # This lets the new asyncio task run its first step.
        await asyncio.sleep(0)

    async def calm(self) -> None:
        if self._weather is not None:
            self._weather.cancel()
            # If another exception ended the task early, the proxy itself has a bug. The exception must then be raised here.
            with suppress(asyncio.CancelledError):
                await self._weather
            self._weather = None
        for flow in self._flows:
            flow.set()
        if self._server is None:
            await self._listen()

    async def _rage(self) -> None:
        faults = list(self.faults)
        while True:
            await asyncio.sleep(self._random.uniform(0, BETWEEN))
            await self.faults[self._random.choice(faults)](self._random.uniform(0, LONG if self._random.random() < SHARE_OF_LONG else USUAL))

    async def _stall(self, seconds: float) -> None:
        """Lets no data through in either direction."""
        self._say("stall")
        await self._without(seconds, *self._flows)

    async def _hold_answers(self, seconds: float) -> None:
        """Lets requests through, and delays the answers."""
        self._say("late answers")
        await self._without(seconds, self._flows[TO_CLIENT])

    async def _lose_answers(self, seconds: float) -> None:
        """Lets requests through, and drops their answers."""
        self._say("lost answers")
        self._flows[TO_CLIENT].clear()
        await asyncio.sleep(seconds)
        self._cut()
        self._flows[TO_CLIENT].set()

    async def _cut_all(self, _: float) -> None:
        self._say("cut")
        self._cut()

    async def _refuse(self, seconds: float) -> None:
        """Refuses new connections; existing connections continue."""
        self._say("refusal")
        self._stop_listening()
        self._bind()
        await asyncio.sleep(seconds)
        await self._listen()

    async def _without(self, seconds: float, *flows: asyncio.Event) -> None:
        for flow in flows:
            flow.clear()
        await asyncio.sleep(seconds)
        for flow in flows:
            flow.set()

    def _say(self, fault: str) -> None:
        self._begin(f"{fault} {self._name}")

    def _bind(self) -> None:
        self._bound = socket.socket()
        self._bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._bound.bind((HOST, self.port))

    async def _listen(self) -> None:
        """Accepts connections on the port that is already bound."""
        self._server = await asyncio.start_server(self._accept, sock=self._bound, limit=CHUNK)
        self._bound = None

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._bound is not None:
            self._bound.close()
            self._bound = None

    def _cut(self) -> None:
        for link in self._links:
            link.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # This coroutine runs in a separate asyncio task, which lasts as long as the connection.
        link = asyncio.current_task()
        self._links.add(link)
        ends = [writer]
        try:
            from_target, to_target = await asyncio.open_connection(HOST, self._target, limit=CHUNK)
            ends.append(to_target)
            # The task group ends both directions of the connection when one of them breaks.
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._pump(reader, to_target, self._flows[TO_TARGET]))
                ways.create_task(self._pump(from_target, writer, self._flows[TO_CLIENT]))
        except (OSError, asyncio.CancelledError):
            # The connection was cut, or the target does not listen, so both ends get a reset.
            _reset(ends)
        except ExceptionGroup as broken:
            _reset(ends)
            if broken.split(OSError)[1] is not None:
                raise
        finally:
            for end in ends:
                end.close()
            self._links.discard(link)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flow: asyncio.Event) -> None:
        while octets := await reader.read(CHUNK):
            await flow.wait()
            writer.write(octets)
            await writer.drain()
        await flow.wait()
        writer.write_eof()


def _reset(ends: list[asyncio.StreamWriter]) -> None:
    for end in ends:
        with suppress(OSError):
            end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        end.transport.abort()
