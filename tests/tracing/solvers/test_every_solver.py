"""Is the derivative right through each solver and method, and is it told where it did not converge?

All of a kind solve one equation, whose solution is known by other means: of the minimum, by linear algebra;
of the root of several numbers, by the formula of its derivative; of one number, in closed form.
"""

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so

import ast_ad
from ast_ad import grad, hessian, jvp
from ast_ad.tracing.solvers.table import HANDLERS

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::RuntimeWarning")
X = np.array([0.3, 0.7])
START = np.array([0.1, 0.2])
BOX = [(-2.0, 2.0)] * 2
TRIED = set()


def cases(table):
    TRIED.update(name.partition(" ")[0] for name in table)
    return pytest.mark.parametrize("f", [pytest.param(f, id=name) for name, f in table.items()])


def first(t):
    """Of the two numbers of a solution."""
    return 3 * t[0] + t[1] ** 2


# ----- a minimum of two numbers
def hess(t, x):
    return np.array([[1 + x[0], 0.3 * x[0]], [0.3 * x[0], 2 + x[1]]])


def right(x):
    return np.array([x[1], 2 * x[0]])


def cost(t, x):
    return 0.5 * t @ hess(t, x) @ t - right(x) @ t


def slope(t, x):
    return hess(t, x) @ t - right(x)


def both(t, x):
    return cost(t, x), slope(t, x)


def minimum(x):
    return first(np.linalg.solve(hess(None, x), right(x)))


def given(x, **options):
    return {"minimizer_kwargs": {"args": (x,), **options}, "niter": 3, "seed": 1}


GLOBAL = {
    "differential_evolution": lambda x: so.differential_evolution(cost, BOX, args=(x,), seed=1).x,
    "differential_evolution unpolished": lambda x: (
        so.differential_evolution(cost, BOX, args=(x,), seed=1, polish=False, tol=1e-12, atol=1e-14).x
    ),
    "dual_annealing": lambda x: so.dual_annealing(cost, BOX, args=(x,), seed=1, maxiter=30).x,
    "shgo": lambda x: so.shgo(cost, BOX, args=(x,)).x,
    "shgo sobol": lambda x: so.shgo(cost, BOX, args=(x,), n=32, sampling_method="sobol").x,
    "direct": lambda x: so.direct(cost, BOX, args=(x,), maxfun=4000, len_tol=1e-4).x,
    "basinhopping": lambda x: so.basinhopping(cost, START, **given(x)).x,
    "basinhopping jac": lambda x: so.basinhopping(both, START, **given(x, jac=True, method="BFGS")).x,
    "basinhopping bounds": lambda x: so.basinhopping(cost, START, **given(x, jac=slope, bounds=BOX)).x,
    "brute": lambda x: so.brute(cost, BOX, args=(x,)),
    "brute finish": lambda x: so.brute(cost, BOX, args=(x,), finish=so.fmin_bfgs),
    "brute slices": lambda x: so.brute(cost, (slice(-2, 2, 0.25),) * 2, args=(x,), full_output=True)[0],
}
OF_SCIPY = {
    "fmin": lambda x: so.fmin(cost, START, args=(x,), disp=0),
    "fmin full": lambda x: so.fmin(cost, START, args=(x,), disp=0, full_output=True)[0],
    "fmin_bfgs": lambda x: so.fmin_bfgs(cost, START, args=(x,), disp=0),
    "fmin_bfgs full": lambda x: so.fmin_bfgs(cost, START, slope, (x,), disp=0, full_output=True)[0],
    "fmin_cg": lambda x: so.fmin_cg(cost, START, args=(x,), disp=0),
    "fmin_cg full": lambda x: so.fmin_cg(cost, START, slope, (x,), disp=0, full_output=True)[0],
    "fmin_powell": lambda x: so.fmin_powell(cost, START, args=(x,), disp=0),
    "fmin_powell full": lambda x: so.fmin_powell(cost, START, args=(x,), disp=0, full_output=True)[0],
    "fmin_l_bfgs_b": lambda x: so.fmin_l_bfgs_b(cost, START, args=(x,), approx_grad=True)[0],
    "fmin_l_bfgs_b both": lambda x: so.fmin_l_bfgs_b(both, START, args=(x,), bounds=BOX)[0],
    "fmin_tnc": lambda x: so.fmin_tnc(cost, START, slope, args=(x,), disp=0)[0],
    "fmin_tnc both": lambda x: so.fmin_tnc(both, START, args=(x,), disp=0, bounds=BOX)[0],
    "fmin_ncg": lambda x: so.fmin_ncg(cost, START, slope, args=(x,), disp=0),
    "fmin_ncg full": lambda x: so.fmin_ncg(cost, START, slope, args=(x,), disp=0, full_output=True)[0],
    "fmin_slsqp": lambda x: so.fmin_slsqp(cost, START, args=(x,), iprint=0, acc=1e-12),
    "fmin_slsqp full": lambda x: so.fmin_slsqp(cost, START, args=(x,), iprint=0, acc=1e-12, full_output=True)[
        0
    ],
}
BY_SECOND = "dogleg trust-ncg trust-exact trust-krylov Newton-CG trust-constr".split()
METHODS = "Nelder-Mead Powell CG BFGS L-BFGS-B TNC COBYLA SLSQP".split() + BY_SECOND
MINIMIZE = {
    f"minimize {m}": lambda x, m=m: (
        so.minimize(
            cost, START, (x,), m, tol=1e-7, **({"jac": slope, "hess": hess} if m in BY_SECOND else {})
        ).x
    )
    for m in METHODS
}


