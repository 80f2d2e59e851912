"""Pages as files: the steward's lie in no folder that is handed out, and all are there whole or not at all."""

import os
import signal
import stat

import pytest

from voile.errors import InputError, OutputError, ParameterError
from voile.output import writers
from voile.reporting.page_files import refuse_published, write_page
from voile.reporting.source_file import refuse_other_source


@pytest.fixture
def release(tmp_path):
    folder = tmp_path / "r1"
    (folder / "private").mkdir(parents=True)
    for name in ("data.csv", "certificate.json"):
        (folder / name).write_text("{}")
    return folder


def test_in_no_way_among_what_is_published(release, tmp_path, monkeypatch):
    """By its own name, by a link to the folder, by a way that goes up and down, in a folder inside."""
    (tmp_path / "link").symlink_to(release)
    (release / "more").mkdir()
    monkeypatch.chdir(release / "more")
    ways = [release / "x.html", tmp_path / "link" / "x.html", release / "more" / "x.html"]
    ways += [tmp_path / "r1" / "private" / ".." / "x.html", type(release)("../x.html"), type(release)("x.html")]
    for target in ways:
        with pytest.raises(ParameterError, match="never published"):
            refuse_published(target)


def test_a_private_folder_that_leads_back_is_none(release, tmp_path):
    (release / "private").rmdir()
    (release / "private").symlink_to(release)
    with pytest.raises(ParameterError, match="never published"):
        refuse_published(release / "private" / "x.html")


def test_places_that_are_the_stewards(release, tmp_path):
    """Control: the private folder, one that a link leads to, and anywhere outside."""
    (tmp_path / "mine").symlink_to(release / "private")
    for place in (release / "private", tmp_path, tmp_path / "mine"):
        assert refuse_published(place / "x.html", release) is None  # nothing is raised


def test_a_folder_without_a_certificate_is_guarded_where_it_is_named(tmp_path):
    (tmp_path / "r").mkdir()
    refuse_published(tmp_path / "r" / "x.html")
    with pytest.raises(ParameterError):
        refuse_published(tmp_path / "r" / "x.html", tmp_path / "r")


class Killed:
    """A file in whose writing the process is killed."""

    def __init__(self, handle):
        self.handle = handle

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def write(self, content):
        os.write(self.handle, content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)


def killed_while_writing(target, monkeypatch):
    child = os.fork()
    if child == 0:
        writers.os.fdopen = lambda handle, mode: Killed(handle)
        write_page("x" * 10_000, target)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL, "control: it was killed"


def test_a_run_that_is_killed_leaves_no_half_page(tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    killed_while_writing(target, monkeypatch)
    assert not target.exists() and len(list(tmp_path.iterdir())) == 1, "control: something was begun"
    assert write_page("whole", target) == target
    assert target.read_text() == "whole" and stat.S_IMODE(target.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [target], "what the killed run left is swept away"
    assert target.stat().st_nlink == 1


def test_what_came_meanwhile_stays(tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    link = os.link

    def late(staged, name):
        target.write_text("another's")
        link(staged, name)

    monkeypatch.setattr("voile.output.staging.os.link", late)
    with pytest.raises(OutputError, match="exists"):
        write_page("mine", target)
    assert target.read_text() == "another's" and list(tmp_path.iterdir()) == [target]


def test_a_disk_without_second_names(tmp_path, monkeypatch):
    def refused(staged, name):
        raise PermissionError(1, "")

    monkeypatch.setattr("voile.output.staging.os.link", refused)
    assert write_page("mine", tmp_path / "new" / "page.html").read_text() == "mine"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["page.html"]


def test_a_name_that_is_taken(tmp_path):
    (tmp_path / "page.html").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputError, match="never overwritten"):
        write_page("mine", tmp_path / "page.html")


def test_a_source_is_told_by_its_keyed_digest(tmp_path):
    import hashlib
    import hmac

    source, other, private = tmp_path / "t.csv", tmp_path / "u.csv", tmp_path / "private"
    source.write_text("age\n30\n")
    other.write_text("age\n31\n")
    private.mkdir()
    (private / "input.key").write_text("ab" * 32)
    digest = hmac.new(bytes.fromhex("ab" * 32), source.read_bytes(), hashlib.sha256).hexdigest()
    record = {"input_hmac_sha256": digest}
    refuse_other_source(source, record, private)
    refuse_other_source(other, {}, private)
    refuse_other_source(other, {"input_hmac_sha256": 3}, private)
    refuse_other_source(object(), record, private)
    with pytest.raises(InputError, match="not the table that the release was made of"):
        refuse_other_source(other, record, private)
    with pytest.raises(InputError, match="not the table"):
        refuse_other_source(source, {"input_hmac_sha256": "\ud800"}, private)
    (private / "input.key").write_text("no key")
    with pytest.raises(InputError, match="as a key"):
        refuse_other_source(source, record, private)
