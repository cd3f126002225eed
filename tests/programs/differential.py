"""Is a derivative right, in every call? Compared with the plain function, with differences, with the trace.

Of each call: the value is that of the plain function (to the bit in NumPy code), so is the exception, the
arguments stay as they were, the gradient has their types and shapes and is that of differences wherever two
orders and step sizes agree. Where they don't, the trace of the same call is the measure.
"""

from __future__ import annotations

import dataclasses
import pathlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .case import Call, Case, Plain, attempt, copies, leaves, load, replaced, run_before, unload
from .check import Outcome, _derivative
from .probe import Refuted, limited

TOLERANCE = 3e-6
OF_EIGENVALUES = "eig", "svd", "cond"
SINGLE = 3e-3  # of float32
SECONDS = 20.0


@dataclass(frozen=True)
class Settings:
    backend: str = "numpy"
    second: bool = False
    trace: bool = True
    differences: bool = True  # without: values, exceptions, types and shapes only
    single: bool = False  # whether the program itself computes in single precision

    def enough_for(self, why: str) -> Settings:
        """What shows a failure that was told in these words."""
        if "second order" in why or "a defect of ast_ad" in why:
            return self
        trace, gradient = "trace" in why, "gradient:" in why
        return dataclasses.replace(self, second=False, trace=trace, differences=trace or gradient)


def check(case: Case, folder: pathlib.Path, settings: Settings) -> Outcome:
    """'right', 'partly' (right, with a traced callee), 'traced' (right), 'declined' (an AdError), 'unstable',
    'wrong', 'nan' (instead of a number: not silently wrong), 'alarm' (right, but told to be a defect, by the
    net or by the compiler) or 'crashed'."""
    from ast_ad.errors import DefectWarning

    with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DefectWarning)
        try:
            with limited(SECONDS):
                found = Comparison(case, folder, settings).outcome()
        except Refuted:
            return Outcome("crashed", f"not done after {SECONDS} s")
    defects = [str(one.message) for one in told if issubclass(one.category, DefectWarning)]
    if defects and found.kind not in ("wrong", "crashed"):
        return Outcome("alarm", _shown(defects[0]))
    return found


def _shown(text: str) -> str:
    """A message about a defect; of a program that it shows, the lines that are marked."""
    first, *lines = text.splitlines()
    return "\n".join([first, *(line for line in lines if ">>>" in line)])


class Failed(Exception):
    def __init__(self, kind: str, why: str) -> None:
        self.outcome = Outcome(kind, why)


