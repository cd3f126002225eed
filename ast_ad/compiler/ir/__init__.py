"""What is a program between source and source? The static tape."""
