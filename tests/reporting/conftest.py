"""Reports are looked at in the browser of all tests; what a test opened is closed when it is over."""

import pytest


@pytest.fixture
def browser(browser):
    yield browser
    for context in browser.contexts:
        context.close()
