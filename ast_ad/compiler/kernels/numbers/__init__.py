"""How does compiled code compute on numbers what NumPy and Python compute?"""
