"""How does one function of the IR become another, above all its adjoint?"""
