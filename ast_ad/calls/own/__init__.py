"""How does a user give a function a derivative rule of its own?

``functions`` has what users call, ``lowering`` what becomes of it in a compiled program, and
``tracing.own_rules`` what in a trace.
"""
