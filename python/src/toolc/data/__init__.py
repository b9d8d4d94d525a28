"""The declarations of a compiled catalog as plain data."""
