"""How do the functions of neural networks differentiate?"""
