"""How do PyTorch's functions differentiate that NumPy has not, or has with other conventions?"""
