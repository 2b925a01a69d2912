# SPDX-License-Identifier: MIT
"""par_iter and scope: many items, or tasks, at the same time, on threads and on processes."""
import asyncio
import contextvars
import functools
import itertools
import math
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gaia
from refused import refused

WORKERS = [1, 2, 7, None]


def meet(count):
    """A function that comes back when `count` calls of it are under way at a time."""
    barrier = threading.Barrier(count)
    return lambda *_: barrier.wait(timeout=20) is not None


# What processes call is found by its name.


def square(x):
    return x * x


def is_odd(x):
    return x % 2 == 1


def fail_from_7(x):
    if x >= 7:
        raise ValueError(f"item {x}")
    return x


def die(x):
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def where(x):
    return os.getpid()


def grad_and_device(x):
    return gaia.grad_enabled(), gaia.get_device()


def refuse_to_be_sent(x):
    return lambda: x


def add(a, b):
    return a + b


@pytest.mark.parametrize("workers", WORKERS)
def test_chains_are_what_itertools_makes(workers):
    for count in (0, 1, 5, 1000):
        items = par(range(count), workers)
        odd = [x * x for x in range(count) if x * x % 2]
        assert items.map(square).filter(is_odd).collect() == odd
        both = [s * x for x in odd for s in (1, -1)]
        assert items.map(square).filter(is_odd).flat_map(lambda x: [x, -x]).collect() == both
        zipped = list(zip(range(count), "abc", map(square, range(count))))
        assert items.zip("abc", items.map(square)).collect() == zipped
        assert items.filter(is_odd).enumerate(3).collect() == list(enumerate(range(1, count, 2), 3))
        assert items.chunk(4).collect() == [list(range(i, min(i + 4, count))) for i in range(0, count, 4)]
        assert items.enumerate().map(sum).chunk(2).map(sum).fold(0, add) == count * (count - 1)
        assert list(items.map(square)) == items.map(square).collect()  # a chain can be asked again
        seen = []
        items.for_each(seen.append)
        assert sorted(seen) == list(range(count))


def par(items, workers):
    return gaia.par_iter(items, workers=workers)


def test_take_computes_no_more_than_it_gives():
    seen = []
    assert gaia.par_iter(itertools.count()).map(lambda x: seen.append(x) or x).take(5).collect() == [0, 1, 2, 3, 4]
    assert sorted(seen) == [0, 1, 2, 3, 4]
    assert gaia.par_iter(itertools.count()).filter(is_odd).take(3).collect() == [1, 3, 5]
    assert gaia.par_iter([1, 2]).take(9).take(0).collect() == []
    # What nobody asks for is not computed without end, and ends with the loop.
    made = []
    for x in gaia.par_iter(itertools.count(), workers=2).map(lambda x: made.append(x) or x):
        if x == 10:
            break
    assert 11 <= len(made) < 11 + 8 * 1024


def test_items_are_worked_on_at_the_same_time():
    assert all(gaia.par_iter(range(10)).map(meet(10)).collect())
    assert all(gaia.par_iter(range(40), workers=40).map(meet(40)).collect())
    with gaia.scope() as tasks:
        meeting = meet(10)
        for _ in range(10):
            tasks.spawn(meeting)
        assert tasks.wait_all() == [True] * 10
    with gaia.scope(workers=1) as tasks:
        order = []
        for i in range(20):
            tasks.spawn(order.append, i)
    assert order == list(range(20))


def test_reduce_has_the_same_bits_for_any_number_of_workers():
    draw = random.Random(3)
    numbers = [draw.gauss(0, 1) * 10 ** draw.uniform(-8, 8) for _ in range(2000)]
    parts = [functools.reduce(add, numbers[i:i + 64]) for i in range(0, 2000, 64)]
    expected = functools.reduce(add, parts)
    assert expected != functools.reduce(add, numbers)  # or the test could not tell one order from another
    for workers in WORKERS:
        assert par(numbers, workers).reduce(add) == expected
        assert par(numbers, workers).reduce(add, 0.5) == functools.reduce(add, parts, 0.5)
        assert par(numbers, workers).fold(0.5, add) == functools.reduce(add, numbers, 0.5)
    assert gaia.par_iter("abc").reduce(add) == "abc" and gaia.par_iter([]).reduce(add, 4) == 4
    refused(gaia.ArgumentError, "no items to put together", lambda: gaia.par_iter([]).reduce(add))


