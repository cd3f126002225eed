"""What becomes of a call: an operation, a constant, or the body of the callee?"""
