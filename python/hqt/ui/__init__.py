"""Screens. Given callables, they never call a story themselves."""
