"""The stories: what happens, in which order, and what is rolled back when it fails."""
