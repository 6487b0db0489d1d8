"""The two ways an outside platform says no."""


class Unreachable(Exception):
    """It did not answer, or asked us to come back: try again later."""


class Rejected(Exception):
    """It understood and refused: trying again cannot help."""
