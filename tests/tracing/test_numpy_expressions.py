"""Do traced arrays give what NumPy's give: values to the bit, types, layouts, and views or copies?"""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import ast_ad
from ast_ad import AdError, tracing as fallback
from ast_ad.tracing.recorder import plain

numbers = np.random.default_rng(1)
INPUTS = {
    "vector": numbers.normal(size=4),
    "matrix": numbers.normal(size=(3, 4)),
    "columns": np.asfortranarray(numbers.normal(size=(3, 4))),
    "complex": numbers.normal(size=(2, 2)) + 1j * numbers.normal(size=(2, 2)),
    "strange": np.array([1.0, np.nan, -0.0, np.inf]),
}
EXPRESSIONS = """
x.T ; x[::-1] ; x[...] ; x[None] ; x[1:] ; x[:,1] ; x[[0,1]] ; x[x>0] ; x.ravel() ; x.ravel('F') ;
x.ravel('K') ; x.flatten() ; x.flatten('F') ; x.reshape(-1) ; x.reshape(-1,1) ;
x.reshape(-1,order='F') ; x.T.reshape(-1) ; x.copy() ; x.T.copy() ; x.copy('F') ; x.copy('K') ;
np.copy(x) ; np.copy(x.T) ; x.astype(float) ; x.astype(np.float32) ; x.astype(complex) ;
x.astype(int) ; x.astype(bool) ; x.astype(float,copy=False) ; x.astype(float,order='C') ;
x.transpose() ; x.transpose(-1,0) if x.ndim==2 else x ; np.transpose(x) ; x.swapaxes(0,-1) ;
x.squeeze() ; np.squeeze(x[None]) ; np.expand_dims(x,0) ; np.atleast_1d(x) ; np.atleast_2d(x) ;
np.atleast_3d(x) ; np.moveaxis(x,0,-1) ; np.rollaxis(x,-1) ; np.flip(x) ; np.flipud(x) ;
np.fliplr(x) ; np.rot90(x) ; np.roll(x,1) ; np.roll(x,1,0) ; np.broadcast_to(x,(2,)+x.shape) ;
np.diagonal(x) ; x.diagonal() ; np.diag(x) ; np.trace(x) ; np.tril(x) ; np.triu(x) ; np.real(x) ;
np.imag(x) ; x.real ; x.imag ; x.conj() ; x.conjugate() ; np.conj(x) ; np.abs(x) ; abs(x) ; -x ;
+x ; x+1 ; x*2.5 ; x/3 ; x**2 ; x**3 ; x**0.5 ; x**-1 ; x**-2 ; x**2.5 ; x**0 ; 2**x ; 2.**x ;
x//0.3 ; x%0.3 ; divmod(x,.3)[1] ; x*x ; x-x.T if x.shape==x.T.shape else x ; x@x.T ; x.dot(x.T) ;
np.dot(x,x.T) ; np.inner(x,x) ; np.outer(x,x) ; x.sum() ; x.sum(0) ; x.sum(-1,keepdims=True) ;
np.sum(x,axis=(0,1)) ; x.sum(dtype=np.float32) ; x.mean() ; x.mean(0) ; x.std() ; x.var(0,ddof=1) ;
x.max() ; x.min(0) ; x.prod() ; x.prod(-1) ; x.cumsum() ; x.cumsum(0) ; x.cumprod(0) ; x.argmax() ;
x.argmin(0) ; x.argsort() ; x.any() ; x.all(0) ; x.clip(-.5,.5) ; np.clip(x,None,.3) ; x.round(2) ;
np.round(x) ; np.floor(x) ; np.ceil(x) ; np.sign(x) ; np.sqrt(np.abs(x)) ; np.exp(x) ;
np.log(np.abs(x)) ; np.sin(x) ; np.cos(x) ; np.tan(x) ; np.tanh(x) ; np.arctan(x) ;
np.arctan2(x,x+1) ; np.hypot(x,2.) ; np.log1p(np.abs(x)) ; np.expm1(x) ; np.maximum(x,0) ;
np.minimum(x,x[::-1]) ; np.fmax(x,.1) ; np.where(x>0,x,0) ; np.where(x>0,x,-x) ; np.isnan(x) ;
np.isfinite(x) ; np.nan_to_num(x) ; np.nan_to_num(x,copy=False) ; np.nansum(x) ; np.nanmax(x) ;
np.nanmean(x,0) ; np.median(x) ; np.percentile(x,30) ; np.quantile(x,[.2,.4]) ; np.average(x) ;
np.ptp(x) ; np.diff(x) ; np.diff(x,axis=0) ; np.gradient(x) ; np.ediff1d(x) ; np.sort(x) ;
np.sort(x,0) ; np.sort(x,None) ; np.partition(x,1) ; np.unique(x) ; np.tile(x,2) ; np.repeat(x,2) ;
x.repeat(2,0) ; np.concatenate([x,x]) ; np.concatenate([x,x],-1) ; np.stack([x,x]) ;
np.stack([x,x],-1) ; np.vstack([x,x]) ; np.hstack([x,x]) ; np.dstack([x,x]) ;
np.column_stack([x,x]) ; np.split(x,1)[0] ; np.array_split(x,2)[0] ; np.hsplit(x,1)[0] ;
np.append(x,1.) ; np.insert(x,0,1.) ; np.delete(x,0) ; np.delete(x,0,0) ; np.pad(x,1) ;
np.pad(x,1,mode='edge') ; np.take(x,[0,1]) ; np.compress([True],x,0) ; np.extract(x>0,x) ;
np.einsum('...i->...',x) ; np.einsum('i...->...i',x) ; np.tensordot(x,x,x.ndim) ; np.kron(x,x) ;
np.cross(x[...,:3],x[...,:3]) ; np.convolve(x,[1.,2.]) ; np.correlate(x,[1.,2.]) ;
np.interp(.3,[0.,1.,2.,3.],x) ; np.trapezoid(x) ; np.cov(x) ; np.linalg.norm(x) ;
np.linalg.norm(x,axis=0) ; np.linalg.norm(x,1) ; np.linalg.inv(x) ; np.linalg.det(x) ;
np.linalg.solve(x,x) ; np.linalg.qr(x)[1] ; np.linalg.svd(x)[1] ; np.linalg.eigvalsh(x) ;
np.linalg.pinv(x) ; np.linalg.matrix_power(x,3) ; np.linalg.slogdet(x)[1] ; np.fft.fft(x) ;
np.fft.ifft(x) ; np.fft.rfft(x) ; np.array(x) ; np.array(x,ndmin=3) ; np.array([x,x]) ;
np.asarray(x) ; np.ascontiguousarray(x) ; np.asfortranarray(x) ; np.asarray(x,dtype=np.float32) ;
np.asarray(x,order='F') ; np.array(x,order='F') ; np.array(x,copy=None) ;
np.require(x,requirements='C') ; np.zeros_like(x) ; np.ones_like(x) ; np.full_like(x,2.) ;
x[0] ; x[-1] ; x[0,0] ; x[0].copy() ; x.item(0) ; x.tolist() ;
x.max(initial=3.) ; np.add.reduce(x) ; np.multiply.reduce(x,-1) ; np.multiply.outer(x,x) ;
np.logaddexp(x,1.) ; np.heaviside(x,.5) ; np.copysign(x,-1) ; np.ldexp(x,2) ; np.fmod(x,.3) ;
np.modf(x)[0] ; np.square(x) ; np.cbrt(x) ; np.reciprocal(x) ; np.power(x,2) ;
np.float_power(np.abs(x),2) ; np.positive(x) ; np.negative(x) ; np.absolute(x) ; np.angle(x) ;
np.unwrap(x) ; np.sinc(x) ; np.count_nonzero(x>0) ; np.searchsorted(x,.2) ; np.digitize(x,[0.]) ;
np.bincount([0,1],x[:2]) ; np.histogram(x)[0] ; np.meshgrid(x,x)[0] ; np.broadcast_arrays(x,x)[0] ;
np.resize(x,7) ; np.select([x>0],[x],0) ; np.choose([0],[x]) ; np.vander(x) ; np.polyval(x,2.) ;
np.poly(x) ; np.linspace(x[0],x[1],4) ; np.matrix_transpose(x) ; x.mT ; np.permute_dims(x) ;
np.unstack(x)[0] ; np.cumulative_sum(x) ; np.vecdot(x,x) ; np.astype(x,np.float32) ; x.size ;
x.shape ; x.ndim ; x.nbytes ; x.itemsize ; x.dtype ; x.strides ; len(x) ; x.flags.c_contiguous ;
x.base is None ; x.T.flags.f_contiguous ; repr(x) ; str(x) ; float(x.sum()) ; complex(x.sum()) ;
int(x.sum()) if x.dtype.kind=='f' and np.isfinite(x.sum()) else 0 ; round(float(x.sum().real),2) ;
bool(x.sum()) ; x.sum().dtype ; x.sum().shape ; list(x) ; x==x ; x!=1 ; x>0.5 ; (x>0)&(x<1) ;
x is x ; x.__class__ ; type(x) ; isinstance(x,np.ndarray) ; x.flat[0] ; list(x.flat) ;
x.nonzero() ; np.argwhere(x>0) ; np.flatnonzero(x) ; np.ndim(x) ; np.shape(x) ; np.size(x) ;
np.iscomplexobj(x) ; np.result_type(x) ; np.may_share_memory(x,x) ; np.isscalar(x) ;
np.isclose(x,x) ; np.array_equal(x,x) ; np.iterable(x) ; np.lexsort((x,)) ; np.round(x,1) ;
np.around(x,1) ; np.trunc(x) ; np.rint(x) ; np.spacing(x) ; np.nextafter(x,1) ; np.signbit(x) ;
np.frexp(x)[0] ; np.exp2(x) ; np.log2(np.abs(x)) ; np.log10(np.abs(x)) ; np.arcsinh(x) ;
np.deg2rad(x) ; np.fabs(x) ; np.isreal(x) ; x.device ; x.view() ; x.max(axis=0,keepdims=True) ;
np.block([[x,x]]) ; np.lib.stride_tricks.sliding_window_view(x,1,0) ; np.ix_(x) ;
np.fill_diagonal(x.copy(),0) ; np.put_along_axis(x.copy(),np.argsort(x,-1),0,-1) ;
np.take_along_axis(x,np.argsort(x,-1),-1) ; np.piecewise(x,[x>0],[1,2]) ;
np.geomspace(1.,2.,3)*x[0] ; np.arange(x.size)*x.ravel() ; np.eye(3)*x.sum() ; np.tri(3)*x.sum() ;
np.identity(2)+x.sum() ; np.einsum('...,...',x,x) ; sum(x) ; max(x.ravel()) ; min(x.ravel()) ;
sorted(x.ravel()) ; any(x.ravel()) ; all(x.ravel()) ; abs(x[0]) ; [*map(float,x.ravel().real)] ;
dict(enumerate(x)) ; tuple(x) ; np.float64(3)*x ; np.float32(3)*x ; np.int64(3)*x ; 3*x ; 3.0*x ;
(3+0j)*x ; True*x ; np.arange(4)*x[...,:1] ; x*[1.,2.,3.,4.] ; [1.,2.,3.,4.]*x ;
x@[1.,2.,3.,4.] ; [1.,2.,3.]@x ; divmod([1.,2.,3.,4.],x)[1] ; divmod(x,(1.,2.,3.,4.))[0] ;
np.sum([1.,2.,3.,4.]-x) ; np.arctan2([1.,2.,3.,4.],x) ; np.float64(x) ; np.float32(x) ;
np.complex128(x) ; np.float64(x.ravel()[0]) ; np.float32(x.ravel()[0]) ; np.complex64(x.ravel()[0]) ;
np.float64(x.sum().item()) ; np.float64([x.ravel()[0],1.]) ; [*map(np.float64,x.ravel().real)] ;
np.float64(2) ; np.float32('1.5') ; np.float64 is type(x.sum().real) ; {np.float64:1}[x.real.dtype.type] ;
x.real.dtype==np.float64 ; x.dtype in (np.float64,np.complex128) ; issubclass(x.real.dtype.type,np.float64) ;
np.zeros(2,np.float32)+x.sum() ; np.finfo(np.float64).eps*x ;
x.dtype in (float,complex) ; x.real.dtype==float ; np.dtype(np.float32) ; np.nan_to_num([1.,2.])*x.sum()
"""


