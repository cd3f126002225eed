"""What is known of an integer of a program, such as the length of an array? A polynomial of exact terms.

Lengths are proven or not known. Sums and products are normal forms, so that equal ones are found equal;
other operations (floor division, minima, slices, ...) are atoms over their operands. What no term describes
is a fresh symbol. Lengths and numbers are the same integers: the length of ``x[2:]`` is ``max(n - 2, 0)``.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .unordered import Unordered

_fresh = itertools.count()
LARGEST = 60  # atoms in a term; what would have more is a symbol of its own
NESTED = 4  # counters that may depend on each other
LONGEST = 8  # products in a sum that is multiplied out


@dataclass(frozen=True, eq=False)
class Atom:
    """A symbol, or a term: then ``key`` is a function and its operands.

    Equal keys denote equal integers. ``least``: one that it is known to reach (None: nothing is known),
    ``not_one``: whether it is known to differ from 1 (an argument's length, whose ones are part of the
    signature). ``span``: what it lies between, both included, as the counter of a loop does. All follow from
    the key.
    """

    key: Any
    least: int | None = None
    not_one: bool = False
    weight: int = 1
    span: tuple[Dim | int | None, Dim | int | None] = (None, None)

    def __post_init__(self) -> None:
        # kept: a term may hold further ones, ever deeper
        object.__setattr__(self, "_hash", hash(self.key))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Atom) and hash(self) == hash(other) and bool(self.key == other.key)

    @property
    def operands(self) -> tuple[Dim | int, ...] | None:
        """What the term is made of; None for a symbol."""
        if not (isinstance(self.key, tuple) and callable(self.key[0])):
            return None
        if self.key[0] is math.prod:
            return tuple([Dim(((atom, 1),)) for atom, _ in self.key[1]])
        parts = [p for part in self.key[1:] for p in (part if isinstance(part, frozenset) else (part,))]
        return tuple([p for p in parts if p is not None])

    @functools.cached_property
    def most(self) -> int | None:
        """A number that it certainly does not exceed."""
        if self.span[1] is not None:
            return upper(self.span[1])
        if self.operands is None or self.key[0] is math.prod:
            return None
        fn, bounds = self.key[0], [upper(part) for part in self.operands]
        known = [bound for bound in bounds if bound is not None]
        if fn is operator.mod:
            return None if bounds[1] is None or self.least != 0 else bounds[1] - 1
        if fn is operator.floordiv:
            divisor = self.key[2]
            positive = isinstance(divisor, int) and divisor > 0
            return bounds[0] // divisor if positive and bounds[0] is not None else None
        if fn is MAXIMUM and len(known) == len(bounds):
            return max(known)
        return min(known, default=None) if fn is MINIMUM else None

    @property
    def differs_from_one(self) -> bool:
        kind = self.key[0] if isinstance(self.key, tuple) else None
        if kind in (MINIMUM, MAXIMUM) and all(map(differs_from_one, self.key[1])):
            return True
        if kind is math.prod and all(atom.least is not None and atom.least >= 0 for atom, _ in self.key[1]):
            return any(atom.differs_from_one for atom, _ in self.key[1])
        return self.not_one


@dataclass(frozen=True, eq=False)
class Dim:
    """An integer: ``const + sum(coefficient * atom)``.

    >>> n = Dim.symbol("n")
    >>> (n - 1) + 1 == n, n - n
    (True, 0)
    """

    terms: tuple[tuple[Atom, int], ...]
    const: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "_set", frozenset(self.terms))
        object.__setattr__(self, "_hash", hash((self._set, self.const)))  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Dim)
            and hash(self) == hash(other)
            and self.const == other.const
            and self._set == other._set  # type: ignore[attr-defined]
        )

    @staticmethod
    def symbol(key: object, not_one: bool = False, least: int | None = None) -> Dim:
        return Dim(((Atom(key, least, not_one), 1),))

    @staticmethod
    def between(key: object, low: Dim | int | None, high: Dim | int | None) -> Dim:
        """An integer from ``low`` to ``high``, both included; None: nothing is known.

        >>> n = Dim.symbol("n", least=0)
        >>> i = Dim.between("i", 0, n - 1)
        >>> smallest(i + 1, n) == i + 1, lower(n - i)
        (True, 1)
        """
        return Dim(((Atom(key, None if low is None else lower(low), span=(low, high)), 1),))

    @staticmethod
    def fresh() -> Dim:
        """A length about which nothing is known."""
        return Dim.symbol(("fresh", next(_fresh)), least=0)

    @functools.cached_property
    def least(self) -> int:
        """A number of at least 0 that it reaches, taken that it is a length."""
        return max(lower(self) or 0, 0)

    @functools.cached_property
    def not_one(self) -> bool:
        """Whether it is certainly not 1, as ``2 * n`` or a product of what is not."""
        alone = self.const == 0 and len(self.terms) == 1 and self.terms[0][1] == 1
        if alone and self.terms[0][0].differs_from_one or (lower(self) or 0) > 1:
            return True
        return math.gcd(self.const, *[c for _, c in self.terms]) > 1

    @property
    def weight(self) -> int:
        return sum([atom.weight for atom, _ in self.terms])

    def __add__(self, other: Dim | int) -> Dim | int:
        return _sum(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Dim | int) -> Dim | int:
        return _sum(self, other, -1)

    def __rsub__(self, other: int) -> Dim | int:
        return _sum(self * -1, other, 1)

    def __mul__(self, factor: Dim | int) -> Dim | int:
        if isinstance(factor, Dim):
            return product(self, factor)
        if factor == 0:
            return 0
        return Dim(tuple((a, c * factor) for a, c in self.terms), self.const * factor)

    __rmul__ = __mul__

    def __neg__(self) -> Dim | int:
        return self * -1

    def __pos__(self) -> Dim:
        return self

    def __str__(self) -> str:
        parts = [f"{'' if c == 1 else c}{a.key if isinstance(a.key, str) else '?'}" for a, c in self.terms]
        return "+".join(parts + ([str(self.const)] if self.const else []))


Int = Dim | int


def _sum(a: Int, b: Int, sign: int) -> Int:
    terms: dict[Atom, int] = dict(a.terms) if isinstance(a, Dim) else {}
    const = a.const if isinstance(a, Dim) else a
    if isinstance(b, Dim):
        for atom, coefficient in b.terms:
            terms[atom] = terms.get(atom, 0) + sign * coefficient
        const += sign * b.const
    else:
        const += sign * b
    left = tuple((t, c) for t, c in terms.items() if c)
    return Dim(left, const) if left else const


def differs_from_one(dim: Int) -> bool:
    return dim != 1 if isinstance(dim, int) else dim.not_one


def lower(dim: Int) -> int | None:
    """A number that the integer certainly reaches; None where none is known."""
    found = [_lower(dim)]
    for _ in range(NESTED):
        moves = [move for move in map(_beside, dim.terms) if move is not None] if isinstance(dim, Dim) else []
        if not moves:
            break
        dim = dim + moves[0]
        found.append(_lower(dim))
    return max([bound for bound in found if bound is not None], default=None)


def _beside(term: tuple[Atom, int]) -> Int | None:
    """What a term with a counter changes by as that goes to the end of its span where the term is least."""
    atom, coefficient = term
    end = atom.span[coefficient < 0]
    return (end - Dim(((atom, 1),))) * coefficient if isinstance(end, Dim) else None


def _lower(dim: Int) -> int | None:
    if isinstance(dim, int):
        return dim
    total = dim.const
    for atom, coefficient in dim.terms:
        bound = atom.least if coefficient > 0 else atom.most
        if bound is None:
            return None
        total += coefficient * bound
    return total


def upper(dim: Int) -> int | None:
    """A number that the integer certainly does not exceed; None where none is known."""
    low = lower(-dim)
    return None if low is None else -low


def reaches(dim: Int, other: Int) -> bool:
    """Whether ``dim >= other`` for certain."""
    least = lower(dim - other)
    return least is not None and least >= 0


def term(fn: Callable[..., int], *parts: Int | frozenset[Any] | None, least: int | None = None) -> Int:
    """``fn`` of integers as an atom. A frozenset stands for operands whose order is of no matter."""
    flat = [p for part in parts for p in (part if isinstance(part, frozenset) else (part,)) if p is not None]
    if all(isinstance(p, int) for p in flat):
        return int(fn(*parts))
    weight = 1 + sum([p.weight for p in flat if isinstance(p, Dim)])
    if weight > LARGEST:
        return Dim.symbol(("fresh", next(_fresh)), least=least)
    return Dim(((Atom((fn, *parts), least, weight=weight), 1),))


# ----- sums, products and quotients
def product(a: Int, b: Int) -> Int:
    """``a * b``, multiplied out.

    >>> n, m = Dim.symbol("n"), Dim.symbol("m")
    >>> product(n + 1, m) - product(m, n) == m
    True
    """
    if isinstance(a, int) or isinstance(b, int):
        return a * b
    if (len(a.terms) + 1) * (len(b.terms) + 1) > LONGEST**2:
        return Dim.symbol(("fresh", next(_fresh)))
    total: Int = a * b.const + (b - b.const) * a.const
    for one, c in a.terms:
        for other, d in b.terms:
            total = total + _monomial([one, other]) * (c * d)
    return total


def _powers(atom: Atom) -> dict[Atom, int]:
    """A product's factors with their exponents."""
    return dict(atom.key[1]) if isinstance(atom.key, tuple) and atom.key[0] is math.prod else {atom: 1}


