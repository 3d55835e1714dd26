"""List prices of a few hosted models, as data.

US dollars per million tokens of the standard tier: read, read from the provider's cache, written.
As the package genai-prices 0.2.3 lists them; https://platform.openai.com/docs/pricing and
https://groq.com/pricing have the providers' own. They are for orientation: the provider's bill is
what counts. A model that is not here gets the simulated price.
"""

from urllib.parse import urlsplit

from agent.obs.metrics import Price

LIST_PRICES: dict[str, dict[str, tuple[float, float, float]]] = {
    "api.openai.com": {
        "gpt-4o": (2.50, 1.25, 10.00),
        "gpt-4o-mini": (0.15, 0.075, 0.60),
        "gpt-4.1": (2.00, 0.50, 8.00),
        "gpt-4.1-mini": (0.40, 0.10, 1.60),
        "gpt-4.1-nano": (0.10, 0.025, 0.40),
        "gpt-5": (1.25, 0.125, 10.00),
        "gpt-5-mini": (0.25, 0.025, 2.00),
        "gpt-5-nano": (0.05, 0.005, 0.40),
    },
    "api.groq.com": {
        "openai/gpt-oss-120b": (0.15, 0.075, 0.60),
    },
}
"""By host and model: the same name costs something else elsewhere."""


def price_of(base_url: str, model: str) -> Price:
    """The list price of a hosted model, or the simulated price where none is known."""
    listed = LIST_PRICES.get(urlsplit(base_url).hostname or "", {}).get(model)
    if listed is None:
        return Price()
    read, cached, written = listed
    return Price(
        basis="list price",
        per_call=0,
        per_million_in=read,
        per_million_cached=cached,
        per_million_out=written,
    )
