"""The benchmarks' table: the domains and shares that it says it has."""

import numpy as np

from benchmarks import synthetic


def test_domains_and_shares():
    frame = synthetic.rows(200_000)
    names = [*synthetic.QUASI, synthetic.SENSITIVE]
    assert frame.columns == names == list(synthetic.columns())
    assert [frame[name].n_unique() for name in names] == [79, 2, 17, 57, 50]
    assert frame[synthetic.SENSITIVE].value_counts()["count"].max() * 10 < frame.height
    assert frame.equals(synthetic.rows(200_000))
    assert not frame.equals(synthetic.rows(200_000, seed=2))


def test_occupation_depends_on_gender_but_mildly():
    frame = synthetic.rows(200_000)
    by = frame.group_by("gender", synthetic.SENSITIVE).len().pivot("gender", index=synthetic.SENSITIVE)
    shares = by.select("female", "male").to_numpy() / np.array([by["female"].sum(), by["male"].sum()])
    distance = np.abs(shares[:, 0] - shares[:, 1]).sum() / 2
    assert 0.1 < distance < 0.4
