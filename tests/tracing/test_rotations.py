"""Have SciPy's rotations derivatives, from every representation and to every one?"""

import numpy as np
import pytest

import ast_ad

transform = pytest.importorskip("scipy.spatial.transform")
R = transform.Rotation
pytestmark = [
    pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning"),
    pytest.mark.skipif(
        not hasattr(transform, "_rotation_xp"), reason="SciPy has its formulas in compiled code only"
    ),
]
V, W = np.array([0.3, 0.5, -0.2]), np.array([1.0, 2.0, 3.0])
M = np.arange(9.0).reshape(3, 3)
AXES = [[0, 0, 1], [0, 1, 0], [1, 0, 0]]


def chain(v):
    found = R.identity()
    for angle in v:
        found = found * R.from_euler("y", angle) * R.from_euler("XZ", [angle, 2 * angle])
    return np.sum(found.as_matrix() * M)


PROGRAMS = {
    "euler": lambda v: np.sum(R.from_euler("xyz", v).as_matrix() * M),
    "intrinsic": lambda v: np.sum(R.from_euler("ZXZ", 40 * v, degrees=True).apply(W) * W),
    "several": lambda v: np.sum(R.from_euler("xyz", np.stack([v, 2 * v])).as_quat() ** 3),
    "as_euler": lambda v: np.sum(R.from_rotvec(v).as_euler("xyz", degrees=True) * W),
    "davenport": lambda v: np.sum(R.from_davenport(AXES, "extrinsic", v).as_rotvec() * W),
    "as_davenport": lambda v: np.sum(R.from_rotvec(v).as_davenport(AXES, "extrinsic") * W),
    "matrix": lambda v: np.sum(R.from_matrix(R.from_rotvec(v).as_matrix()).as_mrp() * W),
    "inverse": lambda v: (R.from_rotvec(v) * R.from_mrp(v).inv()).magnitude(),
    "power": lambda v: np.sum((R.from_rotvec(v) ** 2).as_rotvec() * W),
    "chain": chain,
}


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_rotations(name):
    function = PROGRAMS[name]
    expected = [(function(V + 1e-6 * e) - function(V - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(ast_ad.grad(function)(V), expected, rtol=1e-7, atol=1e-8)
    assert function(V) == pytest.approx(ast_ad.value_and_grad(function)(V)[0])


def test_scipy_is_as_it_was():
    """Closures of its functions hold NumPy itself again, once the trace has ended."""
    ast_ad.grad(PROGRAMS["euler"])(V)
    from scipy._lib._array_api import array_namespace

    compat = array_namespace(V)
    held = [cell.cell_contents for cell in compat.zeros.__closure__ or ()]
    assert np in held and type(compat.zeros(3)) is np.ndarray
