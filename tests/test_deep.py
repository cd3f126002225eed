"""Does deep recursion work, and are the process's settings as before afterwards?"""

import sys
import threading
from unittest import mock

import numpy as np
import pytest

from ast_ad.deep import DEPTH, InheritedLock, require_depth, run_deep


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def endless(n):
    return endless(n) + 1


def test_results_and_limits():
    before = sys.getrecursionlimit(), threading.stack_size()
    assert run_deep(depth, 50) == 50
    assert run_deep(depth, DEPTH // 2) == DEPTH // 2
    with pytest.raises(ZeroDivisionError):
        run_deep(lambda: depth(5000) // 0)
    with pytest.raises(RecursionError):
        run_deep(endless, 1)
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_nested_use_and_context():
    def work():
        return run_deep(depth, 5000), np.geterr()["over"], threading.current_thread().name, depth(5000)

    with np.errstate(over="raise"):
        assert run_deep(work) == (5000, "raise", "ast_ad-deep", 5000)


def test_the_outermost_use_begins_again():
    begun = []

    def inner(n):
        begun.append("inner")
        return depth(n)

    def outer():
        begun.append("outer")
        return run_deep(inner, 5000)

    assert run_deep(outer) == 5000 and begun == ["outer", "inner"] * 2


def test_depth_is_asked_for_before_the_stack_ends():
    def careful(n):
        require_depth()
        try:
            return 0 if n == 0 else 1 + careful(n - 1)
        except Exception:  # as those that take any error for the user's own
            return -1

    assert run_deep(careful, 5000) == 5000


def test_several_threads_at_once():
    before = sys.getrecursionlimit()
    results = []
    threads = [threading.Thread(target=lambda: results.append(run_deep(depth, 20_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [20_000] * 4 and sys.getrecursionlimit() == before


def test_a_lock_that_the_deep_thread_inherits():
    lock, inside = InheritedLock(), []

    def work(n=2):
        with lock, lock:
            inside.append(n)
            assert inside == inside[:1] * len(inside)  # no two threads at once
            depth(5000)
            inside.clear()

    def caller(n):
        for _ in range(20):
            with lock:
                run_deep(work, n)

    threads = [threading.Thread(target=caller, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


def test_the_limit_stays_while_another_thread_is_deep():
    deep, deeper, left = (threading.Event() for _ in range(3))
    before, results = sys.getrecursionlimit(), []

    def first(n):
        if n == 0:
            deep.set()
            deeper.wait(30)
        return 0 if n == 0 else first(n - 1)

    def second(n):  # as deep as the other one's limit lets it, at its first try
        if n == 20:
            deeper.set()
            left.wait(30)
        return 0 if n == 0 else second(n - 1)

    def tries():
        deep.wait(30)
        results.append(run_deep(second, 5000))

    thread = threading.Thread(target=tries)
    thread.start()
    results.append(run_deep(first, 5000))
    left.set()
    thread.join(60)
    assert results == [0, 0] and sys.getrecursionlimit() == before


def test_the_limit_stays_while_an_interrupted_callers_thread_is_deep():
    class Interrupt(BaseException):
        pass

    deep, on, done = (threading.Event() for _ in range(3))
    before, depths = sys.getrecursionlimit(), []

    def work(n):
        if n == 0:
            deep.set()
            on.wait(30)
            depths.append(sys.getrecursionlimit())
        try:
            return 0 if n == 0 else work(n - 1)
        finally:
            if n == 5000 and deep.is_set():
                done.set()

    join = threading.Thread.join

    def joined(self, timeout=None):
        if self.name != "ast_ad-deep":
            return join(self, timeout)
        deep.wait(30)
        threads.append(self)
        raise Interrupt  # as Ctrl-C does

    threads = []
    with mock.patch.object(threading.Thread, "join", joined), pytest.raises(Interrupt):
        run_deep(work, 5000)
    assert sys.getrecursionlimit() == DEPTH
    on.set()
    done.wait(30)
    threads[0].join(30)
    assert depths == [DEPTH] and sys.getrecursionlimit() == before
