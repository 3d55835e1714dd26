"""Attempts to break out of the sandbox: Python code that prints ``ESCAPED`` once it is through.

``<secret>``, ``<folder>``, ``<project>``, ``<stdlib>``, ``<app>`` (a process), ``<tcp>`` and
``<udp>`` (ports) are filled in by the test.
"""

PRELUDE = """
import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def syscall(*args):
    result = libc.syscall(*args)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
"""

READING = {
    "a file": "print(open('<secret>').read(), 'ESCAPED')",
    "a file through a symlink": "os.symlink('<secret>', 'l'); print(open('l').read(), 'ESCAPED')",
    "a file through ..": "print(open('../' * 20 + '<secret>').read(), 'ESCAPED')",
    "a file from another folder": "os.chdir('<folder>'); open('secret.txt'); print('ESCAPED')",
    "a file with the C library": (
        "fd = libc.open(b'<secret>', 0)\n"
        "if fd < 0: raise OSError(ctypes.get_errno(), 'open')\n"
        "print(os.read(fd, 99), 'ESCAPED')"
    ),
    "a file as a mapping": (
        "import mmap\nwith open('<secret>') as f:\n"
        "    print(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:], 'ESCAPED')"
    ),
    "a file by a path descriptor": (
        "fd = os.open('<secret>', os.O_PATH)\nprint(open(f'/proc/self/fd/{fd}').read(), 'ESCAPED')"
    ),
    "a file moved here": "os.rename('<secret>', 's'); print(open('s').read(), 'ESCAPED')",
    "a file linked here": "os.link('<secret>', 's'); print(open('s').read(), 'ESCAPED')",
    "a file copied here": "import shutil; shutil.copy('<secret>', 's'); print('ESCAPED')",
    "the project": "print(open('<project>/agent/config.py').read(), 'ESCAPED')",
    "the accounts": "print(open('/etc/passwd').read(), 'ESCAPED')",
    "a folder": "print(os.listdir('<folder>'), 'ESCAPED')",
    "the root folder": "print(os.listdir('/'), 'ESCAPED')",
    "the other temporary files": "print(os.listdir('..'), 'ESCAPED')",
    "the project's folder": "print(os.listdir('<project>'), 'ESCAPED')",
    "the processes": "print(os.listdir('/proc'), 'ESCAPED')",
    "the application's environment": "print(open('/proc/<app>/environ').read(), 'ESCAPED')",
    "its own environment in /proc": "print(open('/proc/self/environ').read(), 'ESCAPED')",
    "the application's memory": "print(open('/proc/<app>/mem', 'rb').read(1), 'ESCAPED')",
    "the application's descriptors": "print(os.listdir('/proc/<app>/fd'), 'ESCAPED')",
    "the application's folder": "print(os.readlink('/proc/<app>/cwd'), 'ESCAPED')",
    "the disk": "print(open('/dev/vda', 'rb').read(1) if os.path.exists('/dev/vda')"
    " else os.listdir('/dev'), 'ESCAPED')",
}
WRITING = {
    "a file": "open('<secret>', 'w').write('x'); print('ESCAPED')",
    "the end of a file": "open('<secret>', 'a').write('x'); print('ESCAPED')",
    "through a symlink": "os.symlink('<secret>', 'l'); open('l', 'w').write('x'); print('ESCAPED')",
    "a new file": "open('<folder>/new', 'w').write('x'); print('ESCAPED')",
    "a folder": "os.mkdir('<folder>/new'); print('ESCAPED')",
    "a symlink": "os.symlink('/', '<folder>/new'); print('ESCAPED')",
    "less of a file": "os.truncate('<secret>', 0); print('ESCAPED')",
    "nothing by opening for reading": (
        "open('own', 'w').write('x')\nos.open('own', os.O_RDONLY | os.O_TRUNC); print('ESCAPED')"
    ),
    "no file": "os.remove('<secret>'); print('ESCAPED')",
    "another name": "os.rename('<secret>', '<folder>/new'); print('ESCAPED')",
    "a file moved there": "open('s', 'w').close(); os.rename('s', '<secret>'); print('ESCAPED')",
    "an owner": "os.chown('<secret>', 1, 1); print('ESCAPED')",
    "an attribute": "os.setxattr('<secret>', 'user.x', b'x'); print('ESCAPED')",
    "the standard library": "open('<stdlib>/new_module.py', 'w'); print('ESCAPED')",
    "a pipe file": "os.mkfifo('fifo'); print('ESCAPED')",
    "a device": "os.mknod('disk', 0o60600, os.makedev(254, 0)); print('ESCAPED')",
    "shared memory": "open('/dev/shm/new', 'w'); print('ESCAPED')",
}
NETWORK = {
    "TCP": "socket.create_connection(('127.0.0.1', <tcp>)); print('ESCAPED')",
    "UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', <udp>))\n"
    "print('ESCAPED')",
    "IPv6": "socket.socket(socket.AF_INET6); print('ESCAPED')",
    "a local socket": "s = socket.socket(socket.AF_UNIX); s.connect('<folder>/listener.sock')\n"
    "print('ESCAPED')",
    "a server": "socket.create_server(('127.0.0.1', 0)); print('ESCAPED')",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); print('ESCAPED')",
    "raw packets": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('ESCAPED')",
    "a pair of sockets of another family": "socket.socketpair(socket.AF_INET); print('ESCAPED')",
    "asyncio": "import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', <tcp>))\n"
    "print('ESCAPED')",
}
PROCESSES = {
    "fork": "os.fork() or os._exit(0); print('ESCAPED')",
    "a fork bomb": "while True: os.fork(); print('ESCAPED')",
    "subprocess": "import subprocess; print(subprocess.check_output(['true']), 'ESCAPED')",
    "posix_spawn": "os.posix_spawn('/bin/true', ['true'], {}); print('ESCAPED')",
    "exec": "os.execv('/bin/echo', ['echo', 'ESCAPED'])",
    "exec through the loader": "import platform\n"
    "machine = platform.machine().replace('_', '-')\n"
    "os.execv(f'/lib/ld-linux-{machine}.so.2', ['ld', '/bin/echo', 'ESCAPED'])",
    "multiprocessing": "import multiprocessing as m\n"
    "m.get_context('fork').Process(target=print).start(); print('ESCAPED')",
    "a terminal": "os.forkpty() ; print('ESCAPED')",
    "a session": "os.setsid(); print('ESCAPED')",
    "a program in memory": "os.memfd_create('x'); print('ESCAPED')",
}
SIGNALS = {
    "kill": "os.kill(<app>, 0); print('ESCAPED')",
    "kill everything": "os.kill(-1, 0); print('ESCAPED')",
    "killpg": "os.killpg(os.getpgid(<app>), 0); print('ESCAPED')",
    "a process descriptor": "os.pidfd_open(<app>); print('ESCAPED')",
    "input readiness": "import fcntl\nr, w = os.pipe()\nfcntl.fcntl(r, fcntl.F_SETOWN, <app>)\n"
    "print('ESCAPED')",
}
PRIVILEGES = {
    "another user": "os.setuid(1 if os.getuid() == 0 else 0); print('ESCAPED')",
    "another group": "os.setgroups([0]); print('ESCAPED')",
    "root's right to locked folders": "os.mkdir('d', 0); print(os.listdir('d'), 'ESCAPED')",
    "another root": "os.chroot('.'); print('ESCAPED')",
    "the application's limits": "import resource\n"
    "resource.prlimit(<app>, resource.RLIMIT_NOFILE); print('ESCAPED')",
    "a priority": "os.setpriority(os.PRIO_PROCESS, <app>, 1); print('ESCAPED')",
    "another processor": "os.sched_setaffinity(<app>, {0}); print('ESCAPED')",
    "the host's name": "socket.sethostname('x'); print('ESCAPED')",
}
RAW_CALLS = {
    "ptrace": "syscall(101, 16, <app>, 0, 0)",
    "process_vm_readv": "syscall(310, <app>, 0, 0, 0, 0, 0)",
    "io_uring": "syscall(425, 1, ctypes.create_string_buffer(120))",
    "pidfd_getfd": "syscall(438, 0, 0, 0)",
    "pidfd_send_signal": "syscall(424, 0, 0, 0, 0)",
    "tgkill of the application": "syscall(234, <app>, <app>, 0)",
    "tkill": "syscall(200, <app>, 0)",
    "rt_sigqueueinfo": "syscall(129, <app>, 0, 0)",
    "vfork": "syscall(58)",
    "clone of a process": "syscall(56, 17, 0, 0, 0, 0)",
    "clone into namespaces": "syscall(56, 0x10000000 | 0x10000, 0, 0, 0, 0)",
    "unshare": "syscall(272, 0x10000000)",
    "setns": "syscall(308, 0, 0)",
    "mount": "syscall(165, b'none', b'.', b'tmpfs', 0, 0)",
    "open_tree": "syscall(428, -100, b'/', 1)",
    "open_by_handle_at": "syscall(304, -100, 0, 0)",
    "capset": "syscall(126, 0, 0)",
    "bpf": "syscall(321, 0, 0, 0)",
    "perf_event_open": "syscall(298, 0, 0, -1, -1, 0)",
    "userfaultfd": "syscall(323, 1)",
    "keys": "syscall(248, b'user', b'x', b'y', 1, -3)",
    "System V shared memory": "syscall(29, 0, 4096, 0o1600)",
    "message queues": "syscall(240, b'x', 0o102, 0o600, 0)",
    "kernel modules": "syscall(175, 0, 0, b'')",
    "reboot": "syscall(169, 0, 0, 0, 0)",
    "prctl": "syscall(157, 38, 0, 0, 0, 0)",
    "a socket under the x32 numbers": "syscall(0x40000000 + 41, 2, 1, 0)",
    "execve": "syscall(59, b'/bin/true', 0, 0)",
    "execveat": "syscall(322, -100, b'/bin/true', 0, 0, 0)",
    "linkat": "syscall(265, -100, b'<secret>', -100, b's', 0)",
    "fchownat": "syscall(260, -100, b'<secret>', 1, 1, 0)",
    "terminal input": "syscall(16, 0, 0x5412, b'x')",
}