@pytest.mark.parametrize("workers", WORKERS)
def test_the_exception_is_that_of_the_lowest_item(workers):
    begun = []

    def fails(x):
        begun.append(x)
        time.sleep(0.001 * (x % 3))
        return fail_from_7(x)

    got = []
    with pytest.raises(ValueError, match="item 7"):
        for x in par(range(1000), workers).map(fails):
            got.append(x)
    assert got == list(range(7)) and len(begun) < 900

    def broken():
        yield from range(5)
        raise OSError("the source")

    refused(OSError, "the source", lambda: par(broken(), workers).map(square).collect())
    with pytest.raises(RuntimeError, match="StopIteration"):  # and not an end before its time
        par(range(5), workers).map(lambda x: next(iter([]))).collect()
    with pytest.raises(TypeError):
        gaia.par_iter(5)


def test_numbers_that_make_no_sense_are_refused():
    for workers in (0, -1, 1025, 1.5, True):
        refused(gaia.ArgumentError, "workers: expected", lambda: gaia.par_iter([], workers=workers))
        refused(gaia.ArgumentError, "workers: expected", lambda: gaia.scope(workers=workers))
    refused(gaia.ArgumentError, "chunk: expected a whole number of at least 1, got 0", lambda: gaia.par_iter([]).chunk(0))
    refused(gaia.ArgumentError, "take: expected a whole number of at least 0, got -1", lambda: gaia.par_iter([]).take(-1))


def test_chains_within_chains_come_to_an_end():
    inner = lambda x: gaia.par_iter(range(x)).map(square).fold(0, add)  # noqa: E731
    assert gaia.par_iter(range(40)).map(inner).collect() == [sum(i * i for i in range(x)) for x in range(40)]
    inner = lambda x: gaia.par_iter(range(x), workers=3).map(square).fold(0, add)  # noqa: E731
    assert gaia.par_iter(range(40)).map(inner).collect() == [sum(i * i for i in range(x)) for x in range(40)]


def test_functions_see_what_the_caller_has_set(device):
    name = contextvars.ContextVar("name", default="")
    name.set("caller")
    gaia.set_device(device)

    def settings(x):
        return gaia.get_device(), gaia.grad_enabled(), name.get(), float(gaia.array([1.0, x]).sum())

    expected = [(gaia.get_device(), False, "caller", 1.0 + x) for x in range(20)]
    with gaia.no_grad():
        assert gaia.par_iter(range(20), workers=6).map(settings).collect() == expected
        with gaia.scope() as tasks:
            assert tasks.spawn(settings, 2).result() == expected[2]


def test_coroutines_run_in_one_loop():
    loops, most, now = set(), [0], [0]

    async def fetch(x):
        loops.add(id(asyncio.get_running_loop()))
        now[0] += 1
        most[0] = max(most[0], now[0])
        await asyncio.sleep(0.01)
        now[0] -= 1
        return fail_from_7(x)

    assert gaia.par_iter(range(7)).async_map(fetch).map(square).collect() == [x * x for x in range(7)]
    assert len(loops) == 1 and most[0] == 7
    most[0] = 0
    assert gaia.par_iter(range(7), workers=2).async_map(fetch).take(4).collect() == [0, 1, 2, 3] and most[0] == 2
    now[0] = 0
    refused(ValueError, "item 7", lambda: gaia.par_iter(itertools.count()).async_map(fetch).collect())

    async def awaits():
        with gaia.scope() as tasks:
            return await asyncio.wrap_future(tasks.spawn(square, 9))

    assert asyncio.run(awaits()) == 81


