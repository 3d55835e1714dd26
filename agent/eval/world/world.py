"""A world as a folder: ``pages/<slug>.md``, ``files/<name>`` and ``questions.jsonl``."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent.eval.world.pages import FILES, Page, WorldError, read_page
from agent.eval.world.questions import Question, read_questions

DEFAULT_DIR = Path(__file__).parent / "default"
"""The world that comes with the program."""


@dataclass(frozen=True)
class World:
    """A folder's content. ``pages`` are by slug and ``files`` by name; ``digest`` changes with
    anything in it."""

    folder: Path
    pages: Mapping[str, Page]
    files: Mapping[str, Path]
    questions: tuple[Question, ...]
    digest: str


def read_world(folder: Path) -> World:
    """Read a folder, and see that everything that it names is there.

    Raises:
        WorldError: something is wrong with it.
    """
    folder = folder.resolve()
    sources = sorted((folder / "pages").glob("*.md"))
    if not sources:
        raise WorldError(f"{folder / 'pages'}: there are no pages (*.md).")
    files = {p.name: p for p in sorted((folder / "files").glob("*")) if p.is_file()}
    pages = {path.stem: read_page(path) for path in sources}
    numbered = read_questions(folder / "questions.jsonl")
    _check_names(folder, pages.values())
    _check_links(folder, pages, files)
    _check_questions(folder / "questions.jsonl", numbered, pages, files)
    read = [*sources, *files.values(), folder / "questions.jsonl"]
    questions = tuple(question for _, question in numbered)
    return World(folder, pages, files, questions, digest(folder, read))


def digest(folder: Path, files: Iterable[Path]) -> str:
    """Twelve hexadecimal digits of what the files below ``folder`` are called and hold."""
    found = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()[:12]


def _check_names(folder: Path, pages: Iterable[Page]) -> None:
    owners: dict[str, Page] = {}
    for page in pages:
        for line, names in ((1, (page.title,)), (2, page.aliases)):
            for name in names:
                other = owners.setdefault(name.casefold(), page)
                if other is not page:
                    raise WorldError(
                        f"{folder / 'pages' / page.slug}.md, line {line}: {name!r} is a name of "
                        f"{other.slug}.md already."
                    )


def _check_links(folder: Path, pages: Mapping[str, Page], files: Mapping[str, Path]) -> None:
    for page in pages.values():
        for line, target in page.links:
            name = target.removeprefix(FILES)
            if name not in (files if target.startswith(FILES) else pages):
                raise WorldError(
                    f"{folder / 'pages' / page.slug}.md, line {line}: it links to {target}, which "
                    "is not there."
                )


def _check_questions(
    path: Path,
    numbered: Iterable[tuple[int, Question]],
    pages: Mapping[str, Page],
    files: Mapping[str, Path],
) -> None:
    for line, question in numbered:
        for slug in question.pages:
            if slug not in pages:
                raise WorldError(f"{path}, line {line}: there is no page {slug}.")
        if question.file_name and question.file_name not in files:
            raise WorldError(f"{path}, line {line}: there is no file {question.file_name}.")
