"""How do SciPy's functions differentiate?"""
