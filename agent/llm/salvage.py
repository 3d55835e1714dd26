"""Salvage: from a reply that is nearly right to the object that it must mean, without a call.

First the text is searched for JSON, repaired if need be; then names, types and places that are
nearly the schema's are made so.
"""

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any

_REPAIRABLE_CHARS = 4000
"""The repair takes time that grows with the square of the text: half a second for 4000 braces."""
_MAX_STARTS = 50
"""Braces at which a JSON object is looked for."""
_STRING_OR_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_IMPLIED_NOTHING = object()


def objects(text: str) -> Iterator[dict[str, Any]]:
    """What may be the reply, most likely first: JSON as it stands, then the first of it repaired.

    Words may come before it, in between and after, with braces of their own.
    """
    start = text.find("{")
    for _ in range(_MAX_STARTS):
        if start < 0:
            break
        try:
            data, end = json.JSONDecoder(strict=False).raw_decode(text, start)
        except (ValueError, RecursionError):
            data, end = None, start + 1
        if isinstance(data, dict) and data:
            yield data
            inner = next(iter(data.values()))
            if len(data) == 1 and isinstance(inner, dict):
                yield inner  # wrapped in a name: {"step": {...}}
        start = text.find("{", end)
    if found := re.search(r"""\{\s*["']""", text) or re.search(r"\{", text):
        damaged = text[found.start() :]
        yield from filter(None, (_completed(damaged), _repaired(damaged)))


def _completed(text: str) -> dict[str, Any] | None:
    """An object that lacks its last braces or has a comma before one."""
    import jiter

    whole = text.rstrip().removesuffix("```").rstrip()
    body = _STRING_OR_TRAILING_COMMA.sub(lambda m: m[1] or "", whole).encode(errors="replace")
    try:
        data = jiter.from_json(body, partial_mode="trailing-strings")
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _repaired(text: str) -> dict[str, Any] | None:
    """An object with commas, quotes or braces out of place."""
    import json_repair

    try:
        data = json_repair.loads(text[:_REPAIRABLE_CHARS], skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return None
    if isinstance(data, list):  # several objects, or an object and stray text after it
        data = next((item for item in data if isinstance(item, dict)), None)
    return data if isinstance(data, dict) else None


def coerce(data: Any, schema: dict[str, Any]) -> Any:
    """Bring near-misses into the schema's form; what is already right is left alone."""
    if "const" in schema:
        return schema["const"]  # nothing else could have been said; ``action`` was checked before
    if "enum" in schema:
        return _coerce_choice(data, schema["enum"])
    match schema.get("type"):
        case "object" if isinstance(data, dict):
            return _coerce_object(data, schema.get("properties", {}))
        case "object" if schema.get("properties") and not isinstance(data, list):
            return coerce({next(iter(schema["properties"])): data}, schema)
        case "array" if isinstance(data, list):
            return [coerce(item, schema.get("items", {})) for item in data]
        case "array" if data is not None:
            return [coerce(data, schema.get("items", {}))]
        case "string":
            return _coerce_string(data, schema.get("maxLength"))
    return data


def _coerce_choice(data: Any, options: list[Any]) -> Any:
    if data in options:
        return data
    named = {str(option): option for option in options}
    name = nearest(str(data), [*named])
    return data if name is None else named[name]


def _coerce_object(data: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    named = {key: value for key, value in data.items() if key in properties}
    strays: dict[str, Any] = {}
    for key, value in data.items():
        name = nearest(key, [p for p in properties if p not in named])
        if key not in properties:
            (named if name else strays)[name or key] = value
    for name, schema in properties.items():
        if name in named:
            continue
        if (implied := _implied(schema)) is not _IMPLIED_NOTHING:
            named[name] = implied
        elif strays.keys() & schema.get("properties", {}).keys():
            named[name], strays = strays, {}  # arguments beside ``args`` instead of inside
    fitted = {k: coerce(v, properties[k]) if k in properties else v for k, v in named.items()}
    return {**strays, **fitted}


def _implied(schema: dict[str, Any]) -> Any:
    """The only value that ``schema`` allows, if there is only one."""
    if "const" in schema:
        return schema["const"]
    parts = {name: _implied(sub) for name, sub in schema.get("properties", {}).items()}
    return parts if parts and _IMPLIED_NOTHING not in parts.values() else _IMPLIED_NOTHING


def _coerce_string(data: Any, max_length: int | None) -> Any:
    match data:
        case str():
            return data[:max_length]
        case None:
            return ""
        case int() | float():
            return str(data)
        case list():
            return ", ".join(map(str, data))[:max_length]
        case _:
            return data


def nearest(word: str, options: list[str]) -> str | None:
    """The option that ``word`` must mean: the same but for case and marks, or a close match."""

    def bare(text: str) -> str:
        return re.sub(r"[^a-z0-9]", "", text.lower())

    if word in options:
        return word
    same = [o for o in options if bare(o) and bare(o) == bare(word)]
    close = same or difflib.get_close_matches(word[:100], options, n=1, cutoff=0.75)
    return close[0] if close else None
