"""Where the backward pass is on its own: zero cotangents, infinite derivatives, one element, constants."""

from __future__ import annotations

from ..author import Author
from .registry import form, production


@form("float")
def nothing_left(a: Author, depth: int) -> str:
    """What cancels, or is multiplied by zero."""
    v, f = a.vector(None, 1), a.float(depth - 1)
    ways = [
        "np.sum({v} - {v})",
        "({f} - {f})",
        "np.sum({v} * 0.0)",
        "(0 * {f})",
        "np.sum(({v} - {v}) @ np.ones(({v}).shape[-1]))",
        "np.sum(({v} - {v}).reshape(-1))",
        "({f} ** 0)",
        "np.sum(np.zeros_like({v}) * {f})",
        "np.sum(np.floor({v}))",
        "np.sum({v} > {f})",
        "np.sum(np.sign({v}) * {f})",
        "np.mean(({v} - {v})[0])",
        "({f} * 0.0 + 1.0)",
        "float(len({v}))",
        "np.sum(({v}) ** 0)",
        "np.sum(np.round({v}))",
        "np.ones_like({v}).sum()",
    ]
    return a.pick(ways).format(v=v, f=f)


@form("array")
def array_of_nothing(a: Author, seen: object, depth: int) -> str:
    v = a.vector(seen, depth - 1)  # type: ignore[arg-type]
    return a.pick(
        [
            "({v} - {v})",
            "({v} * 0)",
            "(0.0 * {v} + {f})",
            "np.zeros_like({v})",
            "({v} ** 0)",
            "np.where({v} > 9.0, {v}, 0.0)",
            "({v} * (np.floor({f}) * 0))",
            "np.where({v} > -9.0, {v}, np.inf)",
        ]
    ).format(v=v, f=a.float(0))


@production(1.7, simple=True)
def infinite_branch(a: Author) -> None:
    """where() with a branch whose derivative is infinite or nan and which is not taken."""
    v, s, r = a.vector(None, 1), a.float(1), a.fresh("a r b")
    ways = [
        "{r} = np.sum(np.where({v} < 50, np.exp(np.where({v} < 50, {v} * 0.1, {v})), {v}))",
        "{r} = np.sum(np.where({v} < 50, {v}, np.exp({v} * 1000.0)))",
        "{r} = np.sum(np.where({v} > 0, np.sqrt({v}), 0.0))",
        "{r} = np.sum(np.where({v} > 0, np.log({v}), {v}))",
        "{r} = np.where({s} > -9, {s} * 2, -np.inf * {s})",
        "{r} = np.sum(np.where({v} != 0, np.sin({v}) / {v}, 1.0))",
        "{r} = np.sum(np.where({v} > 9, np.sinh({v} * 400), {v} * {s}))",
        "{r} = np.sum(np.where({v} > 9, 1.0 / ({v} - {v}), {v}))",
        "{r} = np.where({s} > 9.0, {s} / 0.0, {s})",
        "{r} = np.sum(np.where({v} > 9, ({v} - {v}) ** -1, {s}))",
        "{r} = np.where({s} < 100, {s}, np.exp({s} * 800 + 800))",
        "{r} = np.sum(np.where(np.abs({v}) > 9, np.arccosh({v}), {v}))",
        "{r} = np.sum(np.where({v} > 9, np.arcsin({v} * 9), {v}))",
        "{r} = np.sum(np.where(np.isinf({v} * np.inf), {v}, {s}))",
        "{r} = np.sum(np.where({v} > 9e9, ({v} - {v}) ** 0.5, {v}))",
        "{r} = np.sum(np.where({v} > 9, np.tan(np.inf * {v}), {v}))",
        "{r} = np.sum(np.where({v} < 9, {v}, {v} * np.inf))",
        "{r} = np.where({s} > -50, {s}, np.log({s} - {s}))",
        "{r} = np.sum(np.where({v} > 9, np.cosh({v} * 900), {v} ** 2))",
    ]
    a.line(a.pick(ways).format(v=v, s=s, r=r))


