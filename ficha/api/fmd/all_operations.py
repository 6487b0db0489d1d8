"""The operations of this area, apart from the package: the fast lane uses a file of it and none of these."""

from ficha.api.fmd import (
    access_log,
    emergency_contacts,
    export,
    grants,
    hand_overs,
    history,
    model_changes,
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
    access_log.operations,
    export.operations,
    grants.operations,
    hand_overs.operations,
    record_changes.operations,
    emergency_contacts.operations,
    model_changes.operations,
    reads.operations,
)
