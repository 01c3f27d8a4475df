"""The parts of `growth.py`: axes, methods, drawn data, what measures one point, exponents, tables and plots."""
