"""One validated object from one reply: the schema that goes over the wire, and reading it back.

The object is taken from wherever it stands in the text, salvaged if it is nearly right (see
``agent.llm.salvage``), and validated.
"""

import json
import re
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from agent.llm.reasoning import split_reasoning
from agent.llm.salvage import coerce, nearest, objects

T = TypeVar("T", bound=BaseModel)

_MAX_LENGTH_IN_GRAMMAR = 400
"""Longer bounds make llama.cpp's grammars slow or are refused by them; ``num_predict`` bounds those
strings instead."""


class ReplyError(ValueError):
    """A reply that could not be read; the message tells the model what was wrong."""


class Schema(Generic[T]):
    """What a reply must look like: one of ``variants``, told apart by their ``action``."""

    def __init__(self, *variants: type[T]) -> None:
        schemas = {variant: _inline(variant.model_json_schema()) for variant in variants}
        self.variants = {_action(s) or v.__name__: v for v, s in schemas.items()}
        self._schemas = dict(zip(self.variants, schemas.values(), strict=True))
        self._has_actions = any(map(_action, schemas.values()))

    @cached_property
    def wire(self) -> dict[str, Any]:
        """The JSON schema as a provider's grammar takes it: no references, titles or prose."""
        schemas = [_for_grammar(schema) for schema in self._schemas.values()]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    @property
    def sketch(self) -> str:
        """The schema as words in a prompt, for a server that does not enforce it."""
        forms = [json.dumps(_example(schema)) for schema in self._schemas.values()]
        return "Reply with one JSON object and nothing else, in this form:\n" + "\nor ".join(forms)

    def read(self, text: str) -> T:
        """The object in ``text``: the first one that fits.

        Raises:
            ReplyError: there is none, or it does not fit even after repair.
        """
        first_error: ReplyError | None = None
        for data in objects(split_reasoning(text)[1]):
            try:
                return self._fit(data)
            except ReplyError as error:
                first_error = first_error or error
        raise first_error or ReplyError("The reply holds no JSON object.")

    def _fit(self, data: dict[str, Any]) -> T:
        name = self._variant_for(data)
        try:
            return self.variants[name].model_validate(coerce(data, self._schemas[name]))
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3]
            )
            raise ReplyError(f"The reply does not fit: {problems}.") from error
        except (ValueError, RecursionError) as error:  # numbers or nesting beyond all measure
            raise ReplyError(f"The reply cannot be read: {error}.") from error

    def _variant_for(self, data: dict[str, Any]) -> str:
        if not self._has_actions:
            return next(iter(self.variants))
        key = nearest("action", list(data)) or ""
        name = nearest(str(data.get(key, "")), list(self.variants))
        if name is None:
            raise ReplyError(f"action must be one of: {', '.join(self.variants)}.")
        return name


def partial_thought(text: str) -> str:
    """The thought in a reply that is still being written, as far as it has come.

    That is the reasoning before the object, then the ``thought`` field, or the ``task`` that the
    supervisor sets. It only ever grows as ``text`` does.
    """
    import jiter

    reasoning, rest = split_reasoning(text)
    start = re.search(r'\{\s*"', rest)
    if start is None:
        return reasoning
    try:
        body = rest[start.start() :].encode(errors="replace")
        data = jiter.from_json(body, partial_mode="trailing-strings")
    except ValueError:
        data = _whole_object(rest, start.start())  # the fence or words after it
    thought = data.get("thought") or data.get("task") if isinstance(data, dict) else None
    return reasoning + (thought if isinstance(thought, str) else "")


def _whole_object(text: str, start: int) -> Any:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _action(schema: dict[str, Any]) -> str | None:
    value = schema.get("properties", {}).get("action", {}).get("const")
    return value if isinstance(value, str) else None


def _inline(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without references, titles, descriptions and defaults."""
    definitions = schema.get("$defs", {})

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return walk(definitions[node["$ref"].rsplit("/", 1)[-1]])
        return {
            key: (
                {name: walk(sub) for name, sub in value.items()}
                if key == "properties"
                else value
                if key in {"const", "enum"}
                else walk(value)
            )
            for key, value in node.items()
            if key not in {"$defs", "title", "description", "default"}
        }

    inlined: dict[str, Any] = walk(schema)
    return inlined


def _for_grammar(node: Any) -> Any:
    if isinstance(node, list):
        return [_for_grammar(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: value if key in {"const", "enum"} else _for_grammar(value)
        for key, value in node.items()
        if not (key == "maxLength" and isinstance(value, int) and value > _MAX_LENGTH_IN_GRAMMAR)
    }
    if kept.get("type") == "object":
        kept.setdefault("additionalProperties", False)
    return kept


def _example(schema: dict[str, Any]) -> Any:
    """A value that shows what ``schema`` wants."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    match schema.get("type"):
        case "object":
            return {name: _example(sub) for name, sub in schema.get("properties", {}).items()}
        case "array":
            return [_example(schema.get("items", {}))]
        case "integer" | "number":
            return 0
        case "boolean":
            return True
        case _:
            return "..."