@pytest.mark.drawn(of=10)
@cases(GLOBAL | OF_SCIPY | MINIMIZE)
def test_minima(f):
    """The derivative is that at a point as near to the minimum as the solver's tolerance."""
    found, expected = grad(lambda x: first(f(x)), check=False)(X.copy()), grad(minimum)(X)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-4)


# ----- roots of two numbers
def equations(t, x):
    return right(x) * x[0] - t - 0.1 * t**3 - 0.2 * t[::-1]


def by_formula(x):
    """The derivative of ``first`` of the root."""
    t = so.fsolve(equations, START, (x,), xtol=1e-14)
    jac = np.diag(1 + 0.3 * t**2) + 0.2 * np.eye(2)[::-1]
    of_right = np.array([[x[1], x[0]], [4 * x[0], 0.0]])
    return np.array([3, 2 * t[1]]) @ np.linalg.solve(jac, of_right)


def nonlinear(name, **options):
    return lambda x: getattr(so, name)(lambda t: equations(t, x), START, f_tol=1e-10, **options)


def by_root(method, **options):
    return lambda x: so.root(equations, START, (x,), method, tol=1e-10, options=options).x


MIXING = {"linearmixing": 0.5, "excitingmixing": 0.5}
NAMES = "broyden1 broyden2 anderson linearmixing diagbroyden excitingmixing".split()
ROOTS = {
    **{n: nonlinear(n, **({"alpha": MIXING[n]} if n in MIXING else {})) for n in NAMES},
    "newton_krylov": nonlinear("newton_krylov"),
    **{
        f"root {n}": by_root(n, **({"jac_options": {"alpha": MIXING[n]}} if n in MIXING else {}))
        for n in NAMES
    },
    **{f"root {n}": by_root(n) for n in ("hybr", "lm", "krylov", "df-sane")},
    "root jac": lambda x: (
        so.root(
            lambda t: (equations(t, x), -np.diag(1 + 0.3 * t**2) - 0.2 * np.eye(2)[::-1]), START, jac=True
        ).x
    ),
    "fsolve": lambda x: so.fsolve(equations, START, (x,)),
    "fsolve full": lambda x: so.fsolve(equations, START, (x,), full_output=True)[0],
}


@pytest.mark.drawn(of=18)
@cases(ROOTS)
def test_roots(f):
    found = grad(lambda x: first(f(x)), check=False)(X.copy())
    np.testing.assert_allclose(found, by_formula(X), rtol=1e-7)


# ----- of one number
def law(t, a):
    return t**3 + t - a


def law_slope(t, a):
    return 3 * t**2 + 1


def with_slope(t, a):
    return law(t, a), law_slope(t, a)


def with_both(t, a):
    return law(t, a), law_slope(t, a), 6 * t


def scalar(method=None, function=law, **options):
    return lambda x: so.root_scalar(function, (x[0] * x[1],), method, xtol=1e-14, rtol=1e-14, **options).root


