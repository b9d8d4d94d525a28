"""Texts: names, suggestions, JSON, and what is shown to people and models."""
