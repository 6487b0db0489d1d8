"""The models of the medical record. `fmd/catalog.py` lists them."""
