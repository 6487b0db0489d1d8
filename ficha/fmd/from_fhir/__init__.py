"""FHIR read back into the models: `to_fhir` of each model the other way round, by the same tables of codes."""
