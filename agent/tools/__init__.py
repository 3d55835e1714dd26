"""Tools: a registry by capability, one module a tool, results that never raise."""