BRACKETS = "bisect brentq brenth ridder toms748".split()
START_OF = {
    "newton": {"x0": 1.0, "fprime": law_slope},
    "secant": {"x0": 1.0, "x1": 1.2},
    "halley": {"x0": 1.0, "fprime": law_slope, "fprime2": lambda t, a: 6 * t},
}
SCALARS = {
    **{f"root_scalar {m}": scalar(m, bracket=(-3, 3)) for m in BRACKETS},
    **{f"root_scalar {m}": scalar(m, **options) for m, options in START_OF.items()},
    "root_scalar x0": scalar(x0=1.0),
    "root_scalar slope": scalar("newton", with_slope, x0=1.0, fprime=True),
    "root_scalar both": scalar("halley", with_both, x0=1.0, fprime=True, fprime2=True),
    **{m: lambda x, m=m: getattr(so, m)(law, -3, 3, (x[0] * x[1],), xtol=1e-14) for m in BRACKETS},
    "newton": lambda x: so.newton(law, 1.0, args=(x[0] * x[1],), tol=1e-13),
    "newton slope": lambda x: so.newton(law, 1.0, law_slope, (x[0] * x[1],), full_output=True)[0],
    "newton array": lambda x: so.newton(law, np.ones(2), args=(x[0] * x[1],), tol=1e-13)[1],
    "fixed_point": lambda x: so.fixed_point(lambda t, a: t - law(t, a) / 3, 0.3, (x[0] * x[1],), 1e-13),
}


@pytest.mark.drawn(of=20)
@cases(SCALARS)
def test_roots_of_one_number(f):
    t = np.roots([1, 0, 1, -X[0] * X[1]])
    t = t[np.isreal(t)].real[0]
    first_ = X[::-1] / (3 * t**2 + 1)
    np.testing.assert_allclose(grad(f, check=False)(X.copy()), first_, rtol=1e-9)
    second = np.eye(2)[::-1] / (3 * t**2 + 1) - 6 * t * np.outer(first_, first_) / (3 * t**2 + 1)
    np.testing.assert_allclose(hessian(f, check=False)(X.copy()), second, rtol=1e-8, atol=1e-10)


def bowl(t, a):
    return np.cosh(t - a) + 0.1 * t


VALLEYS = {
    **{
        f"minimize_scalar {m}": lambda x, m=m: so.minimize_scalar(bowl, None, None, (x[0] * x[1],), m).x
        for m in ("brent", "golden")
    },
    "minimize_scalar bounded": lambda x: so.minimize_scalar(bowl, None, (-3, 3), (x[0] * x[1],)).x,
    "minimize_scalar bracket": lambda x: so.minimize_scalar(bowl, (-3, 3), args=(x[0] * x[1],)).x,
    "brent": lambda x: so.brent(bowl, (x[0] * x[1],)),
    "brent full": lambda x: so.brent(bowl, (x[0] * x[1],), full_output=True)[0],
    "golden": lambda x: so.golden(bowl, (x[0] * x[1],)),
    "golden full": lambda x: so.golden(bowl, (x[0] * x[1],), full_output=True)[0],
    "fminbound": lambda x: so.fminbound(bowl, -3, 3, (x[0] * x[1],)),
    "fminbound full": lambda x: so.fminbound(bowl, -3, 3, (x[0] * x[1],), full_output=True)[0],
    "brute one": lambda x: so.brute(lambda t, a: bowl(t[0], a), [(-3, 3)], (x[0] * x[1],))[0],
}


@cases(VALLEYS)
def test_minima_of_one_number(f):
    """The minimum is at ``x[0] * x[1]`` and a constant."""
    np.testing.assert_allclose(grad(f, check=False)(X.copy()), X[::-1], rtol=1e-5)
    _, tangent = jvp(f, (X.copy(),), (np.array([1.0, 2.0]),))
    np.testing.assert_allclose(tangent, X[1] + 2 * X[0], rtol=1e-5)


# ----- an integral
def test_tplquad():
    def f(x):
        return si.tplquad(
            lambda z, y, t, a: a * z * y * t,
            0,
            x[0],
            lambda t: 0.0,
            lambda t: x[1] * t,
            0,
            lambda t, y: x[1],
            (x[0],),
        )[0]

    def formula(x):  # the integral over z, y, t
        return x[0] * (x[1] ** 2 / 2) * (x[1] ** 2 / 2) * x[0] ** 4 / 4

    np.testing.assert_allclose(f(X), formula(X), rtol=1e-10)
    np.testing.assert_allclose(grad(f, check=False)(X.copy()), grad(formula)(X), rtol=1e-7)
    TRIED.add("tplquad")


