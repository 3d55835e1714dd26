"""Minimal answers to a JSON schema, so that what a script answers fits whatever was asked."""

import math
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def valid_for(schema: Schema, **preferences: Any) -> Any:
    """A minimal object that ``schema`` accepts.

    A preference is the wanted value of any property of its name, however deep; a dict holds wanted
    values for what is inside that property. Of ``anyOf`` branches the first that can fulfil most
    preferences is taken, so ``action="finish"`` takes the branch whose ``action`` is that constant.
    A preference that the schema rules out is passed over: the result fits all the same.
    ``pattern`` and ``format`` are not understood; give a preference there.
    """
    return _Builder(schema.get("$defs", {})).build(schema, preferences, None)


class _Builder:
    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self._definitions = definitions

    def build(self, schema: Schema, preferences: Mapping[str, Any], wanted: Any) -> Any:
        schema = self._resolve(schema)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            best = max(branches, key=lambda branch: self._score(branch, preferences, wanted))
            return self.build(best, preferences, wanted)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return wanted if wanted in schema["enum"] else schema["enum"][0]
        match _type(schema):
            case "object":
                return self._object(schema, preferences, wanted)
            case "array":
                return self._array(schema, preferences, wanted)
            case "string":
                return _string(schema, wanted)
            case "number" | "integer":
                return _number(schema, wanted)
            case "boolean":
                return wanted is True
            case _:
                return None

    def _object(self, schema: Schema, preferences: Mapping[str, Any], wanted: Any) -> Any:
        inner = {**preferences, **wanted} if isinstance(wanted, dict) else preferences
        properties = schema.get("properties", {})
        return {
            name: self.build(property_, inner, inner.get(name))
            for name, property_ in properties.items()
            if name in schema.get("required", ()) or name in inner
        }

    def _array(self, schema: Schema, preferences: Mapping[str, Any], wanted: Any) -> list[Any]:
        items = wanted if isinstance(wanted, list) else []
        items = items[: schema.get("maxItems", len(items))]
        items = items + [None] * (schema.get("minItems", 0) - len(items))
        return [self.build(schema.get("items", {}), preferences, item) for item in items]

    def _score(self, branch: Schema, preferences: Mapping[str, Any], wanted: Any) -> int:
        """How many preferences the branch can fulfil, and the wanted value itself."""
        branch = self._resolve(branch)
        inner = {**preferences, **wanted} if isinstance(wanted, dict) else preferences
        properties = branch.get("properties", {})
        fulfilled = (
            name in inner and self.build(property_, inner, inner[name]) == inner[name]
            for name, property_ in properties.items()
        )
        itself = wanted is not None and self.build(branch, preferences, wanted) == wanted
        return sum([*fulfilled, itself])

    def _resolve(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        return self._definitions[reference.rsplit("/", 1)[1]] if reference else schema


def _type(schema: Schema) -> str:
    kind = schema.get("type", "object")
    return kind if isinstance(kind, str) else kind[0]


def _string(schema: Schema, wanted: Any) -> str:
    text = wanted if isinstance(wanted, str) else ""
    return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), "x")


def _number(schema: Schema, wanted: Any) -> float:
    whole = schema["type"] == "integer"
    low: float = schema.get("minimum", -math.inf)
    high: float = schema.get("maximum", math.inf)
    if "exclusiveMinimum" in schema:
        low = max(low, math.nextafter(schema["exclusiveMinimum"], math.inf))
    if "exclusiveMaximum" in schema:
        high = min(high, math.nextafter(schema["exclusiveMaximum"], -math.inf))
    number = wanted if _is_json_number(wanted) else 0
    number = int(number) if whole else number
    if number < low:
        return math.ceil(low) if whole else low
    if number > high:
        return math.floor(high) if whole else high
    return number


def _is_json_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) < math.inf
