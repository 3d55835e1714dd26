"""Variables that hold several names are written as people write them."""

import pytest

from agent.config import Settings


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("http://127.0.0.1:8901", ("http://127.0.0.1:8901",)),
        ("a.example, b.example/*x* ,", ("a.example", "b.example/*x*")),
        ('["a.example", "b.example"]', ("a.example", "b.example")),
        ("", ()),
    ],
)
def test_names_are_parted_by_commas(
    written: str, read: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_ALLOWED_ORIGINS", written)
    monkeypatch.setenv("AGENT_BLOCKED_DOMAINS", written)
    settings = Settings(_env_file=None)
    assert (settings.allowed_origins, settings.blocked_domains) == (read, read)
