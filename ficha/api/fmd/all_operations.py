"""The operations of this area, apart from the package: the fast lane uses a file of it and none of these."""

from ficha.api.fmd import (
    export,
    grants,
    history,
    reads,
    record_changes,
    records,
    schemas_and_terms,
)

# The first that matches answers: names like /fmd/schemas and /emergency-contacts come before /fmd/{code}/{model}.
OPERATIONS = (
    schemas_and_terms.operations,
    records.operations,
    history.operations,
    export.operations,
    grants.operations,
    record_changes.operations,
    reads.operations,
)
