"""Loopback servers that speak the real protocols of what the project talks to."""
