"""Benchmarks: questions, runner, cache, scorers, submission."""
