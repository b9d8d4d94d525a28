from crewai.tools import tool, BaseTool
from pydantic import BaseModel, Field
@tool("add_order")
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order."""
    return customer
class In(BaseModel):
    customer: str = Field(description="The customer.")
class ListOrders(BaseTool):
    name: str = "list_orders"
    description: str = "Lists orders."
    args_schema: type[BaseModel] = In
    def _run(self, customer: str) -> str: return ""
orders = ListOrders()
