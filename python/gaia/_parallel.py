# SPDX-License-Identifier: MIT
"""Functions over many items at once, and tasks at the same time: on threads, or on processes where asked."""
import asyncio
import collections
import concurrent.futures
import contextlib
import contextvars
import functools
import itertools
import multiprocessing
import os
import pickle
import queue
import threading
import time
import traceback
import typing

from . import _gaia
from .errors import ArgumentError, Error

MOST_WORKERS = 1024
THREADS = 32     # items on threads mostly wait, or compute with the lock of the interpreter released
COROUTINES = 100
GPU_CALLS = 4    # enough to fill the gaps that one stream leaves
REDUCED = 64     # neighbours that `reduce` puts together at once
# A block of items takes about so long: long compared with the cost of drawing one, short with what is to be shared.
SHORT, LONG, MOST_ITEMS = 1e-3, 50e-3, 1024

_inside = threading.local()


class _Threads:
    """Threads that are kept for what comes next.  They end with the program."""

    def __init__(self):
        self._lock = threading.Lock()
        self._idle = 0
        self._works = queue.SimpleQueue()

    def start(self, work):
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
                self._works.put(work)
                return
        threading.Thread(target=self._serve, args=(work,), daemon=True, name="gaia").start()

    def _serve(self, work):
        while True:
            work()
            del work  # nothing is kept alive by who waits
            with self._lock:
                self._idle += 1
            work = self._works.get()


_threads = _Threads()


def _forget_threads():
    global _threads
    _threads = _Threads()  # of a child that was forked: the others are its parent's


os.register_at_fork(after_in_child=_forget_threads)


class _Settings:
    """What the thread that makes one has set, for others that work for it."""

    def __init__(self):
        self.device = _gaia.get_device()
        self.grad = _gaia.grad_enabled()
        self._context = contextvars.copy_context()

    def run(self, function):
        with _gaia.GPUContext(self.device), contextlib.nullcontext() if self.grad else _gaia.no_grad():
            return self._context.copy().run(function)


def _number(value, least, what):
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise ArgumentError(f"[par_iter] {what}: expected a whole number of at least {least}, got {value!r}")
    return value.__index__()


def _workers(workers, default):
    if workers is None:
        return default
    if _number(workers, 1, "workers") > MOST_WORKERS:
        raise ArgumentError(f"[par_iter] workers: expected 1 to {MOST_WORKERS}, got {workers}")
    return workers.__index__()


def _processors():
    return len(os.sched_getaffinity(0))


# What is done to the items of a block.  As generators they turn a StopIteration of a user's function into an error.


def _map(function, values):
    return (function(value) for value in values)


def _filter(function, values):
    return (value for value in values if function(value))


def _flat_map(function, values):
    return (one for value in values for one in function(value))


def _apply(steps, items):
    """What the steps make of the items, up to an exception, that, and how long it took."""
    begin = time.perf_counter()
    made, error = [], None
    values = items
    for step, function in steps:
        values = step(function, values)
    was_inside = getattr(_inside, "item", False)
    _inside.item = True
    try:
        for value in values:
            made.append(value)
    except Exception as why:
        error = why
    finally:
        _inside.item = was_inside
    return made, error, time.perf_counter() - begin


class _Told(Exception):
    """How a process came to an exception."""

    def __str__(self):
        return f"\n\n{self.args[0]}"


def _serve(pipe, steps, device, grad):
    """The whole of a process: applies steps to what comes, until nothing does."""
    steps = pickle.loads(steps)
    with _gaia.GPUContext(device), contextlib.nullcontext() if grad else _gaia.no_grad():
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            while True:
                made, error, taken = _apply(steps, pipe.recv())
                told = "".join(traceback.format_exception(error)) if error else ""
                try:
                    pipe.send((made, error, taken, told))
                except Exception as why:
                    error = Error(f"[par_iter] a process cannot send back what it has made: {why}")
                    pipe.send(([], error, taken, told))


@functools.cache
def _preload(context):
    """Has the process from which others are forked read gaia once for all; without effect where there is one."""
    context.set_forkserver_preload(["__main__", "gaia"])


