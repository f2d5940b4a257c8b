"""Tables written back in the layout they came in, with a mark wherever a number is not shown or would give one back."""