# ----- what is told beside the solution, and has a derivative
FULL = {
    "differential_evolution": lambda x: so.differential_evolution(cost, BOX, args=(x,), seed=1).fun,
    "dual_annealing": lambda x: so.dual_annealing(cost, BOX, args=(x,), seed=1, maxiter=30).fun,
    "shgo": lambda x: so.shgo(cost, BOX, args=(x,)).fun,
    "basinhopping": lambda x: so.basinhopping(cost, START, **given(x)).fun,
    "brute": lambda x: so.brute(cost, BOX, args=(x,), full_output=True)[1],
    "fmin": lambda x: so.fmin(cost, START, args=(x,), disp=0, full_output=True)[1],
    "fmin retall": lambda x: so.fmin(cost, START, (x,), disp=0, full_output=True, retall=True)[1],
    "fmin_bfgs": lambda x: so.fmin_bfgs(cost, START, args=(x,), disp=0, full_output=True)[1],
    "fmin_cg": lambda x: so.fmin_cg(cost, START, args=(x,), disp=0, full_output=True)[1],
    "fmin_powell": lambda x: so.fmin_powell(cost, START, args=(x,), disp=0, full_output=True)[1],
    "fmin_ncg": lambda x: so.fmin_ncg(cost, START, slope, args=(x,), disp=0, full_output=True)[1],
    "fmin_slsqp": lambda x: so.fmin_slsqp(cost, START, args=(x,), iprint=0, full_output=True)[1],
    "fmin_l_bfgs_b": lambda x: so.fmin_l_bfgs_b(cost, START, slope, args=(x,))[1],
    "minimize": lambda x: so.minimize(cost, START, (x,)).fun,
    "brent": lambda x: so.brent(lambda t: cost(np.array([t, t * 0 + 0.25]), x), full_output=True)[1],
    "fminbound": lambda x: so.fminbound(
        lambda t: cost(np.array([t, t * 0 + 0.25]), x), -3, 3, full_output=True
    )[1],
}


@pytest.mark.drawn(of=2)
@cases(FULL)
def test_least_values(f):
    """That of the least value is that of the function by what else it reads, at the minimum."""
    t = np.linalg.solve(hess(None, X), right(X))
    if "fminbound" in f.__code__.co_names or "brent" in f.__code__.co_names:
        t = np.array([(X[1] - 0.3 * X[0] * 0.25) / (1 + X[0]), 0.25])
    np.testing.assert_allclose(grad(f, check=False)(X.copy()), grad(lambda x: cost(t, x))(X), atol=2e-4)


def test_what_else_is_told():
    def of_root(x):
        found = so.root(equations, START, (x,))
        return found.fun @ found.fun + first(found.x)

    np.testing.assert_allclose(grad(of_root, check=False)(X.copy()), by_formula(X), rtol=1e-7)

    def of_fsolve(x):
        t, told, _, _ = so.fsolve(equations, START, (x,), full_output=True)
        return told["fvec"] @ told["fvec"] + first(t) * (told["nfev"] > 0)

    np.testing.assert_allclose(grad(of_fsolve, check=False)(X.copy()), by_formula(X), rtol=1e-7)

    def of_squares(x):
        found = so.least_squares(lambda t: [t[0] - x[0], t[0] - x[1], t[1] - 1.0], START)
        return found.cost + 3 * found.fun[0]

    far = X[1] - X[0]  # t[0] is the mean
    np.testing.assert_allclose(
        grad(of_squares, check=False)(X.copy()), [-far / 2 - 1.5, far / 2 + 1.5], rtol=1e-6
    )

    def of_leastsq(x):
        t, _, told, _, code = so.leastsq(
            lambda t: [t[0] - x[0], t[0] - x[1], t[1] - 1.0], START, full_output=True
        )
        return t[0] * (told["nfev"] > 0) + 0.0 * code

    np.testing.assert_allclose(grad(of_leastsq, check=False)(X.copy()), [0.5, 0.5], rtol=1e-9)


