"""The README's configuration table is the settings that there are."""

from pathlib import Path

from agent.config import PROJECT_DIR, Settings

README = (PROJECT_DIR / "README.md").read_text(encoding="utf-8")


def configuration_table() -> str:
    """One row for each setting, as the README has it."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = alias if isinstance(alias, str) else getattr(alias, "choices", [None])[0]
        default = field.get_default(
            call_default_factory=True, validated_data={"cache_dir": PROJECT_DIR / "cache"}
        )
        shown = getattr(default, "get_secret_value", lambda value=default: value)()
        if isinstance(shown, Path):
            shown = shown.relative_to(PROJECT_DIR)
        if isinstance(shown, tuple):
            shown = f"{len(shown)} places" if shown else ""
        assert field.description, f"{name} has no docstring"
        meaning = " ".join(field.description.replace("``", "`").split())
        rows.append(f"| `{variable or f'AGENT_{name.upper()}'}` | {shown} | {meaning} |")
    return "\n".join(rows)


def test_the_configuration_table_is_complete_and_right() -> None:
    assert configuration_table() in README


def test_what_the_readme_links_to_is_there() -> None:
    import re

    prose = re.sub(r"`[^`]*`", "", README)
    for target in re.findall(r"\]\((?!http)([^)#]+)", prose):
        assert (PROJECT_DIR / target).exists(), target
