# SPDX-License-Identifier: MIT
"""Threads and processes that apply functions to items, for `par_iter` and `scope`."""
import contextlib
import contextvars
import functools
import multiprocessing
import os
import pickle
import queue
import threading
import time
import traceback

from . import _gaia
from .errors import ArgumentError, Error

MOST_WORKERS = 1024
THREADS = 32     # items on threads mostly wait, or compute with the lock of the interpreter released

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


def start(work):
    """Calls work() on another thread."""
    _threads.start(work)


class Settings:
    """What the thread that makes one has set, for others that work for it."""

    def __init__(self):
        self.device = _gaia.get_device()
        self.grad = _gaia.grad_enabled()
        self._context = contextvars.copy_context()

    def run(self, function):
        with _gaia.GPUContext(self.device), contextlib.nullcontext() if self.grad else _gaia.no_grad():
            return self._context.copy().run(function)


def whole_number(value, least, what):
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise ArgumentError(f"[par_iter] {what}: expected a whole number of at least {least}, got {value!r}")
    return value.__index__()


def workers_or(workers, default):
    if workers is None:
        return default
    if whole_number(workers, 1, "workers") > MOST_WORKERS:
        raise ArgumentError(f"[par_iter] workers: expected 1 to {MOST_WORKERS}, got {workers}")
    return workers.__index__()


def is_inside_item():
    """Whether this thread is working on an item."""
    return getattr(_inside, "item", False)


def processors():
    return len(os.sched_getaffinity(0))


# Steps of a chain, applied to the items of a block.  As generators they turn a StopIteration of a user's function
# into an error.


def mapped(function, values):
    return (function(value) for value in values)


def filtered(function, values):
    return (value for value in values if function(value))


def flat_mapped(function, values):
    return (one for value in values for one in function(value))


def apply(steps, items):
    """Results of the steps up to an exception, that exception, and the seconds it took."""
    begin = time.perf_counter()
    made, error = [], None
    values = items
    for step, function in steps:
        values = step(function, values)
    was_inside = is_inside_item()
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
                made, error, taken = apply(steps, pipe.recv())
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


class Processes:
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
