"""Names that models get wrong, and calls with a text."""