class Comparison:
    def __init__(self, case: Case, folder: pathlib.Path, settings: Settings) -> None:
        self.case, self.folder, self.settings = case, folder, settings
        self.plain = Plain(case)
        self.sure = 0  # entries of gradients that differences were sure of

    def outcome(self) -> Outcome:
        import ast_ad

        module = load(self.case.source, self.folder)
        ranks = ["right"]
        try:
            derivative = ast_ad.value_and_grad(
                module.f, argnums=self.case.argnums, backend=self.settings.backend
            )
            for k, call in enumerate(self.case.calls):
                run_before(call, vars(module))
                self.call(derivative, k, call)
                ranks.append(_mode(derivative))
            if self.settings.second and not self.case.stateful:
                self.second()
        except Failed as failure:
            return failure.outcome
        finally:
            unload(module)
        order = ["right", "partly", "traced"]
        kind = max(ranks, key=order.index)
        return Outcome("unstable" if self.sure == 0 else kind)

    def call(self, derivative: Any, k: int, call: Call) -> None:
        """One call of the derivative against the same call of the function."""
        import ast_ad
        from ast_ad.errors import InternalError

        args, kwargs = copies(call.args), copies(dict(call.kwargs))
        expected, raised = attempt(self.plain.at(k), copies(call.args), copies(dict(call.kwargs)))
        try:
            (value, gradient), error = derivative(*args, **kwargs), None
        except Exception as caught:
            error = caught
        where = f"call {k + 1}: " if k else ""
        if isinstance(error, InternalError):
            raise Failed("alarm", f"{where}{type(error).__name__}: {error}") from None
        if error is not None and not isinstance(error, type(raised) if raised else ()):
            if isinstance(error, ast_ad.AdError):
                raise Failed("declined", f"{where}{type(error).__name__}: {error}") from None
            wanted = f" instead of {type(raised).__name__}" if raised else ""
            raise Failed("crashed", f"{where}{type(error).__name__}: {error}{wanted}") from None
        if raised is not None:
            if error is None:
                raise Failed(
                    "wrong", f"{where}exception: {value!r} instead of {type(raised).__name__}: {raised}"
                )
            return
        if not self._value(value, expected, k, call, where):
            return
        for name, before, after in [*zip(call.args, call.args, args, strict=True)]:
            if not _same(before, after):
                raise Failed("wrong", f"{where}argument: changed to {after!r} from {name!r}")
        wanted = [call.args[i] for i in self.case.argnums]
        given = list(gradient) if len(wanted) > 1 or isinstance(gradient, tuple) else [gradient]
        self._shapes(given, wanted, where)
        if self.settings.differences:
            self._gradient(given, k, call, where)

    def _single(self, k: int, call: Call) -> bool:
        """Whether something of the call is in single precision: an argument, or a global by now."""
        before = any("float32" in c.before for c in self.case.calls[: k + 1])
        return self.settings.single or _single(call) or before

    def _value(self, value: Any, expected: Any, k: int, call: Call, where: str) -> bool:
        """Equal to the bit; kernels sum in another order. False where rounding decides what the value is."""
        near = 1e-5 if self._single(k, call) else 1e-9
        got, right = np.asarray(value), np.asarray(expected)
        if got.dtype != right.dtype or got.shape != right.shape:
            raise Failed("wrong", f"{where}value: {value!r} instead of {expected!r}")
        exact = self.settings.backend == "numpy"
        close = (
            got.tobytes() == right.tobytes() if exact else np.allclose(got, right, near, near, equal_nan=True)
        )
        if not close and not (np.isnan(got) and np.isnan(right)):
            if exact or not abs(got - right) <= 10 * self._spread(k, call, right):
                raise Failed("wrong", f"{where}value: {value!r} instead of {expected!r}")
            return False
        return True

    def _spread(self, k: int, call: Call, value: Any) -> float:
        """How far the value is from that of the next numbers: much where rounding grows from turn to turn."""

        def next_one(leaf: Any) -> Any:
            floats = isinstance(leaf, float) or getattr(leaf, "dtype", np.dtype(int)).kind == "f"
            after = (
                np.nextafter(leaf, leaf.dtype.type(np.inf) if isinstance(leaf, np.ndarray) else np.inf)
                if floats
                else leaf
            )
            return float(after) if type(leaf) is float else after

        args = [replaced(arg, map(next_one, leaves(arg))) for arg in call.args]
        beside, raised = attempt(self.plain.at(k), args, copies(dict(call.kwargs)))
        return 0.0 if raised else float(abs(beside - value))

    def _shapes(self, gradient: list[Any], wanted: list[Any], where: str) -> None:
        got, arguments = list(leaves(gradient)), list(leaves(wanted))
        if len(got) != len(arguments):
            raise Failed("wrong", f"{where}structure: {gradient!r} for {wanted!r}")
        for one, argument in zip(got, arguments, strict=True):
            array = isinstance(argument, np.ndarray)
            if np.shape(one) != np.shape(argument) or array and np.asarray(one).dtype != argument.dtype:
                raise Failed("wrong", f"{where}shape: gradient {one!r} for {argument!r}")

    def _gradient(self, gradient: list[Any], k: int, call: Call, where: str) -> None:
        got = flat(gradient)
        estimate = self.differences(k, call)
        sure = np.isfinite(estimate)
        self.sure += int(np.sum(sure))
        scale = 1.0 + np.max(np.abs(estimate), initial=0.0, where=sure)
        bound = (SINGLE if self._single(k, call) else TOLERANCE) * scale
        if not np.all(np.abs(got - estimate)[sure] <= bound):
            beside = self._beside(k, call, got.size)
            if any(np.any(np.abs(g - got)[sure] > bound) for g in beside):
                return  # the gradient jumps here: of equal numbers a median or a sort takes one
            if not np.any(np.isfinite(got[sure & ~(np.abs(got - estimate) <= bound)])):
                raise Failed("nan", f"{where}gradient:\n{got}\ninstead of\n{estimate}")
            raise Failed("wrong", f"{where}gradient:\n{got}\ninstead of\n{estimate}")
        if self.settings.trace and (k == 0 or not np.all(sure)):
            self._trace(got, sure, k, call, where)

    def _beside(self, k: int, call: Call, size: int) -> list[np.ndarray]:
        """The gradients a little beside the arguments on either side, where no two numbers are equal."""
        import ast_ad

        module = load(self.case.source, self.folder)
        try:
            for earlier in self.case.calls[: k + 1]:
                run_before(earlier, vars(module))
            derivative = ast_ad.value_and_grad(
                module.f, argnums=self.case.argnums, backend=self.settings.backend
            )
            offset = 1e-7 * np.random.default_rng(k).normal(size=size)
            sides = [shifted(call, self.case.argnums, sign * offset) for sign in (1, -1)]
            return [flat(derivative(*moved, **copies(dict(call.kwargs)))[1]) for moved in sides]
        except Exception:
            return []
        finally:
            unload(module)

    def _trace(self, got: np.ndarray, sure: np.ndarray, k: int, call: Call, where: str) -> None:
        """The trace of the same call against the gradient."""
        traced = self._traced(k, call, where)
        if traced is None:
            return
        scale = 1.0 + np.max(np.abs(got), initial=0.0, where=np.isfinite(got))
        near = SINGLE if self._single(k, call) else 1e-7
        if traced.shape != got.shape or not np.allclose(traced, got, near, near * scale, equal_nan=True):
            what = "trace" if np.all(sure) else "gradient against the trace"
            raise Failed("wrong", f"{where}{what}:\n{got}\nagainst\n{traced}")

    def _traced(self, k: int, call: Call, where: str) -> np.ndarray | None:
        """The gradient of a trace of the same call; None where that is refused."""
        import ast_ad
        from ast_ad import tracing as fallback

        module = load(self.case.source, self.folder)
        try:
            for j, earlier in enumerate(self.case.calls[: k + 1]):
                run_before(earlier, vars(module))
                if j < k and self.case.stateful:
                    attempt(module.f, copies(earlier.args), copies(dict(earlier.kwargs)))
            wrt, position = [], 0
            for i, arg in enumerate(call.args):
                count = len(list(leaves(arg)))
                wrt += list(range(position, position + count)) if i in self.case.argnums else []
                position += count
            _, pullback = fallback.trace(module.f, copies(call.args), copies(dict(call.kwargs)), wrt)
            return flat(pullback([1.0]))
        except ast_ad.AdError:
            return None
        except Exception as error:
            raise Failed("crashed", f"{where}trace: {type(error).__name__}: {error}") from None
        finally:
            unload(module)

    # ----- differences -----

    def differences(self, k: int, call: Call) -> np.ndarray:
        """The gradient by differences of several orders; NaN where they disagree."""
        wanted = tuple(call.args[i] for i in self.case.argnums)
        base = flat(wanted)
        if not self.same_in_double(k, call, base.size):
            return np.full(base.size, np.nan)
        found = np.empty(base.size)
        for j in range(base.size):

            def at(step: float, j: int = j) -> float:
                offset = np.zeros(base.size)
                offset[j] = step
                return self.at(k, call, offset)

            try:
                found[j] = _derivative(at)
            except Exception:  # there may be an exception right beside the arguments
                found[j] = np.nan
        return found

    def same_in_double(self, k: int, call: Call, size: int) -> bool:
        """Whether differences in double precision are those of the function.

        Of arguments in single precision, other results may be views, or another branch be taken; what follows
        from bools may be in half precision.
        """
        try:
            given = self.plain.at(k)(*copies(call.args), **copies(dict(call.kwargs)))
            widened = self.at(k, call, np.zeros(size))
        except Exception:
            return True
        if not _single(call):
            return np.result_type(given).itemsize >= 8
        return bool(abs(given - widened) <= 1e-5 * (1.0 + abs(given)))

    def at(self, k: int, call: Call, offset: np.ndarray) -> float:
        moved = shifted(call, self.case.argnums, offset)
        return float(self.plain.at(k)(*moved, **copies(dict(call.kwargs))))

    def second(self) -> None:
        """The gradient of a directional derivative, along another direction, against differences of it."""
        import ast_ad

        call, wrt = self.case.calls[0], self.case.argnums
        plain = [i for i in wrt if isinstance(call.args[i], float | np.ndarray)]
        if not plain or attempt(self.plain.at(0), copies(call.args), copies(dict(call.kwargs)))[1]:
            return
        module = load(self.case.source + _second(call, plain), self.folder)
        try:
            numbers = np.random.default_rng(0)
            first, other = ([numbers.normal(size=np.shape(call.args[i])) for i in plain] for _ in range(2))

            def moved(step: float) -> tuple[Any, ...]:
                args = list(copies(call.args))
                for i, d in zip(plain, other, strict=True):
                    args[i] = args[i] + step * d if d.shape else float(args[i] + step * d)
                return tuple(args)

            def at(step: float) -> float:
                return float(module.second(first, *moved(step), **copies(dict(call.kwargs))))

            try:
                estimate = _derivative(at)
                if not np.isfinite(estimate):
                    return
                found = ast_ad.grad(
                    module.second, argnums=tuple(i + 1 for i in plain), backend=self.settings.backend
                )(first, *moved(0.0), **copies(dict(call.kwargs)))
            except ast_ad.AdError:
                return
            except Exception as error:
                raise Failed("crashed", f"second order: {type(error).__name__}: {error}") from None
            got = sum(float(np.sum(np.multiply(g, d))) for g, d in zip(found, other, strict=True))
            if np.isnan(got) and any(f"linalg.{fn}" in self.case.source for fn in OF_EIGENVALUES):
                return  # of eigenvalues that are equal there is no second derivative (docs/conventions.md)
            if not abs(got - estimate) <= 1e-4 * (1.0 + abs(estimate)):
                raise Failed("wrong", f"second order: {got} instead of {estimate}")
        finally:
            unload(module)


