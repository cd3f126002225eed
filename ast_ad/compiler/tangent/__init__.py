"""What is the derivative of a program along a direction? See ``tangent``."""
