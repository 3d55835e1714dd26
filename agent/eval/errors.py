"""What a benchmark's parts raise at whoever asked them for something."""


class BenchmarkError(Exception):
    """Something cannot be done; the message is a sentence or two, fit for the screen."""
