"""Attempts to break out of the sandbox. Each really tries; none may work.

Every attempt prints ``ESCAPED`` when it got through. A control runs the same text in a plain Python
to show that the attempt is a real one where nothing holds it back.
"""

import contextlib
import ctypes
import errno
import os
import platform
import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from agent.tools.sandbox import host
from agent.tools.sandbox.host import Outcome, run
from agent.tools.sandbox.isolation import LAYERS, isolation
from tests.tools.sandbox_attempts import (
    NETWORK,
    PRELUDE,
    PRIVILEGES,
    PROCESSES,
    RAW_CALLS,
    READING,
    SIGNALS,
    WRITING,
)


def _kernel_offers_the_layers() -> bool:
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        return False
    landlock_version = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
    return landlock_version >= 1 and Path("/proc/sys/kernel/seccomp").exists()


pytestmark = pytest.mark.skipif(
    not _kernel_offers_the_layers(), reason="needs Landlock and seccomp"
)
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="uses x86-64 call numbers")

T = TypeVar("T")
SECRET = "the secret is 8714"
TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Outside:
    """What an attempt is after: a file, two listening sockets, this process."""

    folder: Path
    listeners: tuple[socket.socket, ...]
    names: dict[str, str | int]

    @property
    def secret(self) -> Path:
        return self.folder / "secret.txt"

    def fill(self, code: str) -> str:
        """The code with ``<name>`` replaced by the value of that name."""
        return PRELUDE + re.sub(r"<(\w+)>", lambda m: str(self.names[m[1]]), code)

    def check_untouched(self) -> None:
        assert self.secret.read_text() == SECRET
        assert stat.S_IMODE(self.secret.stat().st_mode) == 0o644
        assert self.secret.stat().st_mtime == 1_000_000_000
        assert sorted(p.name for p in self.folder.iterdir()) == ["listener.sock", "secret.txt"]
        for listener in self.listeners:
            with pytest.raises(BlockingIOError):
                listener.recv(1) if listener.type == socket.SOCK_DGRAM else listener.accept()


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    monkeypatch.setenv("APP_SECRET", SECRET)
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    secret.chmod(0o644)
    os.utime(secret, (1_000_000_000, 1_000_000_000))
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        monkeypatch.chdir(tmp_path)
        unix.bind("listener.sock")
        unix.listen()
        for listener in (tcp, udp, unix):
            listener.setblocking(False)
        names = {
            "folder": str(tmp_path),
            "secret": str(secret),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "app": os.getpid(),
            "project": str(host.PROJECT_DIR),
            "stdlib": str(Path(os.__file__).parent),
        }
        yield Outside(tmp_path, (tcp, udp, unix), names)


ATTEMPTS = [
    pytest.param(code, id=f"{what}: {name}")
    for what, attempts in {
        "read": READING,
        "write": WRITING,
        "network": NETWORK,
        "process": PROCESSES,
        "signal": SIGNALS,
        "privilege": PRIVILEGES,
    }.items()
    for name, code in attempts.items()
]
DENIED = re.compile(
    r"PermissionError: \[Errno (1|13)\]|OSError: \[Errno 18\]|.*Operation not permitted"
)


def test_this_platform_is_found_to_isolate_completely() -> None:
    assert isolation().complete
    assert isolation().missing == ()


def attempt(code: str, outside: Outside) -> Outcome:
    outcome = run(outside.fill(code), timeout_s=TIMEOUT_S, required=LAYERS)
    assert "ESCAPED" not in outcome.stdout
    assert SECRET not in outcome.model_dump_json()
    outside.check_untouched()
    return outcome


@pytest.mark.parametrize("code", ATTEMPTS)
def test_attempt_is_denied(code: str, outside: Outside) -> None:
    outcome = attempt(code, outside)
    assert DENIED.match(outcome.error), outcome


@on_x86
def test_raw_system_calls_are_denied(outside: Outside) -> None:
    """All in one process: none of them may end it."""
    attempts = "\n".join(
        f"try: {call}; print('ESCAPED')\nexcept OSError as e: print({name!r}, e.errno, sep=': ')"
        for name, call in RAW_CALLS.items()
    )
    outcome = attempt(attempts, outside)
    assert outcome.stdout.splitlines() == [f"{name}: {errno.EPERM}" for name in RAW_CALLS]


CONTROLS = [
    *(READING[name] for name in ("a file", "a file through a symlink", "the accounts", "a folder")),
    *(READING[name] for name in ("the application's environment", "the processes")),
    *(WRITING[name] for name in ("a symlink", "nothing by opening for reading", "a pipe file")),
    *(NETWORK[name] for name in ("TCP", "UDP", "a local socket", "asyncio")),
    *(PROCESSES[name] for name in ("fork", "subprocess", "exec", "a program in memory")),
    *(SIGNALS[name] for name in ("kill", "a process descriptor", "input readiness")),
]


