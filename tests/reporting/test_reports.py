"""Reports of releases: made again from the folder; what is public, and what is the steward's alone."""

import html
import json
import pickle
import re
import stat
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import voile
from tests.attacking.test_known_audit import SPEC as PEOPLE
from tests.attacking.test_known_audit import people
from tests.command_line import clinic
from tests.command_line import voile as command
from tests.leaks.test_canaries import ROWS, row, tokens_in
from tests.reporting.releases import canary, released
from voile import catalog
from voile.auditing import audited, read_release
from voile.core.draws import InsecureDraws
from voile.core.table import Table
from voile.output.certificate import Claim
from voile.pipeline import released as made
from voile.reporting.learner import NOT_MEASURED, NOTHING_PROMISED
from voile.reporting.page import MOST_DRAWN
from voile.reporting.pages import draft
from voile.reporting.private_report import private_report
from voile.reporting.release_report import drawings_of, release_report
from voile.requirements import promise_of

pytestmark = pytest.mark.slow  # half a second for each report
PUBLIC = {"income", "born", "code", "town", "secret"}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_public_report_is_made_again_from_the_folder(tmp_path, form):
    folder, spec = released(tmp_path, format=form)
    path, found = voile.report(folder, spec, tmp_path / "again.html")
    assert found.ok
    assert path.read_bytes() == (folder / "report.html").read_bytes()
    again, _ = voile.report(folder, spec, tmp_path / "mine.html", source=tmp_path / "t.csv")
    assert again.read_bytes() == (folder / "private" / "report.html").read_bytes()


def test_the_stewards_report_stays_out_of_what_is_published(tmp_path):
    folder, spec = released(tmp_path)
    with pytest.raises(voile.VoileError, match="never published"):
        voile.report(folder, spec, folder / "mine.html", source=tmp_path / "t.csv")
    (tmp_path / "link").symlink_to(folder)
    for published in (folder, folder / "data.csv", tmp_path / "link" / "data.csv"):
        for out in (folder / "mine.html", tmp_path / "link" / "mine.html"):
            with pytest.raises(voile.VoileError, match="never published"):
                voile.report(published, spec, out, source=tmp_path / "t.csv")
    assert not (folder / "mine.html").exists()
    second, _ = voile.report(folder, spec, source=tmp_path / "t.csv")
    assert second == folder / "private" / "report-2.html"
    assert second.read_bytes() == (folder / "private" / "report.html").read_bytes()


def test_another_table_is_not_compared_with(tmp_path):
    """The steward's folder has a keyed digest of the source; where it is gone, nothing can be said."""
    folder, spec = released(tmp_path)
    (tmp_path / "other.csv").write_text((tmp_path / "t.csv").read_text().replace("flu", "cold"))
    with pytest.raises(voile.VoileError, match="not the table that the release was made of"):
        voile.report(folder, spec, tmp_path / "x.html", source=tmp_path / "other.csv")
    assert not (tmp_path / "x.html").exists()
    (folder / "private" / "input.key").unlink()
    assert voile.report(folder, spec, tmp_path / "x.html", source=tmp_path / "other.csv")[0].exists()


