"""Serves LLM tools that toolc has compiled: their definitions in the form of each vendor, and typed, repaired and validated arguments of
the calls that a model makes.

```python
from toolc import Catalog

catalog = Catalog.load("catalog.json")
turn = catalog.turn("anthropic")
send_to_model(turn.definitions)
response = turn.call(name, arguments, handlers)
send_to_model(response.text)
```
"""

from __future__ import annotations

from .args.limits import Limits
from .args.repairs import Repair
from .args.rules import RepairRule
from .call import Call, Response
from .catalog import FORMAT, Catalog
from .data.condition import FactValue
from .data.tool import Tool
from .environment import Environment
from .errors import CatalogError
from .result.error import ErrorKind, Problem, ToolError
from .turn import Arguments, Handlers, Turn

__version__ = "0.1.0"

__all__ = [
    "FORMAT",
    "Arguments",
    "Call",
    "Catalog",
    "CatalogError",
    "Environment",
    "ErrorKind",
    "FactValue",
    "Handlers",
    "Limits",
    "Problem",
    "Repair",
    "RepairRule",
    "Response",
    "Tool",
    "ToolError",
    "Turn",
]
