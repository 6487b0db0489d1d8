"""Events told to integrators: the addresses that staff and institutions registered, and what is delivered to each."""
