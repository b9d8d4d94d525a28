"""Errors of programs that use this package. Errors of calls are `ToolError`."""

from __future__ import annotations


class CatalogError(ValueError):
    """A compiled catalog cannot be read, or does not have what a program names: a dialect, a toolset, a tool or a fact."""
