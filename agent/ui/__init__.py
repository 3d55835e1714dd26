"""The Gradio interface: one module a tab, and events turned into components."""
