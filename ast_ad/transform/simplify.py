"""stub"""
from .dead_code import eliminate_dead_code


def simplify(function):
    return eliminate_dead_code(function)


def simplify_block(block):
    pass
