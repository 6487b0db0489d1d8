"""The medical record: reading, changing, its history, and who else may open it."""

from ficha.api.fmd import changes, grants, history, reads, schemas_and_terms

# The first that matches answers: names like /fmd/schemas come before /fmd/{code}.
OPERATIONS = (
    schemas_and_terms.operations,
    history.operations,
    grants.operations,
    changes.operations,
    reads.operations,
)
