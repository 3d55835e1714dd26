"""Zip archives: a list of members, and what is in them. Nothing is ever unpacked to disk."""

import io
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from agent.tools.markdown import table as markdown_table
from agent.tools.readers import catalog
from agent.tools.readers.model import MAX_BYTES, Ask, Block, File, Picture, Unreadable

MAX_MEMBERS = 500
MAX_TOTAL = 200_000_000
"""Bytes of all members that one reading unpacks."""
MAX_RATIO = 200
"""Unpacked to packed size, from a megabyte on. Text reaches 20, zeros 1000."""
MAX_DEPTH = 3


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The list of members and the text of each, or of the one asked for alone.

    Raises:
        Unreadable: no such member, a member that is refused, or archives nested too deep.
    """
    if ask.depth >= MAX_DEPTH:
        raise Unreadable("too_large", f"lies in archives nested more than {MAX_DEPTH} deep.")
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        members = [m for m in archive.infolist() if not _is_clutter(m)]
        if not members:
            raise Unreadable("unsupported", "is a zip archive with no files in it.")
        if ask.member:
            member, inner = _find(members, ask.member)
            asked = replace(ask, member=inner, depth=ask.depth + 1)
            yield from _content(archive, member, asked)
            return
        yield Block(_listing(members))
        total = 0
        for member in members[:MAX_MEMBERS]:
            total += member.file_size
            more = f'member="{member.filename}"'
            if total > MAX_TOTAL:
                yield Block("\n[The rest is too large to unpack at once.]\n", more)
                return
            yield Block(f"\n## {member.filename}\n\n", more)
            inside = Ask(
                until=ask.until,
                speech_model=ask.speech_model,
                models_dir=ask.models_dir,
                depth=ask.depth + 1,
            )
            try:
                yield from _content(archive, member, inside)
            except Picture as picture:
                yield Block(f"[{_of_picture(picture, more if ask.images else '')}]\n")
            except Unreadable as error:
                yield Block(f"[not read: it {error.message}]\n")


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, ask: Ask) -> Iterator[Block]:
    if reason := _refusal(member):
        raise Unreadable("too_large" if "large" in reason else "unsupported", reason)
    try:
        with archive.open(member) as part:
            data = part.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError) as error:
        raise Unreadable("unsupported", f"is damaged ({error}).") from None
    for block in catalog.read(File(member.filename, data), ask):
        more = f'member="{member.filename}" {block.more}'.strip()
        yield Block(
            block.text + ("" if block.text.endswith("\n") or block.more == "" else "\n"), more
        )


def _refusal(member: zipfile.ZipInfo) -> str:
    """Why a member is not unpacked, or nothing. Sizes are those that the archive states: reading
    never yields more, and fails where they are false."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    ratio = member.file_size / max(member.compress_size, 1)
    if path.is_absolute() or ".." in path.parts or ":" in member.filename[:2]:
        return "has a path that leads out of the archive."
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link, which is not followed."
    if member.flag_bits & 1:
        return "is encrypted: it needs a password."
    if member.file_size > MAX_BYTES or (member.file_size > 1_000_000 and ratio > MAX_RATIO):
        return f"is too large: {member.file_size / 1e6:,.0f} MB unpacked, {ratio:,.0f} times more."
    return ""


def _of_picture(picture: Picture, more: str) -> str:
    """How to have it described is only said where there is a model that sees."""
    asking = f"this is {picture.what}: to have it described call again with {more}"
    return asking if more else f"not read: it {picture.message}"


def _find(members: list[zipfile.ZipInfo], wanted: str) -> tuple[zipfile.ZipInfo, str]:
    """The member meant, and the path that is left for an archive within it."""
    key = wanted.strip().removeprefix("./").casefold()
    for member in members:
        name = member.filename.casefold()
        if key in (name, PurePosixPath(name).name):
            return member, ""
        if name.endswith(".zip") and key.startswith(name + "/"):
            return member, key.removeprefix(name + "/")
    names = ", ".join(f"'{member.filename}'" for member in members[:20])
    raise Unreadable("invalid_args", f"has no member '{wanted}'; its members are: {names}.")


def _listing(members: list[zipfile.ZipInfo]) -> str:
    rows = [[m.filename, f"{m.file_size:,}"] for m in members[:MAX_MEMBERS]]
    left = len(members) - len(rows)
    more = f"and {left:,} more members, which are not read\n" if left else ""
    return f"{len(members):,} members.\n\n{markdown_table([['member', 'bytes'], *rows])}{more}"


def _is_clutter(member: zipfile.ZipInfo) -> bool:
    return member.is_dir() or member.filename.startswith("__MACOSX/")
