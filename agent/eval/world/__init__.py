"""The offline world: pages, files and questions in a folder, served on loopback, to measure in."""
