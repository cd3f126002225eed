"""Are the derivatives of a function right?"""
