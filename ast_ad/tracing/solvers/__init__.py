"""What is the derivative of what a solver of SciPy's finds? That of the equation that it solved.

``implicit`` has the one mechanism: a value that is defined by an equation. ``roots``, ``minima``,
``quadrature`` and ``steps`` say what the equation is, and ``table`` which function of SciPy's is read so.
"""