def test_modes_and_dates_are_those_of_a_release(tmp_path):
    folder, _ = released(tmp_path)
    for path in (folder / "report.html", folder / "private" / "report.html"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.stat().st_mtime == (folder / "data.csv").stat().st_mtime


def test_the_audit_does_not_mind_the_report(tmp_path):
    """It is no file of the certificate: whoever has the release can make it."""
    folder, spec = released(tmp_path)
    assert "report.html" not in json.loads((folder / "certificate.json").read_text())["files"]
    (folder / "report.html").write_text("another")
    assert voile.audit(folder, spec).ok


def swapped(table, partition):
    """The same table, but inside every group the sensitive values have other owners."""
    column = table.sensitive[0]
    codes = column.codes.copy()
    for group in range(partition.groups):
        rows = np.flatnonzero(partition.group == group)
        codes[rows] = np.roll(codes[rows], 1)
    other = replace(column, codes=codes)
    return Table([other if c is column else c for c in table.columns], schema=table.schema, intake=table.intake)


def test_the_public_report_does_not_depend_on_who_has_what(tmp_path):
    """docs/architecture.md: functions of partition, bags and QI. Swapping values inside groups changes nothing
    there; positive control: it changes what the steward sees."""
    rng = np.random.default_rng(3)
    rows = pl.DataFrame(
        {"age": np.arange(400), "zip": rng.integers(0, 9, 400), "disease": rng.integers(0, 6, 400)}
    ).cast({"disease": pl.String})
    columns = {name: {"role": "qi", "type": "integer"} for name in ("age", "zip")}
    table = voile.read(rows, {**columns, "disease": "sensitive"})
    algorithm = catalog.algorithm("rda").configure({"l": 3}).resolve(table)
    partition = algorithm.partition(table, lambda share: None, InsecureDraws(1))
    claim = Claim(algorithm, promise_of(algorithm))
    public, private = [], []
    for one in (table, swapped(table, partition)):
        release = made(one, partition, claim)
        folder = tmp_path / f"out{len(public)}"
        release.write(folder, with_report=True)
        public.append((folder / "report.html").read_bytes())
        private.append(json.loads((folder / "private" / "record.json").read_text())["query_error"])
    assert public[0] == public[1]
    assert private[0] != private[1]


def test_no_identifying_cell_in_any_report(tmp_path):
    for form in ("csv", "parquet"):
        place = tmp_path / form
        place.mkdir()
        folder, spec = canary(place, form=form)
        for path in (folder / "report.html", folder / "private" / "report.html"):
            assert tokens_in(path.read_text()) <= PUBLIC, path
        assert tokens_in((folder / "private" / "report.html").read_text()), "control: tokens are found"
    voile.report(place / "t.csv", spec, place / "raw.html")
    assert tokens_in((place / "raw.html").read_text()) <= PUBLIC | {"ward"}
    assert not tokens_in((place / "raw.html").read_text(), ("name", "person"))


def test_the_public_report_has_only_labels_of_the_release(tmp_path):
    """Also a value of a quasi-identifier that was generalised away stays out."""
    folder, _ = canary(tmp_path, algorithm="rda")
    data, text = (folder / "data.csv").read_text(), (folder / "report.html").read_text()
    for cells in map(row, range(ROWS)):
        words = [cell for cell in cells if cell.startswith("cnry")]  # ends of bins are numbers, too
        assert all(cell in data for cell in words if cell in text)


def test_a_copy_that_is_sent_elsewhere_takes_no_truth_with_it(tmp_path):
    table, spec = clinic(tmp_path)
    release = voile.anonymize(voile.read(table, spec), l=2)
    assert release.truth is not None
    assert pickle.loads(pickle.dumps(release)).truth is None


def test_worst_groups_are_numbers(tmp_path):
    """A group of one value is named by its number and share, not by the value."""
    lines = ["group,age,disease", *(f"7,30,flu{'' if i else 'x'}" for i in range(5)), *["9,40,gout"] * 3]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    spec = {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    path, found = voile.report(tmp_path / "p.csv", spec, tmp_path / "p.html", require="l>=2")
    assert not found.ok
    text = path.read_text()
    worst = text[text.index("Where a guess is easiest") :]
    worst = worst[: worst.index("</table>")]
    assert "group 9" in worst and worst.index("group 9") < worst.index("group 7")
    assert "100 %" in worst and "80 %" in worst
    assert "gout" not in worst and "flu" not in worst
    assert "is broken" in text


DAMAGED = [
    {"table": None, "adversary": 3, "utility": [], "also": [3]},
    {"table": {"columns": 3, "suppressed": "x"}, "adversary": {"not_promised": "x"}, "attacks": {"a": 1}},
    {"attacks": [3, {"ok": "yes", "interval": 3, "rate": "<b>", "title": "<script>"}], "utility": {"<b>": "<b>"}},
    {"table": {"columns": [3, {"name": 3}, {"loss": "x"}]}, "versions": 3, "date": ["<script>"], "true_values": 3},
]


@pytest.mark.parametrize("change", DAMAGED)
def test_a_certificate_need_not_make_sense(tmp_path, change):
    table, spec = clinic(tmp_path)
    voile.publish(table, spec, "elig", tmp_path / "out", l=2)
    release = read_release(tmp_path / "out", voile.Schema.of(_columns(tmp_path)))
    strange = replace(release, certificate={**release.certificate, **change})
    found = replace(audited(release, []), certificate=strange.certificate)
    text = release_report(found, drawings_of(strange))
    assert "<script" not in text and "<b>" not in text


def _columns(folder):
    return {
        "name": "identifying",
        "age": {"role": "qi", "type": "integer"},
        "zip": {"role": "qi", "hierarchy": str(folder / "zip.csv")},
        "sex": "qi",
        "disease": "sa",
    }


def test_every_algorithm_has_reports(tmp_path):
    """Drawn in memory: generalised values, counterfeits, suppressed rows, decided boxes, two tables."""
    table, spec = clinic(tmp_path, rows=60)
    read = voile.read(table, spec)
    for key in catalog.algorithms():
        bound = catalog.models()[catalog.algorithm(key).promise].bound
        given = {"tau": "0.6", "l": 2} if bound == "tau" else {bound: 2}
        release = voile.anonymize(read, key, **given)
        release.write(tmp_path / key, with_report=True)
        text = (tmp_path / key / "report.html").read_text()
        assert "What is promised" in text and "For the auditor" in text
        assert "Person1" not in text + (tmp_path / key / "private" / "report.html").read_text()


def test_a_table_of_nobody_has_a_report(tmp_path):
    table, spec = clinic(tmp_path, rows=40)
    release = voile.anonymize(voile.read(table, spec), l=2)
    empty = replace(release, frame=release.frame.clear(), truth=None)
    assert draft(empty).drawn.shown[0].rows.size == 0


def test_counts_before_and_after_are_all_rows(tmp_path):
    table, spec = clinic(tmp_path, rows=120)
    read = voile.read(table, spec)
    release = voile.anonymize(read, "rda", l=3)
    record = draft(release).truth
    for entry in record["before_after"]:
        assert sum(entry["before"]) == 120
        assert sum(entry["after"]) == pytest.approx(120, abs=0.1)
    assert [e["selectivity"] for e in record["query_error"]] == [0.01, 0.02, 0.05, 0.1, 0.2]
    assert all(e["quarter"] <= e["median"] <= e["three_quarters"] for e in record["query_error"])


def test_truth_is_not_measured_unasked_where_it_takes_long(tmp_path, monkeypatch):
    import voile.reporting.private_report as module

    monkeypatch.setattr(module, "MOST_ROWS", 10)
    table, spec = clinic(tmp_path)
    read = voile.read(table, spec)
    assert "query_error" not in draft(voile.anonymize(read, l=2)).truth
    assert "query_error" in draft(voile.anonymize(read, l=2, measure="dm")).truth


def test_the_private_report_says_what_it_is(tmp_path):
    folder, _ = released(tmp_path, measure="qwe_median")
    text = (folder / "private" / "report.html").read_text()
    assert text.count("never publish it") == 2
    assert "measured: qwe_median" in text and "keyed digest" in text
    public = (folder / "report.html").read_text()
    assert "qwe_median" not in public and "keyed digest" not in public and "query_error" not in public


def test_series_have_reports(tmp_path):
    (tmp_path / "t.csv").write_text(
        "id,age,disease\n" + "".join(f"p{i},{20 + i},{'abcdef'[i % 6]}\n" for i in range(36))
    )
    spec = {"id": "subject", "age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    series = voile.Series.create(tmp_path / "s.ledger", key=tmp_path / "keys" / "s.key")
    series.publish(voile.read(tmp_path / "t.csv", spec), tmp_path / "r1", m=2, with_report=True)
    text = (tmp_path / "r1" / "report.html").read_text()
    assert "every release of this series" in text
    private = (tmp_path / "r1" / "private" / "report.html").read_text()
    assert "persons of the series: new" in private and "persons of the series" not in text
    assert "p12" not in text + private


def test_the_environment_and_the_option_leave_reports_out(tmp_path, monkeypatch):
    table, spec = clinic(tmp_path)
    release = voile.anonymize(voile.read(table, spec), l=2)
    release.write(tmp_path / "a", with_report=False)
    release.write(tmp_path / "b")  # tests run with VOILE_REPORT=no
    assert not (tmp_path / "a" / "report.html").exists() and not (tmp_path / "b" / "report.html").exists()
    monkeypatch.delenv("VOILE_REPORT")
    release.write(tmp_path / "c")
    assert (tmp_path / "c" / "report.html").exists() and (tmp_path / "c" / "private" / "report.html").exists()


def test_files_are_never_overwritten(tmp_path):
    folder, spec = released(tmp_path)
    with pytest.raises(voile.VoileError, match="already there"):
        voile.report(folder, spec)
    with pytest.raises(voile.VoileError, match="name a file"):
        voile.report(folder / "data.csv", spec)
    (folder / "report.html").unlink()
    assert voile.report(folder, spec)[0] == folder / "report.html"


def test_the_example_of_the_dictionary_is_what_estimate_says(tmp_path):
    folder, spec = released(tmp_path, table=None)
    text = html.unescape((folder / "report.html").read_text())
    query = re.search(r'voile estimate FOLDER "(.+?)" -s SPEC', text)[1]
    number, some, every, product = re.search(r"count (\d+) x (\d+)/(\d+) = ([\d.]+)", text).groups()
    assert int(number) * int(some) / int(every) == pytest.approx(float(product), rel=1e-3)
    found = voile.estimate(folder, query, spec)
    assert found.count >= float(product) * 0.999


def test_command_line(tmp_path):
    table, spec = clinic(tmp_path)
    done = command("anonymize", table, "-s", spec, "-p", "l=2", "-o", tmp_path / "out", "--report")
    assert done.code == 0 and "report.html" in done.out, done.err
    again = command("report", tmp_path / "out", "-s", spec, "-o", tmp_path / "again.html", "--json")
    assert json.loads(again.out) == {"ok": True, "report": str(tmp_path / "again.html"), "private": False}
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "out" / "report.html").read_bytes()
    mine = command("report", tmp_path / "out", "-s", spec, "-o", tmp_path / "mine.html", "--source", table)
    assert mine.code == 0 and "never publish it" in mine.out
    failed = command("report", tmp_path / "out", "-s", spec, "-o", tmp_path / "x.html", "--require", "l>=40")
    assert failed.code == 1 and (tmp_path / "x.html").exists()
    audit = command("audit", table, "-s", spec, "--report", tmp_path / "raw.html")
    assert audit.code == 1 and "Person1" not in (tmp_path / "raw.html").read_text()
    assert command("audit", table, "-s", spec, "--report", tmp_path / "raw.html").code == 2
    assert command("report", tmp_path / "nothing", "-s", spec, "-o", tmp_path / "y.html").code == 2


def test_private_page_needs_nothing_but_numbers(tmp_path):
    """A record that was written by hand, or is not there, makes a page, too."""
    table, spec = clinic(tmp_path)
    voile.publish(table, spec, "elig", tmp_path / "out", l=2)
    release = read_release(tmp_path / "out", voile.Schema.of(_columns(tmp_path)))
    text = private_report(audited(release, []), drawings_of(release), {}, "")
    assert "The release beside its source" in text


def test_two_tables_are_explained(tmp_path):
    folder, spec = released(tmp_path, algorithm="anatomy")
    text = (folder / "report.html").read_text()
    assert "The release has two tables" in text and "What a cell means" not in text
    assert voile.report(folder, spec, tmp_path / "again.html")[0].read_text() == text
    assert "disease" in text and "flu" in text


def test_attacks_are_public_if_the_release_tells_them(tmp_path):
    """Those that need the truth are in the steward's report alone."""
    folder, _ = released(tmp_path)
    text, private = (p.read_text() for p in (folder / "report.html", folder / "private" / "report.html"))
    graded = json.loads((folder / "private" / "record.json").read_text())["attacks"]
    told = json.loads((folder / "certificate.json").read_text())["attacks"]
    assert graded and told
    assert all(html.escape(entry["title"]) in text for entry in told)
    assert "graded by the truth" in private and "graded by the truth" not in text
    assert all(html.escape(entry["meaning"]) in private for entry in graded)
    assert not any(html.escape(entry["meaning"]) in text for entry in graded)


def test_what_a_learner_gets_right_stands_directly_under_the_verdict(tmp_path):
    """The steward reads it before the first heading, in red where it is above the promise; the public page says
    that nothing is promised against such a reader, and does not know the figure."""
    table, spec = clinic(tmp_path)
    voile.publish(table, spec, "elig", tmp_path / "out", l=2)
    release = read_release(tmp_path / "out", voile.Schema.of(_columns(tmp_path)))
    found, drawn = audited(release, []), drawings_of(release)
    graded = {"attacks": [{"title": "deFinetti", "meaning": "45 % were right", "ok": False}]}
    under = re.compile(
        r"Everything promised and required is met\.[^|]*?verdict (\w+)\"[^|]*45 % were right[^|]*"
        r"Nothing is promised against a reader who learns[^|]*class=\"keys\""
    )

    def colour(record):
        text = private_report(found, drawn, record, "")
        return under.search(text[: text.index("<h2")])[1]

    assert colour(graded) == "broken"
    held = {**graded["attacks"][0], "ok": True}
    assert colour({"attacks": [held]}) == "open"
    assert colour({"attacks": [{**held, "private": True, "warning": True}, 3]}) == "broken"
    public = release_report(found, drawn)
    assert "45 % were right" not in public
    assert NOTHING_PROMISED in public[: public.index("<h2")]
    assert NOT_MEASURED in private_report(found, drawn, {}, "")


@pytest.mark.parametrize("depends, told", [(0.8, True), (0.0, False)])
def test_what_groups_teach_is_at_the_top_of_the_stewards_page(tmp_path, depends, told):
    """No promise covers deFinetti, so that none is broken: the steward is warned all the same. Control: noise."""
    table = voile.read(people(depends), PEOPLE)
    voile.anonymize(table, "anatomy", l=3).write(tmp_path / "out", with_report=True)
    graded = json.loads((tmp_path / "out" / "private" / "record.json").read_text())["attacks"][0]
    assert graded["ok"] is not False and graded["warning"] is told
    text = (tmp_path / "out" / "private" / "report.html").read_text()
    top = text[: text.index("<h2")]
    assert graded["meaning"].split(";")[0] in top.replace("&#x27;", "'") and ("verdict broken" in top) is told
    assert "guessed right" not in (tmp_path / "out" / "report.html").read_text()


def test_hundreds_of_columns_are_not_all_drawn(tmp_path):
    """Nobody looks at them: the first columns and the sensitive one have theirs, of the others there are the
    numbers, and both pages say which they are. Control: a few columns are all drawn."""
    rng = np.random.default_rng(1)
    for columns in (MOST_DRAWN - 1, 300):
        names = [f"q{i}" for i in range(columns)]
        values = {name: rng.integers(0, 50, 60) for name in names}
        frame = pl.DataFrame(values | {"disease": [f"d{i % 5}" for i in range(60)]})
        spec = {name: {"role": "qi", "type": "integer"} for name in names} | {"disease": "sensitive"}
        folder = voile.anonymize(voile.read(frame, spec), l=2).write(tmp_path / str(columns), with_report=True)
        pages = [(folder / name).read_text() for name in ("report.html", "private/report.html")]
        figures = [page.count("<svg") for page in pages]
        assert MOST_DRAWN <= figures[0] <= MOST_DRAWN + 2 and figures[1] <= 2 * MOST_DRAWN + 4
        assert all(f"<caption>{name}</caption>" in page for page in pages for name in (*names, "disease"))
        assert ("Not drawn" in pages[0]) == (columns == 300) == ("Not drawn" in pages[1])
    assert all(re.search(rf"Not drawn[^<]* q{number}[,.]", pages[0]) for number in (MOST_DRAWN, 299))
    assert f"The {MOST_DRAWN} of 300 quasi-identifying columns that lost most" in pages[0]
    assert not re.search(r"Not drawn[^<]*disease", pages[0])
    losses = pages[0][pages[0].index("<caption>Detail lost</caption>") :]
    assert losses[: losses.index("</table>")].count("<tr") == 301