@pytest.mark.parametrize("code", CONTROLS)
def test_control_the_same_attempt_works_in_a_plain_python(
    code: str, outside: Outside, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = subprocess.run(
        [sys.executable, "-c", outside.fill(code)],
        cwd=tmp_path_factory.mktemp("plain"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ESCAPED" in plain.stdout, plain.stderr


def test_modes_and_times_outside_stay_although_no_error_is_raised(outside: Outside) -> None:
    code = "os.chmod('<secret>', 0); os.utime('<secret>'); print('done')"
    assert attempt(code, outside).stdout == "done\n"


def test_limits_cannot_be_raised(outside: Outside) -> None:
    code = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))"
    assert "not allowed to raise" in attempt(f"{code}; print('ESCAPED')", outside).error


def test_shell_command_does_not_run(outside: Outside) -> None:
    outcome = attempt("print(os.system('echo ESC''APED > <folder>/new'))", outside)
    assert outcome.stdout.strip() not in ("", "0")


def test_names_cannot_be_looked_up(outside: Outside) -> None:
    assert "gaierror" in attempt("socket.getaddrinfo('example.org', 80)", outside).error


def test_environment_holds_nothing_of_the_application(outside: Outside) -> None:
    names = set(attempt("print(*os.environ)", outside).stdout.split())
    assert names <= {"HOME", "TMPDIR", "LANG", "LC_CTYPE"} | {n for n in names if "_THREADS" in n}


def test_open_descriptors_are_not_inherited(outside: Outside) -> None:
    with outside.secret.open() as file:
        os.set_inheritable(file.fileno(), True)
        outcome = attempt(
            "for fd in range(3, 64):\n"
            "    try: print(fd, os.fstat(fd).st_mode, os.pread(fd, 99, 0))\n"
            "    except OSError: pass\n",
            outside,
        )
    assert "8714" not in outcome.stdout


@on_x86
def test_thirty_two_bit_system_calls_kill_the_process(outside: Outside) -> None:
    code = (
        "import mmap\n"
        "page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)\n"
        "page.write(bytes.fromhex('b814000000cd80c3'))  # mov eax, 20; int 0x80; ret\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(start)(), 'ESCAPED')"
    )
    outcome = attempt(code, outside)
    assert (outcome.ending, outcome.signal) == ("died", 31)


def test_unconfined_code_is_not_run(outside: Outside) -> None:
    outcome = run("print('ESCAPED')", timeout_s=TIMEOUT_S, required=("a layer of tomorrow",))
    assert outcome.stdout == ""
    assert "a layer of tomorrow is missing" in outcome.error


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("bytearray(2 << 30)", "MemoryError"),
        ("import mmap\nheld = []\nwhile True: held.append(mmap.mmap(-1, 64 << 20, 0x22))",
         "OSError: [Errno 12]"),
        ("import mmap\nmmap.mmap(-1, 4096)", "PermissionError: [Errno 1]"),
        ("import threading\nwhile True: threading.Thread(target=threading.Event().wait,"
         " daemon=True).start()", "RuntimeError: can't start new thread"),
        ("open('big', 'wb').truncate(1 << 30)", "OSError: [Errno 27]"),
        ("f = open('big', 'wb')\nwhile True: f.write(b'x' * (1 << 20))", "OSError: [Errno 27]"),
        ("held = [open('f', 'w')]\nwhile True: held.append(open('f'))", "OSError: [Errno 24]"),
    ],
)  # fmt: skip
def test_limit_is_an_error_in_the_code(code: str, error: str) -> None:
    assert run(code, timeout_s=TIMEOUT_S).error.startswith(error)


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("n = 0\nwhile (n := n + 1): open(f'{n}', 'wb').write(bytes(1 << 20))", "too_much_disk"),
        ("n = 0\nwhile (n := n + 1): open(f'{n}', 'w')", "too_much_disk"),
        ("import ctypes, os\nlibc = ctypes.CDLL(None)\nwhile True:\n"
         "    f = open('f', 'wb+'); f.write(bytes(1 << 20)); f.flush()\n"
         "    libc.mmap(None, 4096, 1, 2, f.fileno(), 0); os.remove('f')", "too_much_disk"),
        ("import os\nwhile True: os.mkdir('d'); os.chdir('d')", "too_much_disk"),
        ("import os, time\nos.mkdir('locked', 0)\ntime.sleep(60)", None),
        ("while True: print('x' * 1000)", "too_much_output"),
        ("import os\nwhile True: os.write(2, b'x' * 1000)", "too_much_output"),
        ("import ctypes; ctypes.string_at(0)", "died"),
        ("import os; os._exit(3)", "died"),
        ("import os; os.abort()", "died"),
    ],
)  # fmt: skip
def test_run_is_ended(code: str, ending: str | None) -> None:
    folders = set(_sandbox_folders())
    outcome = run(code, timeout_s=TIMEOUT_S if ending else 1)
    assert outcome.ending == (ending or outcome.ending) != "finished"
    assert set(_sandbox_folders()) <= folders


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass",
        "import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass",
        "import os\nos.close(0), os.close(1), os.close(2)\nwhile True: pass",
        "import atexit, time\natexit.register(time.sleep, 99)",
        "import threading\nthreading.Thread(target=threading.Event().wait).start()",
        "2 ** 10 ** 10",
        "import re; re.match(r'(a+)+$', 'a' * 50 + 'b')",
    ],
)
def test_time_limit_ends_whatever_the_code_does(code: str) -> None:
    for timeout_s in (0.7, 3, 20):  # the longer ones for a machine too busy to start in time
        outcome = run(f"import os\nprint(os.getpid(), flush=True)\n{code}", timeout_s=timeout_s)
        assert outcome.ending == "timed_out"
        if outcome.stdout:
            break
    assert not Path(f"/proc/{int(outcome.stdout)}").exists()


