"""The supervisor graph and the orchestrator."""
