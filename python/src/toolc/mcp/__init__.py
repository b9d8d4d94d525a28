"""A client for servers of the Model Context Protocol, such as `toolc mcp serve`.

```python
with Client.stdio(["toolc", "mcp", "serve"]) as client:
    print([tool["name"] for tool in client.tools()])
    print(client.call("read_file", {"path": "README.md", "limit": 5}))
```
"""

from __future__ import annotations

from .client import Client
from .protocol import PROTOCOL_VERSIONS, McpError

__all__ = ["PROTOCOL_VERSIONS", "Client", "McpError"]
