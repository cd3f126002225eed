"""What are Jacobians and Hessians? Functions of the same arguments, whose results are matrices.

``jacfwd``, ``jacrev``, ``jacobian``, ``hessian``. Their programs are in ``programs``; here it is decided
which one is run, and said what users get.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api import vjp
from ..calls.sizes import how_many
from ..errors import AdError, InputTypeError, InputValueError
from ..options import chosen_by_number
from ..trees import flatten
from .leaves import as_program, require_argument
from .operator import Operator, by_parts, operator, require_callable, takes_arguments_of
from .programs import columns, rows

MODES = ("fwd", "rev", None)
_NUMBERS = (float, int, bool, complex)


def jacfwd(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    chunk: int | None = None,
    **choices: Any,
) -> Any:
    """The Jacobian of a function, a column for each number of the arguments: cheap where these are few.

    Args:
        function: Python and NumPy code; it returns floats, or arrays of them, in any structure.
        argnums: which positional arguments to differentiate with respect to: an int or a tuple.
        wrt: the same by name, or parts of arguments; see ``grad``.
        has_aux: whether the function returns ``(value, aux)``; the result is then ``(jacobian, aux)``.
        holomorphic: whether it is, so that the derivatives are complex numbers.
        chunk: how many columns, or rows, are computed in one pass at most, each of which takes memory; by
            default all where the compiler finds that cheaper, else one.
        choices: the options of ``grad``: ``backend=``, ``fallback=``, ...

    Returns:
        A function of the same arguments. Its result has the structure of the value and, in the place of each
        leaf, that of the argument; the arrays have the shape of the former and behind it of the latter. For
        a tuple of ``argnums`` it is a tuple in place of each leaf.

    Raises:
        InputTypeError: a result is complex, and the function is not said to be holomorphic.

    >>> jacfwd(lambda x: np.array([x[0] * x[1], x[1] ** 2]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 6.]])
    """
    require_callable(function, "jacfwd")
    argnums = chosen_by_number(argnums, choices)
    options: dict[str, Any] = dict(has_aux=has_aux, holomorphic=holomorphic, chunk=checked_chunk(chunk))
    if wrt is not None:
        return by_parts(jacfwd, function, argnums, wrt, **options, **choices)
    program = takes_arguments_of(function, columns(function, numbers(argnums), **options))
    return operator(program, jacfwd, function, choices, argnums, **options)


def jacrev(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    chunk: int | None = None,
    **choices: Any,
) -> Any:
    """The Jacobian of a function, a row for each number of the value; see ``jacfwd``.

    The function is run once, and the pullback once for each row.

    >>> jacrev(lambda x: np.array([x[0] * x[1], x[1] ** 2]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 6.]])
    """
    require_callable(function, "jacrev")
    argnums = chosen_by_number(argnums, choices)
    options: dict[str, Any] = dict(has_aux=has_aux, holomorphic=holomorphic, chunk=checked_chunk(chunk))
    if wrt is not None:
        return by_parts(jacrev, function, argnums, wrt, **options, **choices)
    program = takes_arguments_of(function, rows(function, numbers(argnums), **options))
    return operator(program, jacrev, function, choices, argnums, **options)


class Jacobian:
    """The cheaper of ``jacfwd`` and ``jacrev`` for the sizes of a call.

    It is by columns where the arguments have fewer numbers than the value. How many that has is read in the
    function at the first call with arguments of some shapes; where only a run of it tells, later calls know.
    All go by rows where a rule of the user's has no tangents, or tangents can't be compiled.

    ``traced``: the same as ``forward``, which may be traced; None if that may not be.
    """

    def __init__(
        self, forward: Operator, reverse: Operator, traced: Operator | None, argnums: Any, has_aux: bool
    ) -> None:
        self.forward, self.reverse, self.argnums, self.has_aux = forward, reverse, argnums, has_aux
        self.traced = traced
        self.last = reverse
        self.cheaper: dict[Any, bool] = reverse.shared.cheaper  # whether forward is, by shapes
        self.__name__ = getattr(forward, "__name__", "function")
        self.__wrapped__ = forward.of

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fast = self.last._fast  # which compares shapes, and calls ``any_call`` where they are others
        if fast is None:
            return self.any_call(args, kwargs)
        try:
            return fast(self, *args, **kwargs)
        except AdError as error:
            return self.by_rows(error, args, kwargs)

    def any_call(self, args: Any, kwargs: Any) -> Any:
        """The long way of a call; the next one like it may be short."""
        shapes = None if kwargs else shapes_of(args)
        if shapes in self.cheaper:
            return self.by(self.forward if self.cheaper[shapes] else self.reverse, args, kwargs)
        args, kwargs = self.reverse.arguments.arrange(args, kwargs)
        require_argument(args, self.argnums)
        key = shapes or tuple(map(np.shape, flatten((args, kwargs))[0]))
        if key in self.cheaper:
            return self.by(self.forward if self.cheaper[key] else self.reverse, args, kwargs)
        ins = count([args[i] for i in ((self.argnums,) if isinstance(self.argnums, int) else self.argnums)])
        outs = how_many(vjp(self.forward.of, argnums=self.argnums, has_aux=self.has_aux), args, kwargs)
        by_columns = outs is not None and ins < outs
        found = self.by(self.forward if by_columns else self.reverse, args, kwargs)
        outs = count(found[0] if self.has_aux else found) // max(ins, 1)
        self.cheaper[key] = self.forward is not self.reverse and ins < outs
        return found

    def by(self, way: Operator, args: Any, kwargs: Any) -> Any:
        """The Jacobian by columns or rows, by rows where there are no tangents."""
        self.last = way
        try:
            return way(*args, **kwargs)
        except AdError as error:
            return self.by_rows(error, args, kwargs)

    def by_rows(self, error: AdError, args: Any, kwargs: Any) -> Any:
        """The same by rows from now on, where the last way has no tangents.

        Raises:
            AdError: that is not why it failed.
        """
        if self.last is self.forward and self.traced is not None and not error.of_tangents:
            self.forward, self.traced = self.traced, None
            return self.by(self.forward, args, kwargs)
        if self.last is self.reverse or not error.of_tangents:
            raise error
        self.cheaper.update(dict.fromkeys(self.cheaper, False))
        self.last = self.forward = self.reverse
        return self.reverse(*args, **kwargs)

    def __ast_ad_lower__(self, cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return self.reverse.__ast_ad_lower__(cx, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.last, name)

    def __repr__(self) -> str:
        return f"<ast_ad.jacobian({getattr(self.forward.of, '__qualname__', self.forward.of)})>"


def jacobian(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    wrt: str | Sequence[str] | None = None,
    mode: str | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    chunk: int | None = None,
    **choices: Any,
) -> Any:
    """The Jacobian of a function; see ``jacfwd`` for the arguments and the result.

    ``mode``: by columns (``"fwd"``), by rows (``"rev"``), or the cheaper by the sizes of a call (None).

    Raises:
        InputValueError: there is no such mode.

    >>> jacobian(lambda x, a: np.sin(a * x), argnums=1)(np.array([0.0, 2.0]), 1.0)
    array([ 0.        , -0.83229367])
    """
    require_callable(function, "jacobian")
    if mode not in MODES:
        raise InputValueError(f"mode={mode!r}", why="there is no such mode", fix='use "fwd", "rev" or None')
    argnums = chosen_by_number(argnums, choices)
    options = dict(has_aux=has_aux, holomorphic=holomorphic, chunk=checked_chunk(chunk), **choices)
    if wrt is not None:
        return by_parts(jacobian, function, argnums, wrt, mode=mode, **options)
    if mode is not None:
        return (jacfwd if mode == "fwd" else jacrev)(function, argnums, **options)
    both = jacfwd(function, argnums, **options), jacrev(function, argnums, **options)
    if options.get("fallback", "trace") != "trace":
        return Jacobian(*both, None, numbers(argnums), has_aux)
    compiled = jacfwd(function, argnums, **{**options, "fallback": "error"})
    return Jacobian(compiled, both[1], both[0], numbers(argnums), has_aux)


def hessian(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    chunk: int | None = None,
    **choices: Any,
) -> Any:
    """The matrix of second derivatives, a column for each number of the arguments: forward over reverse.

    Args:
        function: Python and NumPy code. It returns a float, or floats and arrays of them in any structure.
        argnums, wrt, has_aux, chunk, choices: see ``jacfwd``.

    Returns:
        A function of the same arguments. For a number its result has the structure of the arguments and, in
        the place of each leaf, that structure again; for an array or a container that stands in the place
        of each leaf of the value: arrays have the shapes of the value, the argument, the argument.

    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    require_callable(function, "hessian")
    argnums = chosen_by_number(argnums, choices)
    options: dict[str, Any] = dict(has_aux=has_aux, chunk=checked_chunk(chunk))
    if wrt is not None:
        return by_parts(hessian, function, argnums, wrt, **options, **choices)
    program = takes_arguments_of(function, hessian_program(function, numbers(argnums), **options))
    return operator(program, hessian, function, choices, argnums, **options)


