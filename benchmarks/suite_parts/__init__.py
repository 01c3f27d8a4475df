"""The parts of `suite.py`: data sets, methods, the measurement of one method in its own process, and tables."""
