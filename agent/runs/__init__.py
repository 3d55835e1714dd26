"""Runs in threads of their own: start, stop, follow, list."""
