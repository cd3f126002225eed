"""Which equation has a minimiser of ``scipy.optimize`` solved? That the gradient is zero there.

On a bound the equation of a coordinate is that it equals the bound. With sums of squares the gradient is that
of the sum, with the loss that was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...eager.numpy_protocol import run
from ...eager.state import state
from ...eager.tensor import Tensor
from ...eager.views import edge_of
from .functions import UNTRUSTED, Call, bare, rest_unknown, standing_for, traced_array, without_derivative
from .implicit import Solution, edges_out
from .roots import first_of, real
from .tried_points import kink

Bound = tuple[Any, Any]
INFO = "what `{}` tells beside its solution"


class Minimum:
    """A minimum that a solver found: ``value`` is where, ``cost`` how small, ``slope`` the gradient there.

    Args:
        call: the solver's.
        x: where.
        function: of which, of ``x`` alone.
        bounds: what each coordinate may be, or None.
    """

    def __init__(
        self,
        call: Call,
        x: Any,
        function: Callable[[Any], Any],
        bounds: Bound | None = None,
        converged: bool = True,
        message: Any = "",
    ) -> None:
        self.call, self.x, self.bounds = call, real(call, x), bounds
        self.value, self.cost, self.slope = self.x, None, None
        if state.grad:
            self.record(function, bool(converged), str(message))

    def record(self, function: Callable[[Any], Any], converged: bool, message: str) -> None:
        solution = Solution(self.x, least=True)
        cost = self.cost = function(solution.point)
        slope = self.slope = solution.gradient(cost)
        flat = run(np.reshape, (slope, (solution.size,)), {})
        held = self.on_bounds(flat, solution)
        solution.close(flat if held is None else held)
        self.value = solution.value
        root = edge_of(flat)
        varies = bool(root[0] and edges_out(root, solution.node._number, solution.alias))
        if held is not None and varies:
            size = np.max(np.abs(solution.residual), initial=0.0)
            self.call.warn(
                f"the minimum is on a bound in {self.touching} of {solution.size} coordinates (the residual "
                f"of the others is {size:.3g}): these move with it, and the derivative is one-sided"
            )
        solution.least_told = float(np.finfo(float).eps * np.abs(np.sum(bare(cost))))
        if solution.node._live and self.call.trust(solution, converged, message) and held is None:
            self.tell_kink(solution, flat)
        self.call.found(self.value)

    def tell_kink(self, solution: Solution, slope: Any) -> None:
        """Warn if the function is not smooth here, as far as the solver has seen it."""
        cost = float(np.reshape(bare(self.cost), ()))
        if seen := kink(self.call.tried, self.x, cost, bare(slope), solution.linear.matrix):
            self.call.warn(
                f"the function that is least seems to have a kink there: close by it changed by {seen}. "
                f"{UNTRUSTED}"
            )

    def on_bounds(self, slope: Any, solution: Solution) -> Any:
        """The equations with those of the coordinates on a bound, or None where there are none."""
        if self.bounds is None:
            return None
        x = np.reshape(solution.x, solution.size)
        rows, self.touching = [], 0
        lows, highs = self.bounds
        for i in range(solution.size):
            side = next(
                (b for b, s in ((lows[i], 1), (highs[i], -1)) if touches(x[i], b, s, slope._array[i])), None
            )
            self.touching += side is not None
            flat = run(np.reshape, (solution.point, (solution.size,)), {})
            rows.append(slope[i] if side is None else flat[i] - side)
        return run(np.stack, (rows,), {}) if self.touching else None


def touches(x: float, bound: Any, side: int, slope: float) -> bool:
    """Whether a coordinate is at a bound, and would go on if there were none."""
    at = bare(bound)
    if at is None or not np.isfinite(at):
        return False
    return bool(abs(x - at) <= 1e-8 * (1.0 + abs(at)) or (abs(x - at) <= 1e-4 and side * slope > 1e-3))


def bounds_of(given: Any, size: int) -> Bound | None:
    """The lower and the upper bounds of each coordinate, from a pair for each."""
    if given is None or hasattr(given, "lb"):
        return sides_of(given, size)
    return [pair[0] for pair in given], [pair[1] for pair in given]


def sides_of(given: Any, size: int) -> Bound | None:
    """The same, from a pair of all lower and all upper ones."""
    if given is None:
        return None
    lows, highs = (given.lb, given.ub) if hasattr(given, "lb") else given
    return spread(lows, size), spread(highs, size)


def spread(bound: Any, size: int) -> Any:
    """One bound for each coordinate."""
    every = [b for b in bound] if np.ndim(bare(bound)) else [bound]
    return every * size if len(every) == 1 else every


# ----- minimisers
def minimize(call: Call) -> Any:
    """``minimize`` and the searches for a global minimum, which return an ``OptimizeResult``."""
    local = bare_keys(call.options.get("minimizer_kwargs"))  # of shgo
    refuse_constraints(call, local)
    name = next(iter(call.options))
    found = call.solve(name)
    function = call.options[name]
    if call.options.get("jac") is True:
        function = first_of(function)
    bounds = bounds_of(call.options.get("bounds"), np.size(found.x))
    return result(call, found, with_args(call, function), bounds)


def refuse_constraints(call: Call, *more: dict[str, Any]) -> None:
    """``more``: options of the minimiser that the solver uses on its way."""
    given = [options.get("constraints") for options in (call.options, *more)]
    if not all(one is None or (isinstance(one, (tuple, list)) and not one) for one in given):
        raise call.refuse(
            "with constraints",
            "the derivative of a minimum is that of the equation that the gradient is zero",
            "put the constraints into the function, or solve the equations with fsolve",
        )


def basinhopping(call: Call) -> Any:
    options = bare_keys(call.options.get("minimizer_kwargs"))
    refuse_constraints(call, options)
    found = call.solve("func")
    args = options.get("args", ())
    args = args if isinstance(args, tuple) else (args,)
    function = call.options["func"]
    if options.get("jac") is True:
        function = first_of(function)
    bounds = bounds_of(options.get("bounds"), np.size(found.x))
    return result(call, found, lambda x: function(x, *args), bounds)


def bare_keys(value: Any) -> dict[str, Any]:
    return {} if value is None else value


def minimize_scalar(call: Call) -> Any:
    bounds = call.options["bounds"]
    found = call.solve("fun")
    sides = None if bounds is None else ([bounds[0]], [bounds[1]])
    return result(call, found, with_args(call, call.options["fun"]), sides)


def result(call: Call, found: Any, function: Callable[[Any], Any], bounds: Bound | None) -> Any:
    """An ``OptimizeResult`` with derivatives."""
    minimum = Minimum(call, found.x, function, bounds, found.get("success", True), found.get("message", ""))
    fields = {"x": minimum.value}
    if minimum.cost is not None:
        fields["fun"] = standing_for(found.fun, minimum.cost)
        if "jac" in found and np.shape(found.jac) == np.shape(found.x):
            fields["jac"] = standing_for(found.jac, minimum.slope)
    return rest_unknown(call, found, fields)


def first_places(call: Call) -> Any:
    """``fmin``, ``fmin_bfgs``, ``brent`` and their like: where the minimum is, or a tuple with it."""
    refuse_constraints_of_slsqp(call)
    name = next(iter(call.options))
    found = call.solve(name)
    several = bool(call.options.get("full_output")) or call.name in ("fmin_l_bfgs_b", "fmin_tnc")
    several = several or bool(call.options.get("retall"))
    x = found[0] if several else found
    function, full = call.options[name], bool(call.options.get("full_output"))
    if call.name in ("fmin_l_bfgs_b", "fmin_tnc") and not call.options["approx_grad"]:
        function = first_of(function) if call.options["fprime"] is None else function
    if call.name == "fminbound":
        bounds: Bound | None = ([call.options["x1"]], [call.options["x2"]])
    else:
        bounds = bounds_of(call.options.get("bounds") or None, np.size(x))
    minimum = Minimum(call, x, with_args(call, function), bounds, converged(call, found, full))
    if not several:
        return minimum.value
    rest = [without_derivative(call, part, f"a result of `{call.name}`") for part in found[1:]]
    if (full or call.name == "fmin_l_bfgs_b") and minimum.cost is not None and call.name != "fmin_tnc":
        rest[0] = standing_for(found[1], minimum.cost)
    return (minimum.value, *rest)


def refuse_constraints_of_slsqp(call: Call) -> None:
    named = ("eqcons", "f_eqcons", "ieqcons", "f_ieqcons")
    if any(call.options.get(name) for name in named):
        call.options["constraints"] = True
        refuse_constraints(call)


def converged(call: Call, found: Any, full: bool) -> bool:
    """Whether the solver says that it has converged, where it says that at all."""
    if call.name == "fmin_l_bfgs_b":
        return bool(found[2]["warnflag"] == 0)
    places = {
        "fmin": 4,
        "fmin_bfgs": 6,
        "fmin_cg": 4,
        "fmin_powell": 5,
        "fmin_ncg": 5,
        "fmin_slsqp": 3,
        "fminbound": 2,
    }
    place = places.get(call.name)
    return not full or place is None or found[place] == 0


def with_args(call: Call, function: Callable[..., Any]) -> Callable[[Any], Any]:
    args = call.args()
    return lambda x: function(x, *args)


# ----- sums of squares
def least_squares(call: Call) -> Any:
    found = call.solve()
    function, args, kwargs = call.options["fun"], call.args(), call.options["kwargs"] or {}
    loss, scale = call.options["loss"], call.options["f_scale"]
    if callable(loss):
        raise call.refuse(
            "with a loss of one's own", "it is called with arrays only", "use one that has a name"
        )
    residuals: list[Any] = []

    def cost(x: Any) -> Any:
        residuals.append(traced_array(function(x, *args, **kwargs)))
        return 0.5 * scale**2 * run(np.sum, (rho(loss, (residuals[-1] / scale) ** 2),), {})

    bounds = sides_of(call.options["bounds"], np.size(found.x))
    minimum = Minimum(call, found.x, cost, bounds, found.success, found.message)
    if minimum.cost is None:
        return found
    fields = {
        "x": minimum.value,
        "cost": standing_for(found.cost, minimum.cost),
        "fun": standing_for(found.fun, residuals[0]),
        "grad": standing_for(found.grad, minimum.slope),
    }
    return rest_unknown(call, found, fields)


def rho(loss: str, z: Any) -> Any:
    """The losses of SciPy's: functions of squares."""
    if loss == "linear":
        return z
    if loss == "soft_l1":
        return 2.0 * (run(np.sqrt, (1.0 + z,), {}) - 1.0)
    if loss == "cauchy":
        return run(np.log1p, (z,), {})
    if loss == "arctan":
        return run(np.arctan, (z,), {})
    small = plain_mask(z)
    inside = run(np.where, (small, z, 1.0), {})
    outside = run(np.where, (small, 1.0, z), {})
    return run(np.where, (small, inside, 2.0 * run(np.sqrt, (outside,), {}) - 1.0), {})


