"""Errors of calls."""