@production(1.6, simple=True)
def zero_cotangent(a: Author) -> None:
    """A zero cotangent meets a product, a shape or a reduction."""
    seen, r, w = a.array(), a.fresh("a r b"), a.fresh("w o q")
    ways = [
        "{w} = {v} - {v}\n{r} = np.sum({w} @ np.ones({w}.shape[-1]))",
        "{w} = ({v} * {f}).reshape(-1)\n{r} = np.sum({w} - {w})",
        "{w} = {v} * {f}\n{r} = np.sum({w}[0] * 0)",
        "{w} = np.tanh({v})\n{r} = np.sum(({w} - {w}) * {w})",
        "{w} = np.outer({v}, {v})\n{r} = np.sum({w} - {w}.T)",
        "{w} = {v} * {f}\n{r} = np.sum(np.floor({w})) + {f}",
        "{w} = np.cumsum({v})\n{r} = np.sum({w} - {w})",
        "{w} = {v}.copy()\n{w}[...] = 0.0\n{r} = np.sum({w} * {f})",
        "{w} = {v} * {f}\n{w} -= {w}\n{r} = np.sum({w})",
        "{w} = {v}.copy()\n{w} *= 0\n{r} = np.sum({w} + {f})",
        "{w} = np.sum({v}) - np.sum({v})\n{r} = {w} * {f}",
        "{w} = np.stack([{v}, {v}])\n{r} = np.sum({w}[0] - {w}[1])",
        "{w} = np.argmax({v}) * {f}\n{r} = {w} * 1.0",
        "{w} = np.mean({v} - np.mean({v}))\n{r} = {w} + {f}",
        "{w} = {v} @ {v}.T\n{r} = np.sum({w} - {w})",
        "{w} = ({v} > {f}) * {v}\n{r} = np.sum({w})",
        "{w} = np.concatenate([{v}.ravel(), {v}.ravel()])\n{r} = np.sum({w}[:1] - {w}[:1])",
    ]
    a.line(a.pick(ways).format(v=seen.name, r=r, w=w, f=a.float(1)))


@production(1.9, simple=True)
def one_element(a: Author) -> None:
    v, f, r = a.array(least=1).name, a.float(1), a.fresh("a r b")
    ways = [
        "{r} = np.sum({v}, keepdims=True) * {f}",
        "{r} = {v}[:1] * {f}",
        "{r} = np.array([{f}]) * {v}",
        "{r} = np.array({f}) * {v}",
        "{r} = np.atleast_1d({f})",
        "{r} = np.array([[{f}]])",
        "{r} = np.reshape({f}, (1, 1)) * {v}",
        "{r} = np.mean({v}, keepdims=True) - {v}",
        "{r} = np.array([{f}])[0] * {f}",
        "{r} = np.asarray({f})[...]",
        "{r} = np.array([{f}, {f}]) @ np.ones(2)",
        "{r} = np.expand_dims({f}, 0) + {v}",
        "{r} = np.full(1, {f}) * {v}",
        "{r} = {v}.ravel()[-1:] + np.zeros(3)",
        "{r} = np.array({f}) ** 2",
        "{r} = np.ones(()) * {f}",
        "{r} = np.zeros(1)\n{r}[0] = {f}",
        "{r} = np.array({f})\n{r} += {f}",
        "{r} = np.zeros(())\n{r}[...] = {f}",
        "{r} = np.squeeze(np.array([[{f}]])) * {v}",
    ]
    a.line(a.pick(ways).format(v=v, f=f, r=r))


@production(1.9, simple=True)
def kinks_and_edges(a: Author) -> None:
    v, f, r = a.array(least=1).name, a.float(1), a.fresh("a r b")
    ways = [
        "{r} = np.prod({v} * ({v} > 0))",
        "{r} = np.max(np.append({v}.ravel(), {f}))",
        "{r} = np.linalg.norm({v} - {v}) + {f}",
        "{r} = np.sum(np.abs({v} * 0.0)) + {f}",
        "{r} = np.sum(({v} - {v}) ** 2.0)",
        "{r} = np.sum(np.power(np.abs({v}) + 0.1, {f}))",
        "{r} = np.sum(np.maximum({v} * 0, 0.0))",
        "{r} = np.sum(np.sqrt(({v} - {v}) + 1.0))",
        "{r} = np.cumprod({v} * 0.5)[-1]",
        "{r} = np.sum(np.abs({v}) ** 1.5)",
        "{r} = np.arctan2({f}, 1.0 + {f} ** 2)",
        "{r} = np.sum({v} ** 3) + {f} ** 2",
        "{r} = np.sum(np.sinc({v}))",
        "{r} = np.sum(np.square({v}) ** 0.5)",
        "{r} = (abs({f}) + 0.1) ** {f}",
        "{r} = np.sum(np.hypot({v}, {f}))",
        "{r} = np.interp({f}, [-2.0, 0.0, 2.0], [0.1, {f}, 1.0])",
        "{r} = np.sum(2.0 ** {v})",
        "{r} = np.sum(np.logaddexp({v}, {f}))",
        "{r} = np.sum(np.heaviside({v}, 0.5) * {v})",
        "{r} = np.sum({v} // 0.5 * {v})",
        "{r} = np.sum(np.mod({v}, 0.7))",
    ]
    a.line(a.pick(ways).format(v=v, f=f, r=r))


