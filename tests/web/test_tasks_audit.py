"""What the pages of an audit are told by their children."""

import pytest

from voile.errors import InputError, OutputError
from voile.pipeline import publish
from voile.web.tasks import audit_table, inspect_published

SPEC = """[columns]
name = { role = "identifying" }
age = { role = "qi", type = "integer" }
cost = { role = "sensitive", type = "integer" }
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    place = tmp_path_factory.mktemp("source")
    rows = [f"person {i},{20 + i % 40},{100 + i * 7 % 12}" for i in range(120)]
    (place / "people.csv").write_text("name,age,cost\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (place / "people.toml").write_text(SPEC, encoding="utf-8")
    return place


def released(source, out, algorithm="rda"):
    publish(source / "people.csv", source / "people.toml", algorithm, out, l=2)
    return out / "data.csv"


def silent(stage, share):
    pass


def inspected(path, **options):
    return inspect_published.run({"path": str(path), **options}, silent)


def audited(path, folder, columns, **options):
    spec = folder / "spec.toml"
    lines = [
        f"{name} = {{ {', '.join(f'{k} = {chr(34)}{v}{chr(34)}' for k, v in c.items())} }}" for name, c in columns
    ]
    spec.write_text("[columns]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return audit_table.run(
        {"path": str(path), "spec": str(spec), "out": str(folder / "audit.html"), **options}, silent
    )


def written(found):
    return [(column["name"], column["written"]) for column in found["columns"]]


@pytest.mark.parametrize("algorithm", ["rda", "anatomy"])
def test_a_release_says_what_its_columns_are(source, tmp_path, algorithm):
    path = released(source, tmp_path / "out", algorithm)
    found = inspected(path)
    assert found["certified"]
    assert written(found) == [
        ("age", {"role": "quasi-identifying"}),
        ("cost", {"role": "sensitive", "type": "integer"}),
    ]
    told = audited(path, tmp_path, written(found))
    assert told["ok"] and told["judged"] and told["certified"] and told["digest_matches"]
    assert 0 < told["best_guess"] <= 1 / 2
    assert (tmp_path / "audit.html").is_file()


def test_a_changed_release(source, tmp_path):
    path = released(source, tmp_path / "out")
    columns = written(inspected(path))
    path.write_bytes(path.read_bytes().replace(b"101", b"102", 1))
    told = audited(path, tmp_path, columns, against="series")
    assert not told["ok"]
    assert any("digest differs" in line for line in told["failures"])
    assert any("no release of a series" in line for line in told["failures"])


def test_an_edited_certificate_proposes_nothing_strange(source, tmp_path):
    path = released(source, tmp_path / "out")
    certificate = path.with_name("certificate.json")
    text = certificate.read_text(encoding="utf-8")
    certificate.write_text(text.replace('"quasi-identifying"', '"<script>"'), encoding="utf-8")
    found = inspected(path)
    assert dict(written(found))["age"]["role"] != "<script>"


def test_a_table_without_a_certificate(tmp_path):
    path = tmp_path / "foreign.csv"
    path.write_text("group,sex,disease\n1,f,flu\n1,f,gout\n2,m,flu\n2,m,flu\n", encoding="utf-8")
    found = inspected(path)
    assert not found["certified"]
    assert [name for name, _ in written(found)] == ["sex", "disease"]
    assert not found["warnings"] and "ways_out" not in found
    assert not any("question" in column for column in found["columns"])
    told = audited(path, tmp_path, [("sex", {"role": "qi"}), ("disease", {"role": "sensitive"})])
    assert (told["best_guess"], told["smallest"], told["judged"], told["certified"]) == (1, 2, False, False)


def test_another_encoding_stays_said(tmp_path):
    path = tmp_path / "foreign.csv"
    path.write_bytes("sex,disease\nf,fi\u00e8vre\nm,flu\n".encode("latin-1"))
    with pytest.raises(InputError):
        inspected(path)
    assert inspected(path, file={"encoding": "latin-1"})["file"] == {"encoding": "latin-1"}


def test_a_page_is_never_written_over(tmp_path):
    path = tmp_path / "foreign.csv"
    path.write_text("sex,disease\nf,flu\nm,gout\n", encoding="utf-8")
    (tmp_path / "audit.html").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError):
        audited(path, tmp_path, [("sex", {"role": "qi"}), ("disease", {"role": "sensitive"})])
