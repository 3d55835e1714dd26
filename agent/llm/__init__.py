"""Language models behind one name: providers, the structured step, the token window."""
