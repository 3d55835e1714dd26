"""What memory there is, with the files that Linux describes control groups in."""

from pathlib import Path

import psutil
import pytest

from agent.llm.memory import available_memory

MB = 1_000_000


def write(root: Path, files: dict[str, object]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{content}\n")
    return root


V2 = {"proc/self/cgroup": "0::/app"}
V1 = {"proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/docker/1f\n0::/"}


@pytest.mark.parametrize(
    ("files", "left"),
    [
        (
            V2
            | {
                "sys/fs/cgroup/app/memory.max": 50 * MB,
                "sys/fs/cgroup/app/memory.current": 30 * MB,
                "sys/fs/cgroup/app/memory.stat": f"anon {20 * MB}\ninactive_file {5 * MB}",
            },
            25,
        ),
        (
            V2
            | {
                "sys/fs/cgroup/app/memory.max": "max",
                "sys/fs/cgroup/app/memory.current": 30 * MB,
                "sys/fs/cgroup/memory.max": 40 * MB,
                "sys/fs/cgroup/memory.current": 33 * MB,
            },
            7,
        ),
        (  # version 1 in a container: the path is the host's, the mount is the group
            V1
            | {
                "sys/fs/cgroup/memory/memory.limit_in_bytes": 60 * MB,
                "sys/fs/cgroup/memory/memory.usage_in_bytes": 50 * MB,
                "sys/fs/cgroup/memory/memory.stat": f"total_inactive_file {1 * MB}",
            },
            11,
        ),
        (
            V2
            | {
                "sys/fs/cgroup/app/memory.max": 50 * MB,
                "sys/fs/cgroup/app/memory.current": 51 * MB,
            },
            0,
        ),
    ],
)
def test_the_tightest_limit_counts(tmp_path: Path, files: dict[str, object], left: int) -> None:
    assert available_memory(write(tmp_path, files)) == left * MB


@pytest.mark.parametrize(
    "files",
    [{}, V2, V1 | {"sys/fs/cgroup/memory/memory.limit_in_bytes": 9223372036854771712}],
    ids=["not a Linux", "nothing mounted", "no limit"],
)
def test_without_a_limit_it_is_the_machines(tmp_path: Path, files: dict[str, object]) -> None:
    total = psutil.virtual_memory().total
    assert total / 100 < available_memory(write(tmp_path, files)) <= total
