"""Which interpolators of ``scipy.interpolate`` are differentiated, in their points and in their data?

Read by the registry once the user's program has imported ``scipy.interpolate``. An interpolator is an object
with breakpoints and coefficients. What makes it is a program that computes these from the data; what calls it
reads them and evaluates one of two primitives, a piecewise polynomial or a spline in its basis.
"""

from __future__ import annotations

from . import (  # noqa: F401  they enter the registry
    fitpack,
    grid_interpolators,
    hermite_interpolators,
    line_interpolators,
    piecewise_polynomials,
    splines,
)
