# SPDX-License-Identifier: MIT
"""Tasks that run at the same time and end together: on threads, or on processes where asked."""
import collections
import concurrent.futures
import threading

from . import _workers


def _call(task):
    function, args, keys = task
    return function(*args, **keys)


class Scope:
    """Tasks that run at the same time and end before it does; `scope` creates one."""

    def __init__(self, workers=None, processes=False) -> None:
        self._workers = _workers.workers_or(workers, _workers.processors() if processes else _workers.THREADS)
        self._settings = _workers.Settings()
        self._processes = _workers.Processes(((_workers.mapped, _call),), self._settings) if processes else None
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
            _workers.start(self._serve)
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
