"""What `sweep` and `sweep_e` refuse on the command line, and what they say would be feasible."""

import json

import pytest

from tests.command_line import voile

pytestmark = pytest.mark.slow  # each test starts the command several times

TREE = "flu;lung;*\nasthma;lung;*\nulcer;gut;*\ngastritis;gut;*\ngout;joints;*\n"
DISEASES = ["flu"] * 14 + ["asthma"] * 2 + ["ulcer"] * 2 + ["gastritis", "gout"]


@pytest.fixture
def clinic(tmp_path):
    """Twenty patients, 70 % with one disease: no l-diversity algorithm can publish them."""
    lines = [f"{20 + i},{'fm'[i % 2]},{disease}" for i, disease in enumerate(DISEASES)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,sex,disease", *lines]) + "\n")
    (tmp_path / "disease.csv").write_text(TREE)
    (tmp_path / "patients.toml").write_text(
        '[columns]\nage = { role = "qi", type = "integer" }\nsex = { role = "qi" }\n'
        'disease = { role = "sensitive", hierarchy = "disease.csv", prior = { flu = 6 } }\n'
    )
    return tmp_path


def anonymized(folder, algorithm, *parameters, out="out"):
    given = [word for parameter in parameters for word in ("-p", parameter)]
    spec = folder / "patients.toml"
    return voile(
        "anonymize", folder / "patients.csv", "-s", spec, "-a", algorithm, *given, "-o", folder / out, "--json"
    )


def test_what_no_l_diversity_algorithm_can_meet_is_met(clinic):
    refused = anonymized(clinic, "elig", "l=2")
    assert refused.code == 1
    for algorithm in ("sweep", "sweep_e"):
        made = anonymized(clinic, algorithm, "tau=0.5", "l=3", out=algorithm)
        assert made.code == 0, made.err
        certificate = json.loads((clinic / algorithm / "certificate.json").read_text())
        assert certificate["checks"]["tau_l_diversity"] <= 0.5
        assert not certificate["true_values"]["kept"], "14 of 20 have one value, however it is published"
        audited = voile("audit", clinic / algorithm, "-s", clinic / "patients.toml", "--require", "tau[l=3]<=0.5")
        assert audited.code == 0, audited.err
        assert "on true values" in audited.out


@pytest.mark.parametrize(
    ("algorithm", "parameters", "code", "words"),
    [
        ("sweep", ("tau=0.19", "l=3"), 1, "tau = 1/5 is the smallest possible"),
        ("sweep_e", ("tau=0.19", "l=3"), 1, "tau = 1/5 is the smallest possible"),
        ("sweep", ("tau=0.5", "l=6"), 1, "l = 5 is the largest possible"),
        ("sweep_e", ("tau=0.5", "l=6"), 1, "l = 5 is the largest possible"),
        ("sweep", ("tau=0.5", "l=1"), 2, "a whole number from 2"),
        ("sweep_e", ("tau=0.5", "l=1"), 2, "a whole number from 2"),
        ("sweep", ("tau=0", "l=3"), 2, "a number above 0"),
        ("sweep", ("tau=1.5", "l=3"), 2, "below 1"),
        ("sweep_e", ("tau=1", "l=3"), 2, "every group keeps tau = 1"),
        ("sweep", ("tau=0.5", "l=3", "weights=prior"), 1, "tau = 0.6 is the smallest possible"),
        ("sweep_e", ("tau=0.5", "l=3", "ineligible=refuse"), 1, "(0.7, 2) or (0.7, 3)"),
        ("sweep", ("tau=0.5", "l=3", "importance=age+zip"), 2, "some of age, sex"),
    ],
)
def test_refusals_say_what_would_be_feasible(clinic, algorithm, parameters, code, words):
    refused = anonymized(clinic, algorithm, *parameters)
    assert refused.code == code
    error = json.loads(refused.out)["error"]
    assert words in " ".join(str(part) for part in error.values())
    assert not (clinic / "out").exists()


def test_a_taxonomy_that_lacks_a_value_is_refused(clinic):
    (clinic / "disease.csv").write_text(TREE.replace("gout;joints;*\n", ""))
    refused = anonymized(clinic, "sweep", "tau=0.5", "l=3")
    assert refused.code == 2
    assert "not in the hierarchy" in refused.out
    assert "gout" not in refused.out + refused.err


def test_a_chain_of_single_children_is_no_raise(clinic):
    """gout is joints is joints: a raised gout is published as *, not as a node that hides nothing."""
    (clinic / "disease.csv").write_text("\n".join(f"{line[:-2]};{line.split(';')[1]}s;*" for line in TREE.split()))
    made = anonymized(clinic, "sweep", "tau=0.4", "l=4")
    assert made.code == 0, made.err
    published = {line.split(",")[-1] for line in (clinic / "out" / "data.csv").read_text().split()[1:]}
    assert not published & {"joints", "jointss", "lungs", "guts"}
    assert voile("audit", clinic / "out", "-s", clinic / "patients.toml").code == 0


def test_sensitive_numbers_need_a_hierarchy_to_be_generalised(clinic):
    spec = clinic / "patients.toml"
    spec.write_text('[columns]\nage = { role = "sensitive", type = "integer" }\nsex = "qi"\ndisease = "qi"\n')
    refused = anonymized(clinic, "sweep", "tau=0.5", "l=3")
    assert refused.code == 2
    assert "intervals" in refused.out
    made = anonymized(clinic, "sweep_e", "tau=0.5", "l=3")
    assert made.code == 0, made.err
    assert json.loads((clinic / "out" / "certificate.json").read_text())["true_values"]["kept"]
