"""Results kept on disk, so that a second run asks the network for nothing.

Whatever goes wrong with the cache is a miss: it never fails a tool.
"""

import json
import logging
from collections.abc import Callable, Mapping

from cachelib.file import FileSystemCache
from cachelib.serializers import JSONSerializer

from agent.config import Settings
from agent.tools.registry import ToolContext
from agent.tools.result import ToolResult

EXPIRY_S = 7 * 24 * 3600
"""A week: long enough for a benchmark to be run again, short enough for the web to move on."""
MAX_RESULTS = 2000

_log = logging.getLogger(__name__)


class _JSONCache(FileSystemCache):
    """The library's own serializer is pickle, which would run what it reads."""

    serializer = JSONSerializer()  # type: ignore[assignment]


def remember(
    what: Mapping[str, object], context: ToolContext, run: Callable[[], ToolResult]
) -> ToolResult:
    """The stored result for ``what``, marked ``cached``, or that of ``run``.

    ``what`` is all that the result depends on: tool, arguments, the service that is asked. Only
    successes are stored: a page that was down may be up again.
    """
    if not context.settings.tool_cache:
        return run()
    key = json.dumps(what, sort_keys=True)
    if (stored := _load(context.settings, key)) is not None:
        return stored
    result = run()
    if result.ok:
        _store(context.settings, key, result)
    return result


def _load(settings: Settings, key: str) -> ToolResult | None:
    try:
        value = _open(settings).get(key)
        return ToolResult.model_validate(value | {"cached": True}) if value else None
    except Exception as error:  # a cache that cannot be read is a miss, whatever the reason
        _log.warning("The result cache cannot be read: %s", error)
        return None


def _store(settings: Settings, key: str, result: ToolResult) -> None:
    try:
        _open(settings).set(key, json.loads(result.model_dump_json()))
    except Exception as error:  # a full disk must not cost the result that is at hand
        _log.warning("The result cache cannot be written: %s", error)


def _open(settings: Settings) -> FileSystemCache:
    folder = settings.cache_dir / "tools"
    return _JSONCache(str(folder), threshold=MAX_RESULTS, default_timeout=EXPIRY_S)