# ----- where they did not converge
EARLY = {
    "differential_evolution": lambda x: (
        so.differential_evolution(cost, BOX, args=(x,), seed=1, maxiter=1, polish=False).x
    ),
    "direct": lambda x: so.direct(cost, BOX, args=(x,), maxiter=3).x,
    "brute": lambda x: so.brute(cost, BOX, args=(x,), Ns=6, finish=None),
    "basinhopping": lambda x: so.basinhopping(cost, START, **given(x, options={"maxiter": 1}, method="CG")).x,
    "dual_annealing": lambda x: (
        so.dual_annealing(cost, BOX, args=(x,), seed=1, maxiter=1, no_local_search=True).x
    ),
    "fmin": lambda x: so.fmin(cost, START, args=(x,), disp=0, maxiter=2),
    "fmin full": lambda x: so.fmin(cost, START, args=(x,), disp=0, maxiter=2, full_output=True)[0],
    "fmin_bfgs": lambda x: so.fmin_bfgs(cost, START, args=(x,), disp=0, maxiter=1),
    "fmin_bfgs full": lambda x: so.fmin_bfgs(cost, START, args=(x,), disp=0, maxiter=1, full_output=True)[0],
    "fmin_cg": lambda x: so.fmin_cg(cost, START, args=(x,), disp=0, maxiter=1),
    "fmin_cg full": lambda x: so.fmin_cg(cost, START, args=(x,), disp=0, maxiter=1, full_output=True)[0],
    "fmin_powell": lambda x: so.fmin_powell(cost, START, args=(x,), disp=0, maxfun=4),
    "fmin_powell full": lambda x: so.fmin_powell(cost, START, (x,), disp=0, maxfun=4, full_output=True)[0],
    "fmin_l_bfgs_b": lambda x: so.fmin_l_bfgs_b(cost, START, slope, args=(x,), maxiter=1)[0],
    "fmin_tnc": lambda x: so.fmin_tnc(cost, START, slope, args=(x,), disp=0, maxfun=2)[0],
    "fmin_ncg": lambda x: so.fmin_ncg(steep, START, steep_slope, args=(x,), disp=0, maxiter=1),
    "fmin_slsqp": lambda x: so.fmin_slsqp(cost, START, args=(x,), iprint=0, iter=1),
    "fmin_slsqp full": lambda x: so.fmin_slsqp(cost, START, (), None, (), args=(x,), iprint=0, iter=1)[0:2],
    "root broyden1": by_root("broyden1", maxiter=1),
    "root krylov": by_root("krylov", maxiter=0),
    "root df-sane": by_root("df-sane", maxfev=1),
    "root lm": by_root("lm", maxiter=2),
    "fsolve": lambda x: so.fsolve(equations, START, (x,), maxfev=2),
    "broyden1": lambda x: so.broyden1(lambda t: equations(t, x), START, f_tol=0.1),
    "newton_krylov": lambda x: so.newton_krylov(lambda t: equations(t, x), START + 5, f_tol=99.0),
    "root_scalar": lambda x: [so.root_scalar(law, (x[0],), "brentq", (-3, 3), maxiter=2).root] * 2,
    "root_scalar secant": lambda x: [so.root_scalar(law, (x[0],), x0=9.0, maxiter=2).root] * 2,
    "newton": lambda x: [so.newton(law, 9.0, args=(x[0],), maxiter=2, disp=False)] * 2,
    "newton array": lambda x: so.newton(law, np.array([0.28, 9.0]), args=(x[0],), maxiter=3),
    "newton array full": lambda x: so.newton(
        law, np.array([0.28, 9.0]), args=(x[0],), maxiter=3, full_output=True
    )[0],
    "fixed_point": lambda x: [so.fixed_point(lambda t: t - law(t, x[0]) / 3, 5.0, xtol=99.0)] * 2,
    "brent": lambda x: [so.brent(bowl, (x[0],), tol=0.5, maxiter=1)] * 2,
    "golden": lambda x: [so.golden(bowl, (x[0],), maxiter=1)] * 2,
    "fminbound": lambda x: [so.fminbound(bowl, -3, 3, (x[0],), maxfun=3)] * 2,
    "fminbound full": lambda x: [so.fminbound(bowl, -3, 3, (x[0],), maxfun=3, full_output=True)[0]] * 2,
    "minimize_scalar": lambda x: (
        [so.minimize_scalar(bowl, None, (-3, 3), (x[0],), options={"maxiter": 2}).x] * 2
    ),
    "leastsq": lambda x: so.leastsq(lambda t: equations(t, x), START, maxfev=2)[0],
    "least_squares": lambda x: so.least_squares(lambda t: equations(t, x), START, max_nfev=1).x,
}


def steep(t, x):
    return np.sum(np.cosh(4 * (t - x)))


def steep_slope(t, x):
    return 4 * np.sinh(4 * (t - x))


@pytest.mark.drawn(of=10)
@pytest.mark.filterwarnings("ignore::scipy.optimize.OptimizeWarning")
@cases(EARLY)
def test_not_converged(f):
    with pytest.warns(ast_ad.SolutionWarning, match="can't be trusted"):
        grad(lambda x: first(f(x)), check=False)(X.copy())


def test_all_are_tried():
    """Those that are missing here are in the programs that are compared with differences."""
    assert {*HANDLERS} - TRIED <= {"quad", "quad_vec", "solve_ivp", "odeint", "curve_fit"}
