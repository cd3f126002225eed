"""How long are a slice, a broadcast and the axes of a reshaped array, as terms?"""

from __future__ import annotations

from collections.abc import Iterable

from .dims import Dim, Int, count, differs_from_one, floordiv, length, reaches, smallest, term
from .unordered import Unordered


def _slice_length(n: int, start: int | None, stop: int | None, step: int | None) -> int:
    return len(range(*slice(start, stop, step).indices(n)))


def sliced(n: Int, start: Int | None, stop: Int | None, step: Int | None) -> Int:
    """The length of ``x[start:stop:step]`` where ``x`` has length ``n``.

    >>> n = Dim.symbol("n", least=0)
    >>> sliced(n, 2, None, None) == sliced(n, None, -2, None), sliced(n, None, None, -1) == n
    (True, True)
    """
    bounds = start, stop, step
    if isinstance(n, int) and all(p is None or isinstance(p, int) for p in bounds):
        return _slice_length(n, *bounds)  # type: ignore[arg-type]
    if step == -1 and start is None and stop is None:
        return n
    low = 0 if start is None else start if reaches(start, 0) else None
    if low is None and start is not None and reaches(-start, 1):
        low = length(n + start)
    high = n if stop is None else smallest(stop, n) if reaches(stop, 0) else None
    if high is None and stop is not None and reaches(-stop, 1):
        high = n + stop
    if low is None or high is None or not (step is None or isinstance(step, int) and step > 0):
        return term(_slice_length, n, *bounds, least=0)
    # A bound beyond an end is left there: the slice is empty then, and the span negative.
    last_few = start is not None and low is not start and high is n
    span = smallest(-start, n) if last_few else high - low  # type: ignore[operator]
    return length(span if step in (None, 1) else floordiv(span + (step - 1), step))


def _unless_rest(n: int, rest: int) -> int:
    return rest if n == -1 else n


def reshaped(shape: Iterable[Int], wanted: Iterable[Int | None]) -> tuple[Int | None, ...]:
    """The lengths that ``np.reshape`` gives: -1, which an integer may turn out to be, is what is left.

    >>> n, m = Dim.symbol("n", least=0), Dim.symbol("m", least=0)
    >>> reshaped([(n - m) * n], [n - m, n]) == (n - m, n)
    True
    """
    total, lengths = count(shape), tuple(wanted)
    if -1 not in lengths and None not in lengths and total == count([n for n in lengths if n is not None]):
        return lengths  # with one of them -1 at run time all were of nothing, which NumPy refuses
    out: list[Int | None] = []
    for k, n in enumerate(lengths):
        if n is None or isinstance(n, int) and n != -1 or isinstance(n, Dim) and reaches(n, 0):
            out.append(n)
            continue
        rest = [m for j, m in enumerate(lengths) if j != k]
        if None in rest or any(m == 0 for m in rest):
            out.append(None)
            continue
        left = floordiv(total, count([m for m in rest if m is not None]))
        out.append(left if n == -1 else term(_unless_rest, n, left))
    return tuple(out)


def _stretched(parts: frozenset[int]) -> int:
    return next((n for n in parts if n != 1), 1)


def stretched(*parts: Int) -> Int:
    """The length that NumPy's broadcasting gives to lengths."""
    left = [p for p in dict.fromkeys(parts) if p != 1]
    if len(left) < 2:
        return left[0] if left else 1
    certain = [d for d in left if differs_from_one(d)]
    if certain:
        return next((d for d in certain if isinstance(d, int)), certain[0])
    flat: dict[Int, None] = {}
    for part in left:  # a broadcast of broadcasts is one
        single = isinstance(part, Dim) and len(part.terms) == 1 and part.terms[0][1] == 1 and not part.const
        key = part.terms[0][0].key if single else None  # type: ignore[union-attr]
        flat.update(dict.fromkeys(key[1] if isinstance(key, tuple) and key[0] is _stretched else (part,)))
    return term(_stretched, Unordered(flat), least=0)


def absolute(a: Int) -> Int:
    return a if reaches(a, 0) else term(abs, a, least=0)
