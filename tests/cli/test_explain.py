"""`voile explain` on the screen and as JSON: words for people, and nobody's value unless asked."""

import json

from tests.cli.test_attack import CELLS, folder  # noqa: F401 a fixture
from voile.cli.main import run


def explained(capsys, *more):
    capsys.readouterr()
    searched = "l=2,sequence=@plan.json,utility=as_given"
    code = run(["explain", "t.csv", "-s", "s.toml", "-a", "k_jump", "-p", searched, *more])
    return code, capsys.readouterr()


def test_explanation(folder, capsys):  # noqa: F811
    code, said = explained(capsys)
    assert code == 0 and "for you alone" in said.out and "Nothing was published" in said.out
    assert not any(cell in said.out + said.err for cell in CELLS)
    code, said = explained(capsys, "--json")
    document = json.loads(said.out)
    assert [step["function"] for step in document["steps"]] == [1, 2, 3]
    assert document["outcomes"]["naive"]["left"]["persons_above"] == 2
    assert not any(cell in json.dumps({k: v for k, v in document.items() if k != "algorithm"}) for cell in CELLS)
    code, said = explained(capsys, "--json", "--show-values")
    assert json.loads(said.out)["steps"][1]["told"][0] == {
        "person": {"born": "1962"},
        "likeliest": "cancer",
        "share": "1",
    }


def test_refusals(folder, capsys):  # noqa: F811
    code, said = explained(capsys, "-p", "k=1+1")
    assert code == 2 and "2 jump distances for 3 functions" in said.err
    assert run(["explain", "t.csv", "-s", "s.toml", "-a", "elig", "-p", "l=2"]) == 2
