"""Readers of attachments: one small module a format, all of them ``read(file, ask)`` generators.

``catalog`` is the table from kind to reader, ``sniff`` finds the kind by content, ``__main__`` runs
a reader in a child process for ``process``. Readers get bytes, never a path, and write nothing.
"""
