"""The parts of `suite.py`: data sets, methods, what measures one method in a process of its own, and tables."""
