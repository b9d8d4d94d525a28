from fastmcp import FastMCP
mcp = FastMCP("orders")
@mcp.tool
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order."""
    return customer