def _monomial(atoms: Iterable[Atom]) -> Int:
    powers: dict[Atom, int] = {}
    for atom in atoms:
        for part, exponent in _powers(atom).items():
            powers[part] = powers.get(part, 0) + exponent
    return _of_powers(powers)


def _of_powers(powers: Mapping[Atom, int]) -> Int:
    kept = {a: e for a, e in powers.items() if e}
    if not kept:
        return 1
    if len(kept) == 1 and 1 in kept.values():
        return Dim(((next(iter(kept)), 1),))
    lows = [-1 if a.least is None else a.least for a in kept]
    least = math.prod([n**e for n, e in zip(lows, kept.values(), strict=True)]) if min(lows) >= 0 else None
    weight = 1 + sum([a.weight for a in kept])
    if weight > LARGEST:
        return Dim.symbol(("fresh", next(_fresh)), least=least)
    return Dim(((Atom((math.prod, Unordered(kept.items())), least, weight=weight), 1),))


def count(shape: Iterable[Int]) -> Int:
    """How many elements an array of the shape has."""
    total: Int = 1
    for n in shape:
        total = product(total, n)
    return total


def divided(a: Int, b: Int) -> Int | None:
    """``a / b`` where it is an integer for all lengths; None else.

    >>> n, m = Dim.symbol("n"), Dim.symbol("m")
    >>> divided(n * m, m) == n, divided(2 * n + 4, 2) == n + 2, divided(n, m)
    (True, True, None)
    """
    if a == b:
        return 1
    if isinstance(b, int):
        if b == 0:
            return None
        if isinstance(a, int):
            return a // b if a % b == 0 else None
        if any(c % b for _, c in a.terms) or a.const % b:
            return None
        return Dim(tuple((atom, c // b) for atom, c in a.terms), a.const // b)
    if isinstance(a, int) or len(b.terms) != 1 or b.const or a.const:
        return 0 if a == 0 else None
    (divisor, factor), total = b.terms[0], 0
    wanted = _powers(divisor)
    for atom, c in a.terms:
        powers = _powers(atom)
        if c % factor or any(powers.get(p, 0) < e for p, e in wanted.items()):
            return None
        rest = {p: e - wanted.get(p, 0) for p, e in powers.items()}
        total = total + _of_powers(rest) * (c // factor)  # type: ignore[assignment]
    return total


def floordiv(a: Int, b: Int) -> Int:
    """``a // b``; what ``b`` divides comes out of the division.

    >>> n = Dim.symbol("n", least=0)
    >>> floordiv(2 * n + 3, 2) == n + 1, floordiv(n + 4, 2) - floordiv(n, 2)
    (True, 2)
    """
    if b == 0:
        return Dim.symbol(("fresh", next(_fresh)))
    exact = divided(a, b)
    if exact is not None:
        return exact
    whole: Int = 0
    if isinstance(b, int) and isinstance(a, Dim):
        whole = Dim(tuple((t, c // b) for t, c in a.terms if not c % b), 0)
        whole = whole + a.const // b if whole.terms else a.const // b
        a = Dim(tuple((t, c) for t, c in a.terms if c % b), a.const % b)
        if not a.terms:
            return whole + a.const // b
    if isinstance(b, int) and b > 0 and isinstance(a, Dim) and len(a.terms) == 1 and a.terms[0][1] == 1:
        key = a.terms[0][0].key  # a quotient's quotient is one
        if isinstance(key, tuple) and key[0] is operator.floordiv and isinstance(key[2], int) and key[2] > 0:
            return whole + floordiv(key[1] + a.const * key[2], key[2] * b)
    low = lower(a)
    least = None
    if low is not None and low >= 0:
        least = low // b if isinstance(b, int) and b > 0 else 0 if (lower(b) or 0) > 0 else None
    return whole + term(operator.floordiv, a, b, least=least)


def mod(a: Int, b: Int) -> Int:
    if b == 0:
        return Dim.symbol(("fresh", next(_fresh)))
    if isinstance(a, Dim) and isinstance(b, int):
        left = tuple((t, c % b) for t, c in a.terms if c % b)
        a = Dim(left, a.const % b) if left else a.const % b
    return term(operator.mod, a, b, least=0 if (lower(b) or 0) > 0 else None)


def MAXIMUM(parts: frozenset[int]) -> int:
    return max(parts)


def MINIMUM(parts: frozenset[int]) -> int:
    return min(parts)


def largest(*parts: Int) -> Int:
    """``max``; an operand that another one reaches is left out.

    >>> n = Dim.symbol("n", least=3)
    >>> largest(n - 2, 0) == n - 2, largest(n - 4, 0) == n - 4
    (True, False)
    """
    kept = _extremes(MAXIMUM, parts, reaches)
    if len(kept) == 1:
        return kept[0]
    lows = [low for p in kept if (low := lower(p)) is not None]
    return term(MAXIMUM, Unordered(kept), least=max(lows, default=None))


def smallest(*parts: Int) -> Int:
    """``min``; an operand that reaches another one is left out."""
    kept = _extremes(MINIMUM, parts, lambda a, b: reaches(b, a))
    if len(kept) == 1:
        return kept[0]
    lows = [lower(p) for p in kept]
    least = None if None in lows else min(n for n in lows if n is not None)
    return term(MINIMUM, Unordered(kept), least=least)


def _extremes(fn: Any, parts: Iterable[Int], beats: Callable[[Int, Int], bool]) -> list[Int]:
    flat: dict[Int, None] = {}
    for part in parts:
        nested = isinstance(part, Dim) and len(part.terms) == 1 and part.terms[0][1] == 1 and not part.const
        key = part.terms[0][0].key if nested else None  # type: ignore[union-attr]
        flat.update(dict.fromkeys(key[1] if isinstance(key, tuple) and key[0] is fn else (part,)))
    kept = list(flat)
    for part in list(kept):
        if any(other is not part and beats(other, part) for other in kept):
            kept.remove(part)
    return kept


def length(dim: Int) -> Int:
    """``max(dim, 0)``: how many numbers a range of that span has."""
    return largest(dim, 0)


def has_fresh(dim: Int) -> bool:
    """Whether something about which nothing is known is part of it."""
    return any(isinstance(a.key, tuple) and a.key[0] == "fresh" for a in symbols(dim))


def symbols(dim: Int) -> Iterator[Atom]:
    """The symbols that an integer is made of."""
    for atom, _ in dim.terms if isinstance(dim, Dim) else ():
        operands = atom.operands
        if operands is None:
            yield atom
            continue
        for part in operands:
            yield from symbols(part)
