"""The models of the medical record, one small file each. `fmd/catalog.py` lists them."""