def plain_mask(z: Any) -> Any:
    return (z._array if isinstance(z, Tensor) else z) <= 1.0


def leastsq(call: Call) -> Any:
    full = call.options["full_output"]
    found = call.solve()
    function = call.options["func"]

    def cost(x: Any) -> Any:
        residuals = traced_array(function(x, *call.args()))
        return 0.5 * run(np.sum, (residuals**2,), {})

    code = found[-1]
    minimum = Minimum(call, found[0], cost, None, code in (1, 2, 3, 4), found[3] if full else "")
    if not full:
        return minimum.value, code
    covariance = without_derivative(call, found[1], f"the covariance of `{call.name}`")
    return minimum.value, covariance, without_derivative(call, found[2], INFO.format(call.name)), *found[3:]


def curve_fit(call: Call) -> Any:
    found = call.solve()
    o = call.options
    if o.get("nan_policy") == "omit" or o.get("kwargs", {}).get("loss", "linear") != "linear":
        raise call.refuse("with these options", "the sum that is least is another one", "use least_squares")
    function, data, observed, sigma = o["f"], o["xdata"], traced_array(o["ydata"]), o["sigma"]
    data = traced_array(data) if isinstance(data, (list, tuple)) else data

    def cost(x: Any) -> Any:
        parts = run(np.ravel, (traced_array(function(data, *x)) - observed,), {})
        if sigma is not None:
            parts = whitened(call, parts, traced_array(sigma))
        return 0.5 * run(np.sum, (parts**2,), {})

    minimum = Minimum(call, found[0], cost, sides_of(o["bounds"], np.size(found[0])))
    covariance = without_derivative(call, found[1], f"the covariance of `{call.name}`")
    return minimum.value, covariance, *without_derivative(call, found[2:], INFO.format(call.name))


def whitened(call: Call, parts: Any, sigma: Any) -> Any:
    """The differences by their uncertainty; by the square root of their covariance, where that is given."""
    if np.ndim(sigma) < 2:
        return parts / sigma
    factor = run(np.linalg.cholesky, (sigma,), {})
    return run(np.linalg.solve, (factor, parts), {})
