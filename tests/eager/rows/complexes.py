"""What is the gradient of a complex number?"""

from tests.eager.rows.case import each, leaf, raises


def gradient(torch, call, z, v=None):
    y = call(z)
    y.backward(v)
    return z.grad


def s000_107(torch):
    z = leaf(torch, [1 + 2j, 3 - 1j], "complex64")
    (z.abs() ** 2).sum().backward()
    w = leaf(torch, [1 + 2j], "complex64")
    w.abs().pow(2).div(2).sum().backward()
    return z.grad, w.grad * 2


def s000_108(torch):
    z, w = leaf(torch, 1 + 2j, "complex64"), leaf(torch, 1 + 2j, "complex64")
    z.real.backward()
    w.imag.backward()
    return z.grad, w.grad


def s000_109(torch):
    z = leaf(torch, 1 + 2j, "complex64")
    part = "grad can be implicitly created only for real scalar outputs but got torch.complex64"
    return raises(lambda: (z * z).backward(), part), raises(
        lambda: (z * torch.ones(2)).backward(), "scalar outputs"
    )


HOLOMORPHIC = {
    "square": lambda z: z * z,
    "exp": lambda z: z.exp(),
    "cube": lambda z: z**3,
    "reciprocal": lambda z: 1 / z,
    "log": lambda z: z.log(),
    "sin": lambda z: z.sin(),
    "cos": lambda z: z.cos(),
    "tanh": lambda z: z.tanh(),
    "sqrt": lambda z: z.sqrt(),
    "linear": lambda z: (2 + 1j) * z + 3j,
    "neg": lambda z: -z,
    "div": lambda z: z / (1 + 2j),
    "sigmoid": lambda z: z.sigmoid(),
    "clone": lambda z: z.clone(),
    "power": lambda z: z**1.5,
}


@each({f"{name} {v}": (call, v) for name, call in HOLOMORPHIC.items() for v in (1, 1j, 2 - 3j)})
def s000_110(torch, call, v):
    z = leaf(torch, 1 + 2j, "complex128")
    y = call(z)
    y.backward(torch.tensor(v, dtype=torch.complex128))
    return y, z.grad


OTHER = {
    "conj": lambda torch, z: z.conj() * (1 + 1j),
    "abs": lambda torch, z: z.abs(),
    "angle": lambda torch, z: z.angle(),
    "real": lambda torch, z: z.real * 3,
    "imag": lambda torch, z: z.imag * 3,
    "view_as_real": lambda torch, z: torch.view_as_real(z)[..., 1] * 2,
    "sum": lambda torch, z: z.sum(),
    "prod": lambda torch, z: z.prod(),
    "mean": lambda torch, z: z.mean(),
    "matmul": lambda torch, z: z[None] @ z[:, None],
    "dot": lambda torch, z: torch.dot(z, z),
    "vdot": lambda torch, z: torch.vdot(z, z),
    "norm": lambda torch, z: z.norm(),
    "conj product": lambda torch, z: z * z.conj(),
    "index": lambda torch, z: z[:1],
    "cumsum": lambda torch, z: z.cumsum(0),
    "cat": lambda torch, z: torch.cat([z, z * 2]),
    "einsum": lambda torch, z: torch.einsum("i,j->ij", z, z.conj()),
    "sgn": lambda torch, z: torch.sgn(z),
    "resolve_conj": lambda torch, z: z.conj().resolve_conj() * 1j,
    "where": lambda torch, z: torch.where(z.real > 2, z, z * z),
}


@each({name: (call,) for name, call in OTHER.items()})
def s000_111(torch, call):
    z = leaf(torch, [1 + 2j, 3 - 4j], "complex128")
    y = call(torch, z)
    weights = torch.ones_like(y) * (0.5 - 2j if y.is_complex() else 0.5)
    y.backward(weights)
    return y.detach(), z.grad


def s000_111_kinks(torch):
    seen = []
    for value in (3 + 4j, 0j):
        z = leaf(torch, value, "complex64")
        z.abs().backward()
        seen.append(z.grad)
    w = leaf(torch, 1 + 1j, "complex64")
    w.conj().backward(torch.tensor(1 + 1j))
    return seen, w.grad


def s000_112(torch):
    x = leaf(torch, 2.0)
    z = x * (5 + 3j)
    z.backward(torch.tensor(1 + 0j))
    return x.grad, x.grad.dtype, z.dtype


def s000_112_mixed(torch):
    x, z = leaf(torch, [1.0, 2.0], "float64"), leaf(torch, [1 + 1j, 2 - 1j], "complex128")
    (x * z + x.exp() / z).abs().sum().backward()
    return x.grad, z.grad


def s000_112_make(torch):
    a, b = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    z = torch.complex(a, b)
    (z * (1 + 2j)).real.sum().backward()
    return z, a.grad, b.grad


def s000_113(torch):
    z, losses = leaf(torch, 3 + 4j, "complex64"), []
    for _ in range(5):
        loss = (z.abs() ** 2) / 2
        losses.append(loss.item())
        z.grad = None
        loss.backward()
        with torch.no_grad():
            z -= 0.2 * z.grad
    return losses, z


CHECKED = {
    "square": lambda torch, z: z * z,
    "abs": lambda torch, z: z.abs(),
    "exp": lambda torch, z: z.exp(),
    "conj": lambda torch, z: z.conj() * z,
    "real": lambda torch, z: z.real,
    "imag": lambda torch, z: z.imag,
    "matmul": lambda torch, z: z @ z.conj().t(),
    "div": lambda torch, z: 1 / z,
    "sum": lambda torch, z: (z * 2j).sum(),
}


@each({name: (call,) for name, call in CHECKED.items()})
def s000_114(torch, call):
    z = leaf(torch, [[1 + 2j, 0.5 - 1j], [2 + 0.3j, -1 + 1j]], "complex128")

    def f(z):
        return call(torch, z)

    return torch.autograd.gradcheck(f, z), torch.autograd.gradgradcheck(f, z)


def more_complex_printed(torch):
    z = torch.tensor([1 + 2j, 3.5 - 4j])
    return str(z), str(leaf(torch, 1 + 2j, "complex64")), str(z.conj()), str(z.abs()), str(z * 1e-5)


def more_complex_parts_are_views(torch):
    z = torch.tensor([1 + 2j, 3 - 4j])
    z.real[0] = 9
    z.imag.mul_(2)
    return (
        z,
        z._version,
        z.is_complex(),
        z.real.dtype,
        raises(lambda: torch.ones(1).imag, "imag is not implemented"),
    )


def more_complex_in_place(torch):
    z = leaf(torch, [1 + 2j, 3 - 1j], "complex128")
    w = z * 1
    w.mul_(1j)
    w[0] = w[1].clone() * w[0].clone()
    w.abs().sum().backward()
    return w, z.grad


def more_complex_to_real_input(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    y = (x + 1j) ** 2
    y.real.sum().backward()
    return y, x.grad
