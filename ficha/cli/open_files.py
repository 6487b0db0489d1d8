"""How many connections a process can keep open: each is an open file, and so is each of the database."""

import resource

import typer

# For the databases, logs and listening sockets of a process.
OTHER_FILES = 512


def possible_connections(wanted: int) -> int:
    """`wanted`, or as many as the system allows. The limit of this process and its children is raised as far as that
    needs; without it, connections that send nothing would leave no file for the database."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    possible = wanted if soft == resource.RLIM_INFINITY else min(wanted, max(soft - OTHER_FILES, soft // 2))
    if possible < wanted:
        typer.echo(f"Only {possible} connections at once: the system allows {soft} open files (ulimit -n).", err=True)
    return possible