def test_processes_do_what_threads_do():
    items = gaia.par_iter(range(50), workers=3, processes=True)
    assert items.map(square).filter(is_odd).enumerate().collect() == list(enumerate(x * x for x in range(1, 50, 2)))
    places = set(items.map(where).collect())
    assert os.getpid() not in places and 1 <= len(places) <= 3
    with gaia.no_grad():
        assert items.take(1).map(grad_and_device).collect() == [(False, "cpu")]
    got = []
    with pytest.raises(ValueError, match="item 7") as caught:
        for x in items.map(fail_from_7):
            got.append(x)
    assert got == list(range(7)) and "fail_from_7" in str(caught.value.__cause__)
    refused(gaia.Error, "a process has ended by signal 9", lambda: items.map(die).collect())
    refused(gaia.ArgumentError, "defined by `def` in a module", lambda: items.map(lambda x: x).collect())
    refused(gaia.Error, "cannot send back", lambda: items.map(refuse_to_be_sent).collect())
    with gaia.scope(processes=True) as tasks:
        futures = [tasks.spawn(math.sqrt, x) for x in (4.0, 9.0, -1.0)]
        refused(ValueError, "math domain", lambda: tasks.wait_all())
        assert [future.result() for future in futures[:2]] == [2.0, 3.0]
    assert not multiprocessing.active_children()


def test_a_scope_raises_what_its_first_task_raised_and_leaves_out_what_has_not_begun():
    ended = []

    def task(x):
        time.sleep(0.01 if x == 7 else 0.001)
        ended.append(x)
        return fail_from_7(x)

    with pytest.raises(ValueError, match="item 7"):
        with gaia.scope(workers=4) as tasks:
            futures = [tasks.spawn(task, x) for x in range(12)]
    assert sorted(ended) == list(range(12)) and futures[3].result() == 3
    begun = threading.Event()

    def long():
        begun.set()
        while not tasks.is_cancelled:
            time.sleep(0.001)
        return "ended"

    with pytest.raises(KeyError):
        with gaia.scope(workers=1) as tasks:
            first, second = tasks.spawn(long), tasks.spawn(square, 2)
            begun.wait()
            raise KeyError("out")
    assert first.result() == "ended" and second.cancelled() and tasks.spawn(square, 3).cancelled()


def test_ctrl_c_ends_it(folder):
    (folder / "program.py").write_text("""import asyncio, os, signal, sys, threading, time
import gaia

def pause(x=0):
    begin()
    time.sleep(0.01)

def pause_long(x=0):
    begin()
    time.sleep(100)

async def nap(x):
    begin()
    await asyncio.sleep(100)

def begin():
    open(sys.argv[1], "w").close()

def spawn_many():
    with gaia.scope() as tasks:
        for _ in range(10000):
            tasks.spawn(pause)

WAYS = {"threads": lambda: gaia.par_iter(range(10000)).map(pause).collect(),
        "processes": lambda: gaia.par_iter(range(10000), workers=2, processes=True).map(pause_long).collect(),
        "tasks": spawn_many, "coroutines": lambda: gaia.par_iter(range(10000)).async_map(nap).collect()}

def interrupt():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

if __name__ == "__main__":
    threading.Thread(target=interrupt).start()
    try:
        WAYS[sys.argv[1]]()
    except KeyboardInterrupt:
        print("ended")
""")
    programs = [subprocess.Popen([sys.executable, "program.py", way], cwd=folder, stdout=subprocess.PIPE, text=True)
                for way in ("threads", "processes", "tasks", "coroutines")]
    for program in programs:
        assert program.communicate(timeout=60)[0] == "ended\n", program.args


def test_a_child_that_was_forked_has_threads_of_its_own():
    assert gaia.par_iter(range(4)).map(meet(4)).collect() == [True] * 4
    child = multiprocessing.get_context("fork").Process(
        target=lambda: os._exit(sum(gaia.par_iter(range(4)).map(meet(4)).collect())))
    child.start()
    child.join(20)
    assert child.exitcode == 4


def test_arrays_are_computed_as_alone():
    matrices = [np.random.default_rng(i).normal(size=(30, 30)) for i in range(12)]
    made = gaia.par_iter(matrices).map(gaia.array).map(lambda m: m @ m.T).map(gaia.to_numpy).collect()
    for ours, m in zip(made, matrices):
        np.testing.assert_allclose(ours, m @ m.T)