@production(3, simple=True)
def decompositions(a: Author) -> None:
    seen, r, m = a.array(1, least=2), a.fresh("a r b"), a.fresh("m g cov")
    made = a.pick(
        [
            "{m} = np.outer({v}, {v}) + np.eye(len({v})) * 3.0",
            "{m} = np.diag(2.0 + {v} ** 2)",
            "{m} = np.eye(len({v})) * (2.0 + {f} ** 2)",
            "{m} = np.eye(2) * 3.0\n{m}[1, 0] = {f} * 0.3\n{m}[0, 0] += {f} ** 2",
            "{m} = np.array([[3.0 + {f} ** 2, {f}], [{f}, 2.0 + {f} ** 2]])",
            "{m} = np.tril(np.outer({v}, {v})) + 3.0 * np.eye(len({v}))",
        ]
    ).format(m=m, v=seen.name, f=a.damped())
    ways = [
        "np.sum(np.linalg.cholesky({m}))",
        "np.linalg.det({m})",
        "np.linalg.slogdet({m})[1]",
        "np.sum(np.linalg.inv({m}))",
        "np.sum(np.linalg.solve({m}, np.arange(len({m})) + {f}))",
        "np.sum(np.linalg.eigvalsh({m}) ** 2)",
        "np.sum(np.linalg.eigh({m})[0])",
        "np.linalg.norm({m})",
        "np.trace({m} @ {m})",
        "np.sum(np.linalg.eigvalsh({m}))",
        "np.linalg.cholesky({m})[-1, 0] * {f}",
        "np.sum(np.linalg.svd({m})[1])",
        "np.linalg.eigvalsh({m})[0]",
        "np.sum(np.linalg.qr({m})[1] ** 2)",
        "np.sum(np.linalg.matrix_power({m}, 2))",
        "np.sum(np.linalg.pinv({m}))",
        "np.linalg.cond({m})",
    ]
    a.line(f"{made}\n{r} = {a.pick(ways).format(m=m, f=a.float(0))}")


@production(2.8, simple=True)
def complex_inside(a: Author) -> None:
    v, f, r, z = a.array(least=1).name, a.float(1), a.fresh("a r b"), a.fresh("z c")
    ways = [
        "{z} = {v} + 1j * {f}\n{r} = np.sum(np.abs({z}) ** 2)",
        "{z} = np.exp(1j * {v})\n{r} = np.sum({z}.real) * {f}",
        "{z} = complex({f}, 1.0)\n{r} = ({z} * {z}).imag",
        "{z} = np.fft.fft({v}.ravel())\n{r} = np.sum(np.abs({z}) ** 2)",
        "{z} = {v} * (1 + 2j)\n{r} = np.real(np.sum({z} * np.conj({z}))) * {f}",
        "{z} = np.zeros(2, dtype=complex)\n{z}[0] = {f}\n{r} = np.sum(np.abs({z} + 1j))",
        "{z} = 0j\nfor k0 in range(2):\n    {z} = {z} * {f} + 1j\n{r} = abs({z})",
        "{z} = np.array([{f}, 1j])\n{r} = np.sum(np.real({z}) * 2 + np.imag({z} * {f}))",
        "{z} = {f} * 1j\n{r} = ({z} ** 2).real + {f}",
    ]
    a.line(a.pick(ways).format(v=v, f=f, r=r, z=z))
