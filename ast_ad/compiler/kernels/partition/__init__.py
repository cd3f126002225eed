"""Which statements become kernels, and which stay Python?"""
