"""The parts of benchmarks/dask_cluster.py, one for each table."""