def facts(result, x):
    """What is to be the same of two results; a traced one is made plain."""
    result = plain(result)
    if isinstance(result, (list, tuple)):
        return type(result), [facts(item, x) for item in result]
    if isinstance(result, dict):
        return [facts(item, x) for item in result.values()]
    if isinstance(result, np.ndarray):
        layout = result.flags.c_contiguous, result.flags.f_contiguous, result.flags.writeable
        shares = bool(result.size) and np.may_share_memory(result, x)
        return result.dtype, result.shape, result.tobytes(), layout, shares
    if isinstance(result, np.generic):
        return type(result), result.tobytes()
    return type(result), repr(result)


def compare(function, x):
    """None, or what is different."""
    found = []

    def note(y):
        found.append(facts(function(y), getattr(y, "_array", y)))
        return 0.0

    try:
        expected = facts(function(x), x)
    except Exception as error:
        expected = type(error)
    try:
        fallback.trace(note, (x,), {}, (0,))
    except AdError:
        return None
    except Exception as error:
        found.append(type(error))
    return None if found[0] == expected else (found[0], expected)


def differences(name):
    """The expressions that a trace evaluates otherwise than NumPy does."""
    wrong = {}
    for expression in filter(None, map(str.strip, EXPRESSIONS.replace("\n", " ").split(" ; "))):
        if name == "complex" and expression == "float(x.sum())":
            continue  # NumPy drops the imaginary part; a trace refuses that
        function = eval(f"lambda x: {expression}", globals())
        difference = compare(function, INPUTS[name].copy("K"))
        if difference:
            wrong[expression] = difference
    return wrong


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("name", INPUTS)
def test_expressions(name):
    """In a process of its own: to look for what a trace left behind takes longer in a large one."""
    root = pathlib.Path(__file__).parents[2]
    command = [sys.executable, "-W", "ignore", "-m", "tests.tracing.test_numpy_expressions", name]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    found = differences(sys.argv[1])
    print(found)
    sys.exit(bool(found))


def by_axes(x):
    a = np.matmul(x, x**2, axes=[(0, 1), (1, 2), (2, 0)])
    b = np.matmul(x[0, 0], x, axes=[(0,), (1, 0), (0,)])
    return np.sum(a * x) + np.sum(b**2) + np.sum(np.matvec(x, x[0], axes=[(2, 1), (0,), (1,)]) ** 3)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_products_along_other_axes():
    x = np.random.default_rng(1).uniform(0.5, 1.5, (3, 3, 3))
    steps = [1e-6 * e.reshape(x.shape) for e in np.eye(x.size)]
    expected = np.reshape([(by_axes(x + h) - by_axes(x - h)) / 2e-6 for h in steps], x.shape)
    assert ast_ad.grad(by_axes)(x) == pytest.approx(expected, rel=1e-6)
