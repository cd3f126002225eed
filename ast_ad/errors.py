"""What can go wrong, and how is it said?

Every error has four parts: which construct, where (file:line, the source line, a caret), why, and what to
do. The classes differ in what the reader can do about it: rewrite or wait (unsupported), register a rule
(missing), drop the question (no derivative), restore the source, pass other arguments, report a bug.
"""

from __future__ import annotations

import linecache
import pickle
import threading
from typing import Any, ClassVar, Protocol, TypeVar

MOST_CALLS = 3  # that an error names


class SpanLike(Protocol):
    """Where something stands: 1-based line, UTF-8 byte columns as in ``ast``, the statement on one line.

    It may have a ``path``: the calls that lead there.
    """

    @property
    def filename(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_column(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def function(self) -> str: ...


Self = TypeVar("Self", bound="AdError")


class Made(threading.local):
    """The errors made in this thread, while somebody has to know of those that a program swallows."""

    errors: list[AdError] | None = None


made = Made()


class AdError(Exception):
    """The base of all errors of ast_ad.

    Args:
        construct: what is the matter, as the first line of the message.
        span: where, any object with the attributes of ``SpanLike``; None where no place is to blame.
        why: the reason.
        fix: what to do.

    >>> print(AdError("`with` statement", why="its exit may swallow errors", fix="open the file outside"))
    [E100] `with` statement
      why: its exit may swallow errors
      fix: open the file outside
    """

    code: ClassVar[str] = "E100"
    only_as_it_is = False  # raised by a function that runs as it is where a compiled program has an answer
    untraceable = False  # no trace has an answer either
    at_run_time = False  # raised where the items of lists from outside were known at run time only
    items_asked = False  # raised where the structure depends on a list whose items are known at run time only
    records = False  # raised where objects were elements of a list whose length is known at run time only
    of_tangents = False  # raised for tangents only: where it is, cotangents have an answer

    def __init__(self, construct: str, span: SpanLike | None = None, why: str = "", fix: str = "") -> None:
        super().__init__(construct, span, why, fix)  # positional, so that pickle and copy can rebuild it
        self.construct = construct
        self.span = span
        self.why = why
        self.fix = fix
        self.source_line = _source_line(span)  # read now: the file may change before the error is shown
        if made.errors is not None:
            made.errors.append(self)

    def at(self: Self, span: SpanLike | None) -> Self:
        """This error, placed at ``span`` if it had no place so far (for code that knows no place)."""
        if span is not None and (self.span is None or not self.span.line):
            self.span = span
            self.args = (self.construct, span, self.why, self.fix)
            self.source_line = _source_line(span)
        return self

    def kept(self: Self) -> Self:
        """This error to be kept, without tracebacks: they would keep the variables of every caller alive.

        Those of what it came of go, too. What was being handled where it was raised may be an exception of
        the user's: it is let go of as it is.
        """
        error: BaseException | None = self
        seen: set[int] = set()  # what is raised again may have come of itself
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            error.__traceback__ = error.__context__ = None
            error = error.__cause__
        return self

    def __str__(self) -> str:
        parts = [f"[{self.code}] {self.construct}", *self._place()]
        parts += [_labelled(label, text) for label, text in (("why", self.why), ("fix", self.fix)) if text]
        return "\n".join(parts)

    def _place(self) -> list[str]:
        span = self.span
        if span is None or not span.line:
            return []
        inside = f", in {span.function}" if span.function else ""
        place = f"  {span.filename}:{span.line}{inside}"
        if not self.source_line.strip():  # no file: the statement's own text, to which columns don't apply
            shown = [f"    {span.text}"] if span.text else []
        else:
            shown = _underlined(self.source_line, span.column, span.end_column)
        return [place, *shown, *_way(span)]


class UnsupportedError(AdError, NotImplementedError):
    """A construct with a well-defined derivative that ast_ad cannot handle yet."""

    code = "E101"


class RecursionDepthError(UnsupportedError):
    """A recursion went deeper than its program does. The call is traced, and the next program is deeper."""

    code = "E104"


class OtherTypeError(UnsupportedError):
    """A solver returned a number of NumPy's and not of Python's, or the other way round.

    The call is traced, and the next program knows it.
    """

    code = "E105"


class UntakenPathError(UnsupportedError):
    """A call took a branch that its program leaves out, as no call had taken it and it can't be compiled.

    The call is traced, and the next program has the branch.
    """

    code = "E106"


class MissingRuleError(UnsupportedError):
    """A function without a derivative rule, and without source to differentiate, on an active path."""

    code = "E102"


class NoDerivativeError(AdError, ArithmeticError):
    """The derivative asked for has no meaning, here or at all (eigenvectors of equal eigenvalues)."""

    code = "E103"


class SourceError(AdError):
    """The source of a function is not available, or not that of the code that runs."""

    code = "E201"


class StaleError(SourceError):
    """Something that the compiled function depends on was changed where no rebuild is possible."""

    code = "E202"


class InputError(AdError):
    """The arguments of a call don't fit the question."""

    code = "E301"


class InputTypeError(InputError, TypeError):
    """An argument or a result of the wrong kind: integers to differentiate, a non-scalar loss."""

    code = "E302"


class InputValueError(InputError, ValueError):
    """An argument of the right kind with an impossible value: argnums out of range, shapes that differ."""

    code = "E303"


TWICE = (
    "a list, dict or object that the arguments hold twice, and that the function changes",
    None,
    "the change would be seen at both places",
    "pass a copy at one of them",
)


SAME = (
    "`is` of a list, dict or object of the arguments, that they hold twice or that has another name outside",
    None,
    "the function is given copies, which are never one object",
    "compare what they hold",
)

ELSEWHERE = (
    "a list, dict or object of the arguments that has another name outside, and that the function changes",
    None,
    "the change would be seen under both names",
    "pass a copy of it",
)


class SharedMemoryError(UnsupportedError, InputValueError):
    """Two arguments are one array to a function that writes: no program treats them as two."""

    code = "E304"


class FileFormatError(InputError, pickle.UnpicklingError):
    """A file that is damaged, or that holds something else than weights and plain data."""

    code = "E305"


class UnsavableError(InputTypeError, pickle.PicklingError):
    """Something that is neither a tensor nor plain data, in what is to be saved."""

    code = "E306"


class InternalError(AdError):
    """A bug in ast_ad: an invariant does not hold. Please report it with the function that triggers it."""

    code = "E901"


class WrongProgramError(InternalError):
    """A compiled program is not the function that it was made of: the check of its first call found out."""

    code = "E903"
    ran: Any = None  # what came of the function itself, where it has run


class FallbackWarning(UserWarning):
    """A function can't be compiled: it runs on traced arrays, which is right but slower, without source."""


class DefectWarning(FallbackWarning):
    """ast_ad found a bug of its own: the function is traced instead. Please report it."""


class ZeroGradientWarning(UserWarning):
    """A gradient is zero because nothing, or only an integer, leads from the argument to the result.

    Or because the argument only decides how a search goes on: a bisection's result moves with it by jumps
    too small to see, and its derivative is zero between them. Or it leaves out what the function itself has
    stored in an earlier call, and gives again.
    """


class SolutionWarning(UserWarning):
    """A derivative of what a solver found can't be trusted: it did not converge, or is not unique."""


def not_one_number(what: str) -> InputTypeError:
    """The error of a gradient of something that is no real number."""
    return InputTypeError(
        f"the gradient of {what}",
        why="grad is defined for functions with a real result of one element",
        fix="use jacobian for arrays, vjp for a cotangent of your own, or return a sum",
    )


def not_numbers(what: str) -> InputTypeError:
    """The error of a derivative of something that holds no numbers."""
    return InputTypeError(
        f"the derivative of {what}",
        why="it is no number, and no array or container of numbers",
        fix="return numbers; with has_aux=True something else may come beside them",
    )


def holds_numbers(kind: str) -> InputTypeError:
    """The error of a derivative of what has numbers in it that nobody gets to see."""
    return InputTypeError(
        f"the derivative of what a value of type {kind} holds",
        why="it is not taken apart into numbers, and the derivatives of those in it would be lost",
        fix="return them in tuples, lists, dicts or dataclasses, let ast_ad.register_container tell its "
        "parts, or return it beside the value (has_aux=True)",
    )


def _source_line(span: SpanLike | None) -> str:
    if span is None or not span.line:
        return ""
    try:
        return linecache.getline(span.filename, span.line).rstrip()
    except Exception:  # the line is decoration: an error about an error would hide the first
        return ""


def _way(span: SpanLike) -> list[str]:
    """By which calls a helper was reached, the innermost first; there may be a hundred, of a recursion."""
    calls = getattr(span, "path", ())[::-1]
    lines = [f"  called at {call.at.filename}:{call.at.line}, in {call.at.function}" for call in calls]
    more = len(lines) - MOST_CALLS
    return lines if more <= 0 else [*lines[:MOST_CALLS], f"  after {more} more calls"]


def _underlined(line: str, column: int, end_column: int) -> list[str]:
    """The source line without its indentation, and a line of carets below it."""
    text = line.lstrip()
    indent = len(line) - len(text)
    start = max(_characters(line, column) - indent, 0)
    end = min(_characters(line, end_column) - indent, len(text))
    if start >= len(text):  # the span belongs to another version of the line
        return [f"    {text}"]
    gap = "".join("\t" if c == "\t" else " " for c in text[:start])
    return [f"    {text}", f"    {gap}{'^' * max(end - start, 1)}"]


def _characters(line: str, byte_column: int) -> int:
    """The column in characters of a column in UTF-8 bytes."""
    return len(line.encode("utf-8", "replace")[:byte_column].decode("utf-8", "ignore"))


def _labelled(label: str, text: str) -> str:
    return f"  {label}: " + text.strip().replace("\n", "\n       ")
