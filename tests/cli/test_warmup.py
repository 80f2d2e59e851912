import json
import os
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_warmup_leaves_compiled_kernels_and_nothing_else(tmp_path):
    cache, work = tmp_path / "cache", tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "voile", "warmup", "-a", "rda", "--json"],
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "TMPDIR": str(work)},
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {"ok": True, "algorithms": ["rda"], "kept": True}
    assert any(cache.rglob("*.nbc"))
    assert list(work.iterdir()) == []
