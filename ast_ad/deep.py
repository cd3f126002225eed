"""How does work on deeply nested code get by without a RecursionError?

A sum of 3,000 terms is a tree 3,000 levels deep. Most code is shallow, so the work is tried as it is and
repeated on a thread with a large stack only where it fails. The outermost ``run_deep`` repeats it, all of it:
what runs within has seen the failed try's objects half made.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

DEPTH = 100_000
MARGIN = 500  # levels that the work on one node of a syntax tree, functions of NumPy included, may need
_STACK_SIZES = 512 << 20, 128 << 20, 32 << 20  # reserved, not used: pages come as they are touched
_settings = threading.RLock()  # recursion limit and stack size are those of the process
_inside = threading.local()
_users = 0  # threads in ``run_deep``
_limit_before: int | None = None  # where it is raised


class NeedsDepth(BaseException):
    """The stack is nearly full. No ``except Exception`` on the way takes it for the user's own error."""


def is_repeated() -> bool:
    """Whether work that fails here for lack of stack is tried again with more."""
    return getattr(_inside, "tried", False) and not getattr(_inside, "deep", False)


def require_depth() -> None:
    """Make sure that there is room on the stack, or let ``run_deep`` begin again with more."""
    if not is_repeated():
        return
    try:
        sys._getframe(max(sys.getrecursionlimit() - MARGIN, MARGIN // 2))
    except ValueError:  # it is not that deep
        return
    raise NeedsDepth


def run_deep(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``fn(*args, **kwargs)``, run a second time with a deep stack if the first try hits the limit.

    ``fn`` must be repeatable: what the failed try did is not undone.

    Raises:
        RecursionError: the recursion is deeper than ``DEPTH`` as well (most likely it has no end).

    >>> def depth(n):
    ...     return 0 if n == 0 else 1 + depth(n - 1)
    >>> run_deep(depth, 20_000)
    20000
    """
    if getattr(_inside, "deep", False) or getattr(_inside, "tried", False):
        return fn(*args, **kwargs)
    _enter()
    try:
        return _tried_twice(fn, *args, **kwargs)
    finally:
        _leave()


def _tried_twice(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    _inside.tried = True
    try:
        return fn(*args, **kwargs)
    except (RecursionError, NeedsDepth):
        pass  # out of the handler first, so that the failed try's frames are freed
    finally:
        _inside.tried = False
    results: list[T] = []
    failures: list[BaseException] = []

    def work() -> None:
        _inside.deep = True
        try:
            results.append(fn(*args, **kwargs))
        except BaseException as error:  # raised again on the caller's thread
            failures.append(error)
        finally:
            _leave()

    context = contextvars.copy_context()  # np.errstate and the like hold on the other thread too
    _raise_limit()
    _enter()  # for the thread: where its caller is interrupted (Ctrl-C), it runs on, and needs the limit
    try:
        thread = _start(threading.Thread(target=context.run, args=(work,), name="ast_ad-deep", daemon=True))
    except RecursionError:
        _leave()
        raise
    thread.join()
    if failures:
        try:
            raise failures[0]
        finally:
            failures.clear()  # no cycle of frame and traceback
    return results[0]


class InheritedLock:
    """A re-entrant lock that belongs to the caller of ``run_deep`` and to the deep thread alike.

    With an RLock, code that runs deep would wait for the lock of the very caller that waits for it.

    >>> lock = InheritedLock()
    >>> def enter(n):
    ...     with lock:
    ...         return enter(n - 1) if n else "in"
    >>> with lock:
    ...     run_deep(enter, 5000)
    'in'
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: contextvars.ContextVar[object] = contextvars.ContextVar("ast_ad-held", default=None)
        self._owner: object = None
        self._depth = 0

    def __enter__(self) -> InheritedLock:
        if self._owner is None or self._held.get() is not self._owner:
            self._lock.acquire()
            self._owner = object()  # a new one each time: contexts copied earlier don't count as owners
            self._held.set(self._owner)
        self._depth += 1
        return self

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None
            self._lock.release()


def _start(thread: threading.Thread) -> threading.Thread:
    """Start the thread with the largest stack that the system grants."""
    with _settings:
        for size in _STACK_SIZES:
            try:
                before = threading.stack_size(size)
            except ValueError:
                continue
            try:
                thread.start()
                return thread
            except RuntimeError:  # no room for the stack
                continue
            finally:
                threading.stack_size(before)
    raise RecursionError("no room for a stack that is deep enough for this code")


def _enter() -> None:
    global _users
    with _settings:
        _users += 1


def _raise_limit() -> None:
    global _limit_before
    with _settings:
        if _limit_before is None:
            _limit_before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(DEPTH, _limit_before))


def _leave() -> None:
    """Put the limit back when the last user leaves.

    Not before: Python 3.11 ends the process where a thread is much deeper than a limit that another one sets,
    and one that tries for the first time may be that deep by now.
    """
    global _users, _limit_before
    with _settings:
        _users -= 1
        if not _users and _limit_before is not None:
            sys.setrecursionlimit(_limit_before)
            _limit_before = None
