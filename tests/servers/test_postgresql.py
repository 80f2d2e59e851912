"""The server that other tests rely on."""

import psycopg

from tests.servers.postgresql import OWNER, PASSWORD


def test_it_runs_and_wants_the_password(postgresql):
    with psycopg.connect(postgresql.address(), password=PASSWORD) as connection:
        assert connection.execute("select current_user").fetchone() == (OWNER,)
    try:
        psycopg.connect(postgresql.address(), password="wrong").close()
        refused = False
    except psycopg.OperationalError:
        refused = True
    assert refused


def test_it_comes_back_after_a_crash(postgresql):
    with psycopg.connect(postgresql.address(), password=PASSWORD) as connection:
        connection.execute("create table kept (number integer)")
    postgresql.kill()
    postgresql.start()
    with psycopg.connect(postgresql.address(), password=PASSWORD) as connection:
        assert connection.execute("select count(*) from kept").fetchone() == (0,)
        connection.execute("drop table kept")
