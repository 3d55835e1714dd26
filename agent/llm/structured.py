"""One validated object from one reply: the schema that goes over the wire, and reading it back.

A reply is read in three stages, none of which costs a call: as JSON; repaired JSON (code fences,
prose around it, trailing commas, a missing brace); near-misses of names and values.
"""

import difflib
import re
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

T = TypeVar("T", bound=BaseModel)

_MAX_LENGTH_IN_GRAMMAR = 400
"""Longer bounds make llama.cpp's grammars slow or are refused by them; ``num_predict`` bounds those
strings instead."""
_THINK = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.DOTALL)


class ReplyError(ValueError):
    """A reply that could not be read; the message tells the model what was wrong."""


class Schema(Generic[T]):
    """What a reply must look like: one of ``variants``, told apart by their ``action``."""

    def __init__(self, *variants: type[T]) -> None:
        self.variants = {_action(v) or v.__name__: v for v in variants}

    @property
    def wire(self) -> dict[str, Any]:
        """The JSON schema as a provider's grammar takes it: no references, titles or prose."""
        schemas = [_inline(TypeAdapter(v).json_schema()) for v in self.variants.values()]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def read(self, text: str) -> T:
        """The object in ``text``.

        Raises:
            ReplyError: there is none, or it does not fit even after repair.
        """
        data = _load(strip_reasoning(text))
        variant = self._variant_for(data)
        try:
            return variant.model_validate(_coerce(data, _inline(variant.model_json_schema())))
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3]
            )
            raise ReplyError(f"The reply does not fit: {problems}.") from error

    def _variant_for(self, data: dict[str, Any]) -> type[T]:
        only = next(iter(self.variants.values()))
        if len(self.variants) == 1 and _action(only) is None:
            return only
        key = _nearest("action", list(data)) or ""
        name = _nearest(str(data.get(key, "")), list(self.variants))
        if name is None:
            allowed = ", ".join(self.variants)
            raise ReplyError(f"action must be one of: {allowed}.")
        return self.variants[name]


def strip_reasoning(text: str) -> str:
    """The reply without ``<think>`` passages."""
    return _THINK.sub("", text)


def partial_thought(text: str) -> str:
    """The thought in a reply that is still being written, as far as it has come.

    That is reasoning between ``<think>`` tags, then the ``thought`` field, or the ``task`` that the
    supervisor sets.
    """
    import jiter

    reasoning = "".join(_THINK.findall(text))
    start = strip_reasoning(text).find("{")
    if start < 0:
        return reasoning
    body = strip_reasoning(text)[start:].encode()
    try:
        data = jiter.from_json(body, partial_mode="trailing-strings")
    except ValueError:
        return reasoning
    if not isinstance(data, dict):
        return reasoning
    thought = data.get("thought") or data.get("task")
    return reasoning + (thought if isinstance(thought, str) else "")


def _action(variant: type[BaseModel]) -> str | None:
    field = variant.model_json_schema().get("properties", {}).get("action", {})
    value = field.get("const")
    return value if isinstance(value, str) else None


def _inline(schema: dict[str, Any]) -> dict[str, Any]:
    definitions = schema.get("$defs", {})

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return walk(definitions[node["$ref"].rsplit("/", 1)[-1]])
        kept = {
            key: (
                {name: walk(sub) for name, sub in value.items()}
                if key == "properties"
                else walk(value)
            )
            for key, value in node.items()
            if key not in {"$defs", "title", "description", "default"}
            and not (key == "maxLength" and value > _MAX_LENGTH_IN_GRAMMAR)
        }
        if kept.get("type") == "object":
            kept["additionalProperties"] = False
        return kept

    inlined: dict[str, Any] = walk(schema)
    return inlined


def _load(text: str) -> dict[str, Any]:
    import json_repair

    start = text.find("{")
    if start < 0:
        raise ReplyError("The reply holds no JSON object.")
    data = json_repair.loads(text[start:])
    if isinstance(data, list):  # several objects, or an object and stray text after it
        data = next((item for item in data if isinstance(item, dict)), None)
    if not isinstance(data, dict) or not data:
        raise ReplyError("The reply holds no JSON object.")
    return data


def _coerce(data: Any, schema: dict[str, Any]) -> Any:
    """Bring near-misses into the schema's form; what is already right is left alone."""
    if "const" in schema:
        return schema["const"]  # nothing else could have been said; ``action`` was checked before
    if "enum" in schema:
        return _nearest(str(data), [str(option) for option in schema["enum"]]) or data
    match schema.get("type"):
        case "object" if isinstance(data, str) and len(schema.get("properties", {})) > 0:
            first = next(iter(schema["properties"]))
            return _coerce({first: data}, schema)
        case "object" if isinstance(data, dict):
            properties = schema.get("properties", {})
            renamed = {_nearest(key, list(properties)) or key: v for key, v in data.items()}
            return {
                k: _coerce(v, properties[k]) if k in properties else v for k, v in renamed.items()
            }
        case "string" if isinstance(data, int | float | bool):
            return str(data)
        case "string" if isinstance(data, str) and "maxLength" in schema:
            return data[: schema["maxLength"]]
        case "string" if isinstance(data, list):
            return ", ".join(map(str, data))
    return data


def _nearest(word: str, options: list[str]) -> str | None:
    """The option that ``word`` must mean: the same but for case and marks, or a close match."""

    def bare(text: str) -> str:
        return re.sub(r"[^a-z0-9]", "", text.lower())

    if word in options:
        return word
    same = [o for o in options if bare(o) == bare(word)]
    close = same or difflib.get_close_matches(word, options, n=1, cutoff=0.75)
    return close[0] if close else None
