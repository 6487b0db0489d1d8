"""The record in the words of FHIR R4: the International Patient Summary as a document, and what of it we support."""
