from typing import Annotated
from semantic_kernel.functions import kernel_function, KernelPlugin
class Orders:
    @kernel_function(name="add_order", description="Adds an order.")
    def add_order(self, customer: Annotated[str, "The customer."], count: Annotated[int, "How many."] = 1) -> str:
        return customer
plugin = KernelPlugin.from_object("orders", Orders())
