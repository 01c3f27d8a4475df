"""The parts of `leaderboard.py`: runs over folds, what results say, ranks, paired tests, tables and pictures."""