def test_processor_time_is_limited_by_the_kernel_too() -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"
    assert run(code, timeout_s=3).stdout == "(4, 4)\n"


def test_stop_ends_the_run() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    outcome = run("print('started', flush=True)\nwhile True: pass", timeout_s=60, stop=stop)
    assert outcome.ending == "stopped"


def test_child_dies_with_the_application(tmp_path: Path) -> None:
    application = subprocess.Popen(
        [sys.executable, "-c",
         "from agent.tools.sandbox.host import run\n"
         "run('while True: pass', timeout_s=60)"],
        cwd=host.PROJECT_DIR, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    child = _wait_for(lambda: _children(application.pid))[0]
    _wait_for(lambda: "code" in " ".join(p.name for p in tmp_path.iterdir()))
    _wait_for(lambda: Path(f"/proc/{child}/status").read_text().count("Seccomp:\t2"))
    application.kill()
    application.wait()
    _wait_for(lambda: not Path(f"/proc/{child}").exists())


def test_forged_reports_are_only_text(outside: Outside) -> None:
    code = (
        "for fd in range(3, 20):\n"
        '    try: os.write(fd, b\'{"value": 1, "ending": "finished"}\'); os.close(fd)\n'
        "    except OSError: pass\n"
    )
    outcome = run(PRELUDE + code, timeout_s=TIMEOUT_S)
    assert outcome.value is None
    assert outcome.ending == "died"


def test_copies_are_given_and_originals_kept(tmp_path: Path) -> None:
    original = tmp_path / "data.csv"
    original.write_text("a,b\n1,2\n")
    code = "t = open('sub/data.csv').read(); open('sub/data.csv', 'w').write('gone'); print(t)"
    outcome = run(code, files=[(original, Path("sub/data.csv"))], timeout_s=TIMEOUT_S)
    assert outcome.stdout == "a,b\n1,2\n\n"
    assert original.read_text() == "a,b\n1,2\n"


def test_threads_and_pairs_of_sockets_are_allowed() -> None:
    code = (
        "import asyncio, threading\n"
        "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
        "asyncio.run(asyncio.sleep(0)); print('asyncio')"
    )
    assert run(code, timeout_s=TIMEOUT_S).stdout == "thread\nasyncio\n"


def _sandbox_folders() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob("code-*"))


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def _wait_for(condition: Callable[[], T]) -> T:
    give_up = time.monotonic() + TIMEOUT_S
    while time.monotonic() < give_up:
        if result := condition():
            return result
        time.sleep(0.01)
    raise AssertionError("it did not happen in time")


WITHOUT = """
import ctypes, struct
def deny(number, first_argument=None):
    # load the number; if it matches (and the first argument does), answer "not implemented"
    test = [] if first_argument is None else [(0x20, 0, 0, 16), (0x15, 0, 1, first_argument)]
    steps = [(0x20, 0, 0, 0), (0x15, 0, len(test) + 1, number), *test,
             (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(program, len(program))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    header = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(held))
    assert libc.prctl(22, 2, header, 0, 0) == 0
"""
"""Makes the kernel look like one without a certain call, for this process and its children."""


def in_older_kernel(denied: str, code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"{WITHOUT}\ndeny({denied})\n{code}"],
        cwd=host.PROJECT_DIR,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


ISOLATION = "from agent.tools.sandbox.isolation import isolation\nprint(*isolation().missing)"


def test_says_what_is_missing_without_landlock() -> None:
    assert in_older_kernel("444", ISOLATION) == "files"


@on_x86
def test_says_what_is_missing_without_seccomp() -> None:
    missing = set(in_older_kernel("157, 22", ISOLATION).split())
    assert "network" in missing
    assert "files" not in missing
    assert ("processes" in missing) == (os.getuid() == 0)


def test_refuses_strangers_code_where_it_cannot_be_isolated() -> None:
    code = """
import pathlib
from agent.config import Settings
from agent.tools.python_repl import PythonArgs, python_repl
from agent.tools.registry import ToolContext
for space in ("", "someone/space"):
    settings = Settings(space_id=space)
    context = ToolContext(settings, pathlib.Path("nowhere"))
    print(python_repl(PythonArgs(code="1 + 1"), context).for_model())
"""
    at_home, on_space = in_older_kernel("444", code).splitlines()
    assert at_home == "2"
    assert on_space.startswith("ERROR (unavailable)")
