"""The owner sees her record as others see it, by what draws it for them."""
