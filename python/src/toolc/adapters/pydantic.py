"""Fields of pydantic whose validation is that of a tool's arguments: they are repaired, validated, and get their defaults.

```python
Find = Annotated[FindOrdersArguments, ToolArguments(turn, "find_orders")]

@app.post("/find_orders")
async def find_orders(arguments: Annotated[Find, Body()]) -> FindOrdersResult: ...
```
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from ..result.error import ToolError
from .calls import definition, name, schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from typing_extensions import LiteralString

    from ..result.error import Problem
    from ..turn import Turn

_WITH_PLACE: Final = "expected {expected}, got {got}"
_WITHOUT_PLACE: Final = "{message}"


class ToolArguments:
    """Marks a type as the arguments of a tool, as in `Annotated[FindOrdersArguments, ToolArguments(turn, "find_orders")]`.

    The type says what the value is: a `TypedDict`, or a model of pydantic, which is made from the valid arguments. The JSON Schema is that
    of the definition. Each problem of the arguments becomes an error with its place.
    """

    def __init__(self, turn: Turn, tool: str) -> None:
        """Raises `ValueError` if the turn does not show the tool. `tool` is the tool's own name."""
        self._turn = turn
        found = definition(turn, tool)
        self._name = name(found)
        self._schema = schema(found)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        read = core_schema.no_info_plain_validator_function(self._read)
        if not (isinstance(source, type) and issubclass(source, BaseModel)):
            return read
        return core_schema.chain_schema([read, handler(source)])

    def __get_pydantic_json_schema__(self, _: core_schema.CoreSchema, __: GetJsonSchemaHandler) -> JsonSchemaValue:
        return dict(self._schema)

    def _read(self, value: object) -> dict[str, Any]:
        try:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise PydanticCustomError("malformed_arguments", "not JSON: {error}", {"error": str(error)}) from None
        try:
            return self._turn.read(self._name, text).arguments
        except ToolError as error:
            kind = error.kind.value
            details = [_detail(kind, one, value) for one in error.problems] or [
                InitErrorDetails(type=_error(kind, _WITHOUT_PLACE, {"message": error.message}), input=value)
            ]
            raise ValidationError.from_exception_data(self._name, details) from None


def _detail(kind: str, problem: Problem, value: Any) -> InitErrorDetails:
    error = _error(kind, _WITH_PLACE, {"expected": problem.expected, "got": problem.got})
    location: list[int | str] = []
    for token in problem.path.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        location.append(int(key) if isinstance(value, list) and key.isdecimal() else key)
        value = _item(value, location[-1])
    return InitErrorDetails(type=error, loc=tuple(location), input=value)


def _error(kind: Any, template: LiteralString, context: dict[str, Any]) -> PydanticCustomError:
    return PydanticCustomError(kind, template, context)


def _item(value: Any, place: int | str) -> Any:
    try:
        return value[place]
    except (LookupError, TypeError):
        return None