def hessian_program(
    function: Callable[..., Any], argnums: Any, has_aux: bool, chunk: int | None = None
) -> Callable[..., Any]:
    return columns(rows(function, argnums, has_aux, False), argnums, has_aux, False, chunk, of=function)


_PROGRAMS: tuple[tuple[Any, Any, tuple[str, ...]], ...] = (
    (jacfwd, columns, ("argnums", "has_aux", "holomorphic", "chunk")),
    (jacrev, rows, ("argnums", "has_aux", "holomorphic", "chunk")),
    (jacobian, rows, ("argnums", "has_aux", "holomorphic", "chunk")),
    (hessian, hessian_program, ("argnums", "has_aux", "chunk")),
)
for _function, _made, _options in _PROGRAMS:
    _function.__ast_ad_lower__ = as_program(_made, *_options)


def numbers(argnums: Any) -> Any:
    """Checked ``argnums``: an int or a tuple of ints.

    Raises:
        InputTypeError: they are something else.
    """
    several = isinstance(argnums, (tuple, list))
    if not all(
        isinstance(i, (int, np.integer)) and not isinstance(i, bool)
        for i in (argnums if several else [argnums])
    ):
        raise InputTypeError(
            f"argnums={argnums!r}", why="it is no integer", fix="pass an int or a tuple of ints"
        )
    return tuple(map(int, argnums)) if several else int(argnums)


def checked_chunk(chunk: Any) -> int | None:
    """
    Raises:
        InputTypeError, InputValueError: it is no number of columns.
    """
    if chunk is None:
        return None
    if not isinstance(chunk, (int, np.integer)) or isinstance(chunk, bool):
        raise InputTypeError(
            f"chunk={chunk!r}", why="it is a number of columns", fix="pass an int, or leave it out"
        )
    if chunk < 1:
        raise InputValueError(
            f"chunk={chunk}", why="a pass computes at least one column", fix="pass 1 or more"
        )
    return int(chunk)


def shapes_of(args: tuple[Any, ...]) -> tuple[tuple[int, ...], ...] | None:
    """The shapes of arguments that are arrays and Python's numbers; None if there are others."""
    shapes = tuple([a.shape if type(a) is np.ndarray else () if type(a) in _NUMBERS else None for a in args])
    return None if None in shapes else shapes  # type: ignore[return-value]


def count(value: Any) -> int:
    """How many numbers there are in a value."""
    return sum(int(np.size(leaf)) for leaf in flatten(value)[0])
