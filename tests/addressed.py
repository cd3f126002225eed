"""A function for ``test_addresses``, under the name that its recorded pickle has for it."""


def cube(x):
    return x**3