def _second(call: Call, plain: list[int]) -> str:
    """A function for the derivative of ``f`` along a direction, as source."""
    names = [f"a{i}" for i in range(len(call.args))]
    terms = " + ".join(f"np.sum(gradient[{k}] * direction[{k}])" for k in range(len(plain)))
    given = ", ".join(names)
    return (
        f"\nimport ast_ad\n\ndef second(direction, {given}, **more):\n"
        f"    gradient = ast_ad.grad(f, argnums={tuple(plain)})({given}, **more)\n    return {terms}\n"
    )


def _mode(derivative: Any) -> str:
    if derivative.mode == "fallback":
        return "traced"
    lowered = getattr(derivative._last, "primal", None)
    return "partly" if getattr(lowered, "calls", None) else "right"


def _single(call: Call) -> bool:
    """Whether there are arrays of single precision among the arguments."""
    return any(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves(call.args))


def _same(before: Any, after: Any) -> bool:
    first, second = list(leaves(before)), list(leaves(after))
    return len(first) == len(second) and all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def flat(value: Any) -> np.ndarray:
    return np.concatenate(
        [np.ravel(np.asarray(leaf, dtype=float)) for leaf in leaves(value)] or [np.zeros(0)]
    )


def shifted(call: Call, argnums: tuple[int, ...], offset: np.ndarray) -> tuple[Any, ...]:
    """The arguments in double precision, with a vector added to the differentiated ones."""
    args, position = [replaced(arg, map(_widened, leaves(arg))) for arg in call.args], 0
    for i in argnums:
        following = []
        for leaf in leaves(args[i]):
            size = int(np.size(leaf))
            part = offset[position : position + size].reshape(np.shape(leaf))
            following.append(leaf + part if isinstance(leaf, np.ndarray) else float(leaf + part))
            position += size
        args[i] = replaced(args[i], iter(following))
    return tuple(copies(a) for a in args)


def _widened(leaf: Any) -> Any:
    return leaf.astype(float) if getattr(leaf, "dtype", None) == np.float32 else leaf


Checker = Callable[[Case], Outcome]
