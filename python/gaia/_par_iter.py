# SPDX-License-Identifier: MIT
"""Chains of functions over many items, worked on at the same time: on threads, or on processes where asked."""
import asyncio
import collections
import contextlib
import functools
import itertools
import threading
import typing

from . import _workers
from .errors import ArgumentError

COROUTINES = 100
GPU_CALLS = 4    # enough to fill the gaps that one stream leaves
REDUCED = 64     # neighbours that `reduce` puts together at once
# A block of items takes about so long: long compared with the cost of drawing one, short with what is to be shared.
SHORT, LONG, MOST_ITEMS = 1e-3, 50e-3, 1024

class _Run:
    """One pass over items.  Who asks for results works too; up to `workers` - 1 other threads help."""

    def __init__(self, items, apply, workers, settings, abort=lambda: None):
        self._source = iter(items)
        self._left = len(items) if hasattr(items, "__len__") else None
        self._apply = apply
        self._workers = workers
        self._settings = settings
        self._abort = abort  # ends what helpers wait for
        self._drawing = threading.Lock()  # of the source
        self._lock = threading.Lock()     # of all below
        self._changed = threading.Condition(self._lock)
        self._size = 1       # of the next block
        self._begun = 0      # blocks
        self._given = 0      # blocks
        self._results = {}
        self._helpers = 0
        self._working = 0    # helpers that have not come to an end
        self._is_drawn = False
        self._is_stopped = False

    def results(self):
        """What the items became, in order; after those before it the exception of the lowest that has thrown."""
        try:
            while True:
                with self._lock:
                    result = self._results.pop(self._given, None)
                    if result is None and self._is_given():
                        return
                if result is None:
                    if not self._step():
                        self._wait_for_next()
                    continue
                with self._lock:
                    self._given += 1
                    if self._working:
                        self._changed.notify_all()
                made, error = result
                yield from made
                if error is not None:
                    raise error
        except BaseException:
            self._abort()
            raise
        finally:
            self._stop()

    def _is_over(self):
        return self._is_drawn or self._is_stopped

    def _is_given(self):
        return self._is_over() and self._given >= self._begun

    def _is_open(self):
        """Whether a block may be begun: not too many that nobody has asked for."""
        return self._begun - self._given < 4 * self._workers

    def _wait_for_next(self):
        with self._changed:
            self._changed.wait_for(lambda: self._given in self._results or self._is_given())

    def _stop(self):
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._working == 0)
        close = getattr(self._source, "close", None)
        if close is not None:
            close()

    def _help(self):
        def help():
            while self._step(waits=True):
                pass

        try:
            self._settings.run(help)
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def _start_helper(self):
        try:
            _workers.start(self._help)
        except RuntimeError:  # The system grants no more threads; those there are do all the work.
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def _draw(self, waits):
        """The number of a block and its items; None where there is none, or not now."""
        while True:
            with self._changed:
                if waits:
                    self._changed.wait_for(lambda: self._is_over() or self._is_open())
                if self._is_over() or not self._is_open():
                    return None
            with self._drawing:
                with self._lock:
                    if self._is_over():
                        return None
                    if not self._is_open():
                        continue
                    number, size = self._begun, self._size
                if self._left is not None:
                    size = min(size, max(1, self._left // (2 * self._workers)))
                error = None
                try:
                    items = list(itertools.islice(self._source, size))
                except Exception as why:
                    items, error = [], why
                with self._lock:
                    if error is not None:
                        self._results[number] = [], error
                    self._is_drawn = len(items) < size
                    if not items and error is None:
                        return None
                    self._begun += 1
                    if self._left is not None:
                        self._left -= size
                        self._is_drawn = self._is_drawn or self._left <= 0
                    if error is not None:
                        return None
                    helps = not self._is_drawn and self._helpers < self._workers - 1
                    self._helpers += helps
                    self._working += helps
            if helps:
                self._start_helper()
            return number, items

    def _step(self, waits=False):
        """Works on a block; whether there was one."""
        drawn = self._draw(waits)
        if drawn is None:
            return False
        number, items = drawn
        try:
            made, error, taken = self._apply(items)
        except BaseException as why:  # as KeyboardInterrupt, which is for the thread that it reached
            if not waits:
                raise
            made, error, taken = [], why, 0.0
        with self._changed:
            self._results[number] = made, error
            if error is not None:
                self._is_stopped = True
            elif taken < SHORT:
                self._size = min(2 * self._size, MOST_ITEMS)
            elif taken > LONG:
                self._size = max(1, self._size // 2)
            if self._working:
                self._changed.notify_all()
        return True


def _run(items, steps, options):
    """The results of a pass, as they come."""
    settings = _workers.Settings()
    if not options.processes:
        workers = _workers.workers_or(options.workers, 1 if _workers.is_inside_item() else _workers.THREADS)
        yield from _Run(items, functools.partial(_workers.apply, steps), workers, settings).results()
        return
    processes = _workers.Processes(steps, settings)
    abort = functools.partial(processes.end, at_once=True)
    try:
        workers = _workers.workers_or(options.workers, _workers.processors())
        yield from _Run(items, processes, workers, settings, abort).results()
    finally:
        processes.end(at_once=False)


async def _await(awaitable):
    return await awaitable


async def _end_tasks():
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _awaited(items, function, workers):
    """function of each item, a coroutine, in order; up to so many are under way at a time."""
    loop = asyncio.new_event_loop()
    ended = threading.Event()

    def run():
        loop.run_forever()
        ended.set()

    _workers.start(functools.partial(_workers.Settings().run, run))
    pending = collections.deque()
    items = iter(items)
    try:
        for item in items:
            pending.append(asyncio.run_coroutine_threadsafe(_await(function(item)), loop))
            if len(pending) >= workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        if hasattr(items, "close"):
            items.close()
        asyncio.run_coroutine_threadsafe(_end_tasks(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        ended.wait()
        loop.close()


def _closing(make, *streams):
    """What `make` makes of the iterators of streams, which end with it."""
    with contextlib.ExitStack() as stack:
        iterators = [iter(stream) for stream in streams]
        for iterator in iterators:
            if hasattr(iterator, "close"):
                stack.callback(iterator.close)
        yield from make(*iterators)


def _chunks(length, values):
    while chunk := list(itertools.islice(values, length)):
        yield chunk


class _Options(typing.NamedTuple):
    workers: int | None
    processes: bool


class ParIter:
    """Items, and what is to be done with each; `par_iter` makes one.

    Nothing is computed before `collect`, `for_each`, `fold`, `reduce` or a loop over it asks.  Answers come in the
    order of the items and are the same for any number of workers, and so is the exception: that of the lowest item that
    raises one.  Items behind it may be left out; those that have begun end first.  Ctrl-C ends the pass in the same
    way; a second one does not wait for items on threads, and processes are ended at once.
    """

    def __init__(self, make, steps, options) -> None:
        self._make = make
        self._steps = steps
        self._options = options

    def _then(self, step, function):
        return ParIter(self._make, (*self._steps, (step, function)), self._options)

    def _of(self, make):
        return ParIter(make, (), self._options)

    def map(self, function) -> "ParIter":
        """function(item) of each item."""
        return self._then(_workers.mapped, function)

    def gpu_map(self, function) -> "ParIter":
        """The same on the GPU where that may pay, as `gpu` decides; a few calls at a time."""
        from .offload import gpu  # which has this module
        turns = threading.BoundedSemaphore(max(GPU_CALLS, _workers.processors()))
        on_gpu = gpu(function)

        def call(item):
            with turns:
                return on_gpu(item)

        return self.map(call)

    def async_map(self, function) -> "ParIter":
        """What the coroutine function(item) of each item returns.  They run in one event loop, in a thread of its own,
        up to `workers` at a time; 100 where that is not given."""
        workers = _workers.workers_or(self._options.workers, COROUTINES)
        return self._of(lambda: _awaited(self, function, workers))

    def filter(self, function) -> "ParIter":
        """The items for which function(item) is true."""
        return self._then(_workers.filtered, function)

    def flat_map(self, function) -> "ParIter":
        """Each of the items that function(item) gives, for each item."""
        return self._then(_workers.flat_mapped, function)

    def zip(self, *others) -> "ParIter":
        """Tuples of an item of this and one of each of the others, as many as the shortest has."""
        return self._of(lambda: _closing(zip, self, *others))

    def enumerate(self, start=0) -> "ParIter":
        """Tuples of a number, from `start` on, and an item."""
        return self._of(lambda: _closing(lambda values: enumerate(values, start), self))

    def take(self, count) -> "ParIter":
        """The first `count` items; where only `map` is before it, no other is computed."""
        count = _workers.whole_number(count, 0, "take")
        if all(step is _workers.mapped for step, _ in self._steps):
            return ParIter(self._cut(self._make, count), self._steps, self._options)
        return self._of(self._cut(lambda: self, count))

    @staticmethod
    def _cut(make, count):
        return lambda: _closing(lambda values: itertools.islice(values, count), make())

    def chunk(self, length) -> "ParIter":
        """Lists of `length` items that follow each other, the last of what is left."""
        length = _workers.whole_number(length, 1, "chunk")
        return self._of(lambda: _closing(lambda values: _chunks(length, values), self))

    def __iter__(self):
        return _run(self._make(), self._steps, self._options)

    def collect(self) -> list:
        """A list of the items."""
        return list(self)

    def for_each(self, function) -> None:
        """Calls function(item) for each item."""
        collections.deque(self.map(function), maxlen=0)

    def fold(self, initial, function):
        """function(... function(function(initial, item 0), item 1) ..., item n), as functools.reduce: the items are
        computed by all workers, and the function is called by who asks, for one after the other."""
        return functools.reduce(function, self, initial)

    def reduce(self, function, *initial):
        """The items put together by function(left, right), which is to be associative: by all workers for each 64
        neighbours, then from the left on.  Raises ArgumentError where there are no items, and no `initial` value."""
        if len(initial) > 1:
            raise ArgumentError(f"[par_iter] reduce: expected one initial value at most, got {len(initial)}")
        parts = iter(self.chunk(REDUCED).map(functools.partial(functools.reduce, function)))
        with contextlib.closing(parts):
            for first in initial or parts:
                return functools.reduce(function, parts, first)
        raise ArgumentError("[par_iter] reduce: there are no items to put together; give an initial value")


def par_iter(items, *, workers=None, processes=False) -> ParIter:
    """A chain of functions over items, worked on at the same time:

        gaia.par_iter(paths).map(read).filter(is_long).map(score).collect()

    items       any iterable, also one without end where `take` follows; it is read as items are needed
    workers     items worked on at a time at most: on threads 32 where left out, on processes one for each processor;
                from inside a function of another chain it is 1
    processes   whether they are worked on in processes, each with an interpreter of its own, in place of threads, of
                which one computes in Python at a time.  Functions and items are sent by pickle, so functions have to
                be defined by `def` in a module, and a program guards its start by `if __name__ == "__main__"`

    Functions see the device and the mode of gradients that the caller has.  Raises ArgumentError for workers outside
    1 to 1024, and what functions raise.
    """
    options = _Options(workers, bool(processes))
    _workers.workers_or(workers, 1)
    iter(items)  # what cannot be iterated over is reported here
    return ParIter(lambda: items, (), options)