class _Processes:
    """One process for each thread that asks for items to be worked on."""

    def __init__(self, steps, settings):
        try:
            self._steps = pickle.dumps(steps)
        except Exception as error:
            raise ArgumentError(f"[par_iter] what processes are to do is sent to them, and cannot be: {error}; "
                                "functions defined by `def` in a module can, or use threads") from error
        self._settings = settings
        self._context = multiprocessing.get_context("forkserver")
        _preload(self._context)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all = []
        self._are_ended = False

    def __call__(self, items):
        if not hasattr(self._own, "pipe"):
            self._own.pipe, self._own.process = self._begin()
        try:
            self._own.pipe.send(items)
            made, error, taken, told = self._own.pipe.recv()
        except (EOFError, OSError):
            self._own.process.join(1.0)
            code = self._own.process.exitcode
            how = f"by signal {-code}" if code is not None and code < 0 else f"with code {code}"
            return [], Error(f"[par_iter] a process has ended {how} before it had answered"), 0.0
        except Exception as error:  # an item that cannot be sent
            return [], error, 0.0
        if error is not None:
            error.__cause__ = _Told(told)
        return made, error, taken

    def _begin(self):
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, daemon=True,
                                        args=(theirs, self._steps, self._settings.device, self._settings.grad))
        with self._lock:
            if self._are_ended:
                raise Error("[par_iter] the processes have ended")
            process.start()
            self._all.append((process, ours))
        theirs.close()
        return ours, process

    def end(self, at_once):
        """Lets the processes end, or ends them while they work."""
        with self._lock:
            self._are_ended = True
            for process, pipe in self._all:
                process.terminate() if at_once else pipe.close()
        for process, pipe in self._all:
            process.join()
            pipe.close()
        self._all.clear()


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
            _threads.start(self._help)
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
    settings = _Settings()
    if not options.processes:
        workers = _workers(options.workers, 1 if getattr(_inside, "item", False) else THREADS)
        yield from _Run(items, functools.partial(_apply, steps), workers, settings).results()
        return
    processes = _Processes(steps, settings)
    abort = functools.partial(processes.end, at_once=True)
    try:
        yield from _Run(items, processes, _workers(options.workers, _processors()), settings, abort).results()
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

    _threads.start(functools.partial(_Settings().run, run))
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
        return self._then(_map, function)

    def gpu_map(self, function) -> "ParIter":
        """The same on the GPU where that may pay, as `gpu` decides; a few calls at a time."""
        from .offload import gpu  # which has this module
        turns = threading.BoundedSemaphore(max(GPU_CALLS, _processors()))
        on_gpu = gpu(function)

        def call(item):
            with turns:
                return on_gpu(item)

        return self.map(call)

    def async_map(self, function) -> "ParIter":
        """What the coroutine function(item) of each item returns.  They run in one event loop, in a thread of its own,
        up to `workers` at a time; 100 where that is not given."""
        workers = _workers(self._options.workers, COROUTINES)
        return self._of(lambda: _awaited(self, function, workers))

    def filter(self, function) -> "ParIter":
        """The items for which function(item) is true."""
        return self._then(_filter, function)

    def flat_map(self, function) -> "ParIter":
        """Each of the items that function(item) gives, for each item."""
        return self._then(_flat_map, function)

    def zip(self, *others) -> "ParIter":
        """Tuples of an item of this and one of each of the others, as many as the shortest has."""
        return self._of(lambda: _closing(zip, self, *others))

    def enumerate(self, start=0) -> "ParIter":
        """Tuples of a number, from `start` on, and an item."""
        return self._of(lambda: _closing(lambda values: enumerate(values, start), self))

    def take(self, count) -> "ParIter":
        """The first `count` items; where only `map` is before it, no other is computed."""
        count = _number(count, 0, "take")
        if all(step is _map for step, _ in self._steps):
            return ParIter(self._cut(self._make, count), self._steps, self._options)
        return self._of(self._cut(lambda: self, count))

    @staticmethod
    def _cut(make, count):
        return lambda: _closing(lambda values: itertools.islice(values, count), make())

    def chunk(self, length) -> "ParIter":
        """Lists of `length` items that follow each other, the last of what is left."""
        length = _number(length, 1, "chunk")
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
    _workers(workers, 1)
    iter(items)  # what cannot be iterated over is reported here
    return ParIter(lambda: items, (), options)


