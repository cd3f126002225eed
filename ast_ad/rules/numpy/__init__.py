"""How do NumPy's functions, and Python's on numbers, differentiate?"""
