"""A table of people in a database of its own, and commands that read it."""

import os
import sqlite3

import polars as pl
import psycopg

from tests.command_line import voile
from tests.servers.postgresql import PASSWORD

COLUMNS = {
    "name": "identifying",
    "age": {"role": "qi", "type": "integer"},
    "born": {"role": "qi", "type": "date"},
    "town": {"role": "qi"},
    "income": {"role": "qi", "type": "decimal"},
    "disease": "sensitive",
}
SPEC = """
[columns]
name = { role = "identifying" }
age = { role = "qi", type = "integer" }
born = { role = "qi", type = "date" }
town = { role = "qi" }
income = { role = "qi", type = "decimal" }
disease = { role = "sa" }
"""
_DISEASES = ["flu", "ulcer", "asthma", "HIV", "gout"]


def people(rows=60):
    """As text, like a CSV has it."""
    numbers = range(rows)
    return pl.DataFrame(
        {
            "name": [f"Person{i}" for i in numbers],
            "age": [str(20 + i * 7 % 37) for i in numbers],
            "born": [f"19{50 + i % 40}-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in numbers],
            "town": [f"town{i * 5 % 11}" for i in numbers],
            "income": [f"{i * 13 % 50}.5" for i in numbers],
            "disease": [_DISEASES[i % 5] for i in numbers],
        }
    )


def connected(address):
    """A second client: looks, and makes what a test needs."""
    return psycopg.connect(address, password=PASSWORD, autocommit=True)


def new_database(server, name):
    """The address of an empty database."""
    with connected(server.address()) as connection:
        connection.execute(f"drop database if exists {name} with (force)")
        connection.execute(f"create database {name}")
    return server.address(name)


def fill(address, frame=None, table="patients"):
    """Typed as a clinic would."""
    frame = people() if frame is None else frame
    with connected(address) as connection:
        connection.execute(
            f"create table {table} "
            "(name text, age integer, born date, town varchar(40), income numeric(8, 2), disease text)"
        )
        with connection.cursor() as cursor, cursor.copy(f"copy {table} from stdin") as copy:
            for row in frame.iter_rows():
                copy.write_row(row)
    return address


def fill_sqlite(path, frame=None, table="patients"):
    """The same in a file."""
    frame = people() if frame is None else frame
    with sqlite3.connect(path) as connection:
        connection.execute(f"create table {table} (name text, age integer, born text, town text, income, disease)")
        connection.executemany(f"insert into {table} values (?, ?, ?, ?, ?, ?)", frame.rows())
    connection.close()
    return path


def tables_of(address):
    """Names of all tables that a second client sees."""
    query = "select tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')"
    with connected(address) as connection:
        return {name for (name,) in connection.execute(query)}


def client(*arguments, cwd, password=PASSWORD, **more):
    """`voile ARGUMENTS` with the password in the environment, as a steward sets it."""
    return voile(*arguments, cwd=cwd, env={**os.environ, "PGPASSWORD": password, **more})