def _call(task):
    function, args, keys = task
    return function(*args, **keys)


class Scope:
    """Tasks that run at the same time and end before it does; `scope` creates one."""

    def __init__(self, workers=None, processes=False) -> None:
        self._workers = _workers(workers, _processors() if processes else THREADS)
        self._settings = _Settings()
        self._processes = _Processes(((_map, _call),), self._settings) if processes else None
        self._changed = threading.Condition()
        self._waiting = collections.deque()
        self._futures = []
        self._active = 0  # threads
        self._is_cancelled = False

    def spawn(self, function, *args, **keys) -> concurrent.futures.Future:
        """Has function(*args, **keys) called soon; tasks begin in the order in which they were spawned.  Its `result()`
        waits for what it returns, or raises what it raises."""
        future = concurrent.futures.Future()
        with self._changed:
            if self._is_cancelled:
                future.cancel()
                return future
            self._futures.append(future)
            self._waiting.append((future, (function, args, keys)))
            starts = self._active < self._workers
            self._active += starts
        if starts:
            _threads.start(self._serve)
        return future

    def wait_all(self) -> list:
        """Waits until all tasks have ended, and gives what they have returned, in the order in which they were spawned.
        Raises the exception of the first of them that has raised one; tasks spawned later are not asked about again."""
        with self._changed:
            self._changed.wait_for(lambda: self._active == 0)
            futures, self._futures = self._futures, []
        return [future.result() for future in futures]

    def cancel(self) -> None:
        """Leaves out the tasks that have not begun; their futures are cancelled."""
        with self._changed:
            self._is_cancelled = True
            waiting, self._waiting = self._waiting, collections.deque()
        for future, _ in waiting:
            future.cancel()

    @property
    def is_cancelled(self) -> bool:
        """Whether tasks are to end, which long ones may ask: by `cancel`, or as an exception has left the scope."""
        return self._is_cancelled

    def __enter__(self) -> "Scope":
        return self

    def __exit__(self, kind, error, trace) -> None:
        is_left = kind is not None
        try:
            if is_left:
                self.cancel()
                if self._processes:
                    self._processes.end(at_once=True)
                with self._changed:
                    self._changed.wait_for(lambda: self._active == 0)
            else:
                self.wait_all()
        except BaseException:
            is_left = True
            self.cancel()
            raise
        finally:
            if self._processes:
                self._processes.end(at_once=is_left)

    def _serve(self):
        self._settings.run(self._work)

    def _work(self):
        while True:
            with self._changed:
                if not self._waiting:
                    self._active -= 1
                    self._changed.notify_all()
                    return
                future, task = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if self._processes:
                    made, error, _ = self._processes([task])
                    if error is not None:
                        raise error
                    future.set_result(made[0])
                else:
                    future.set_result(_call(task))
            except BaseException as error:
                future.set_exception(error)
            del future, task


def scope(*, workers=None, processes=False) -> Scope:
    """A place from which tasks are started and to which they come back:

        with gaia.scope() as tasks:
            left = tasks.spawn(read, "left.h5")
            right = tasks.spawn(read, "right.h5")
        print(left.result(), right.result())

    workers     tasks that run at a time at most: on threads 32 where left out, on processes one for each processor
    processes   whether they run in processes, as in `par_iter`

    Its end waits for all tasks, and raises the exception of the first that has raised one.  Where an exception leaves
    it, as by Ctrl-C, tasks that have not begun are left out, and those on processes are ended; a second Ctrl-C does not
    wait for those on threads.  In a coroutine `asyncio.wrap_future(tasks.spawn(...))` can be awaited.  Tasks see the
    device and the mode of gradients that the caller has.
    """
    return Scope(workers, bool(processes))
