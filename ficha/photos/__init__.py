"""A person's photo: read in a process of its own, stored encrypted, shown as a thumbnail; backgrounds removed."""
