"""Runs Python code that nobody vouches for, in a child process that can do nothing but compute.

``host.run`` starts the child, watches it and ends it; ``child`` applies the layers of ``confine``
to itself and then runs the code; ``isolation.isolation`` tries out what this platform enforces.

What holds on Linux with Landlock (kernel 5.13 or later) and seccomp (x86-64 and ARM64), whether the
application runs as root or not:

- files: readable are the working folder, the Python installation and the system's libraries;
  writable is the working folder alone, which is removed afterwards;
- no sockets but ``socketpair``, no new processes, no programs, no signals to other processes, no
  tracing, no kernel keys, shared memory, io_uring, namespaces or capabilities: system calls that
  are not on the list of ``syscalls`` fail;
- the environment holds nothing of the application's, and no descriptor of it is inherited;
- limits on processor time, memory, file size, open files, printed text, and what is written and
  kept in all; at the deadline the process group is killed, and the child dies with its parent.

What it cannot stop there: telling whether a path exists and how large it is (``stat`` and
``readlink`` are not covered by Landlock); using a processor fully, all memory allowed and some disk
until the limits strike (what is written is measured every 50 ms, so it may overshoot); reading the
installed Python packages; bugs of the kernel. What the code prints or reports is whatever it
likes: it is to be treated as untrusted text.

Without Landlock, files that the user may read can be read, and those the user may write can be
written. Without seccomp (macOS, other processors) sockets and signals are open as well; new
processes are then stopped by a resource limit, except for root. Windows has neither limits nor
layers: only the clean environment, the deadline and the killing of the child itself.
"""
