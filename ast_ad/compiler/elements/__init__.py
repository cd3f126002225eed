"""When are small arrays better computed with as scalars?"""
