"""Observability: typed events, the trace on disk, metrics."""
