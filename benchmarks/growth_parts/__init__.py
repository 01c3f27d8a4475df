"""The parts of `growth.py`: axes, methods, drawn data, the measurement of one point, exponents, tables and plots."""
