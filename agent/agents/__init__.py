"""Specialists: data for one loop.

``SPEC_BUILDERS`` is the list that the router's schema, the graph's nodes and the supervisor's
roster are made from. Adding a specialist is a ``spec()`` function and an entry here.
"""

from collections.abc import Callable

from agent.agents import code, web
from agent.agents.base import SpecialistSpec
from agent.config import Settings

SPEC_BUILDERS: tuple[Callable[[Settings], SpecialistSpec], ...] = (web.spec, code.spec)
