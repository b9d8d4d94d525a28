"""The availability of tools: which toolsets grant them, and which of their requirements are met."""
