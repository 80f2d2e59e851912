"""Who asks: by which name, from which page, from which site. All cases hold a cookie that opens, so that nothing
but the header in question can be the reason of a refusal."""

import pytest

from tests.web.plain import asked, cookie_of, own_host, websocket

pytestmark = pytest.mark.slow  # starts a server


@pytest.fixture(scope="module")
def cookie(app):
    return cookie_of(app.client())


OWN_NAMES = ("127.0.0.1", "127.0.0.1:{port}", "localhost", "localhost:{port}", "[::1]", "[::1]:{port}")
OTHER_NAMES = (
    *("evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "127.0.0.1.nip.io:{port}", "localtest.me"),
    *("localhost.evil.example:{port}", "evil.localhost", "127.0.0.1:1", "localhost:80{port}", "127.0.0.1:", "::1"),
    *("127.0.0.1@evil.example", "evil.example#127.0.0.1", "0.0.0.0:{port}", "127.0.0.2:{port}", "127.1:{port}"),
    *(
        "2130706433:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "[::]:{port}",
        "localhost.",
        "127.0.0.1, evil.example",
        "",
    ),
    *("127.0.0.1, evil.example", "127.0.0.1:{port}/", "127.0.0.1:{port} evil.example", "http://127.0.0.1:{port}"),
)


def hosted(app, cookie, *names):
    """The same cookie by other names: page, upload, and websocket."""
    hosts = [("Host", name.format(port=app.port)) for name in names]
    origin = ("Origin", app.address)
    yield asked(app, "GET", "/", hosts, host=False, cookie=cookie).status
    yield asked(app, "POST", "/upload", [*hosts, ("X-Name", "a.csv")], host=False, cookie=cookie).status
    yield websocket(app, [*hosts, origin], host=False, cookie=cookie).status
    yield asked(app, "GET", "/login", hosts, host=False).status


@pytest.mark.parametrize("name", OWN_NAMES)
def test_by_its_own_names_it_answers(app, cookie, name):
    assert list(hosted(app, cookie, name)) == [200, 200, 101, 200]


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_by_another_name_it_answers_nobody(app, cookie, name):
    """DNS rebinding: a page of evil.example that resolves to this machine has its name in the Host header."""
    assert set(hosted(app, cookie, name)) <= {400, 403}


def test_several_names_or_none_are_no_name(app, cookie):
    for names in ((), ("127.0.0.1", "evil.example"), ("evil.example", "127.0.0.1"), ("localhost", "localhost")):
        assert set(hosted(app, cookie, *names)) <= {400, 403}, names


def test_forwarded_names_change_nothing(app, cookie):
    for header in ("X-Forwarded-Host", "X-Original-Host", "X-Host", "X-Forwarded-Server"):
        assert (
            asked(app, "GET", "/", [("Host", "evil.example"), (header, own_host(app))], host=False).status == 403
        )
        got = asked(app, "GET", "/", [(header, "evil.example")], cookie=cookie)
        assert got.status == 200 and "evil" not in got.text
    more = [("Forwarded", "for=1.2.3.4;host=evil.example;proto=https"), ("X-Forwarded-For", "1.2.3.4")]
    more += [("X-Forwarded-Proto", "https"), ("X-Forwarded-Prefix", "/evil"), ("X-Real-IP", "1.2.3.4")]
    got = asked(app, "GET", "/", more, cookie=cookie)
    assert got.status == 200 and "evil" not in got.text and "https:" not in got.text


def test_a_target_with_a_name_does_not_count(app, cookie):
    """The absolute form, as proxies use it: the Host header decides, and no page is found by such a target."""
    for scheme in ("http", "https", "ws"):
        evil = asked(app, "GET", f"{scheme}://evil.example/", cookie=cookie)
        assert evil.status in (400, 403, 404) and "What do you want" not in evil.text
        own = f"{scheme}://127.0.0.1:{app.port}/"
        assert asked(app, "GET", own, [("Host", "evil.example")], host=False, cookie=cookie).status == 403
    assert asked(app, "GET", "/", cookie=cookie).status == 200
    assert asked(app, "OPTIONS", "*").status in (400, 403, 405)
    assert asked(app, "CONNECT", own_host(app)).status in (400, 403, 405)


OTHER_ORIGINS = (
    *("http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1", "http://127.0.0.1:1", "null", ""),
    *("http://localhost:{port}.evil.example", "http://127.0.0.1:{port}@evil.example", "http://127.0.0.1:{port}/"),
    *(
        "HTTP://127.0.0.1:{port}",
        "http://127.0.0.1:{port} http://evil.example",
        "file://",
        "chrome-extension://abc",
    ),
    *("http://LOCALHOST:{port}", "http://[::]:{port}", "127.0.0.1:{port}"),
)


@pytest.mark.parametrize("origin", OTHER_ORIGINS)
def test_a_page_from_elsewhere_is_refused(app, cookie, origin):
    header = [("Origin", origin.format(port=app.port))]
    assert asked(app, "POST", "/upload", header, cookie=cookie).status == 403
    assert asked(app, "POST", "/login", header, body=b"token=x").status == 403
    assert websocket(app, header, cookie=cookie).status == 403
    assert asked(app, "GET", "/", header, cookie=cookie).status == 403
    double = [*header, ("Origin", app.address)]
    assert asked(app, "POST", "/upload", double, cookie=cookie).status == 403
    assert websocket(app, double, cookie=cookie).status in (400, 403)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_a_page_of_ours_is_not(app, cookie, name):
    header = [("Origin", f"http://{name}:{app.port}")]
    assert asked(app, "POST", "/upload", header, cookie=cookie).status == 200
    assert websocket(app, header, cookie=cookie).status == 101


def test_a_websocket_must_say_where_it_comes_from(app, cookie):
    assert websocket(app, cookie=cookie).status == 403


def test_a_program_without_a_browsers_headers_comes_in_with_its_cookie(app, cookie):
    assert asked(app, "POST", "/upload", cookie=cookie).status == 200
    assert asked(app, "POST", "/upload").status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "evil", "", "same-origin, cross-site", "SAME-ORIGIN"])
def test_another_site_is_refused(app, cookie, site):
    """same-site is another port of this machine, which may be another person's."""
    header = [("Sec-Fetch-Site", site)]
    assert asked(app, "POST", "/upload", header, cookie=cookie).status == 403
    assert asked(app, "POST", "/leave", header, cookie=cookie).status == 403
    assert asked(app, "GET", "/", header, cookie=cookie).status == 403
    assert asked(app, "POST", "/login", header, body=b"token=x").status == 403
    assert websocket(app, [*header, ("Origin", app.address)], cookie=cookie).status == 403
    assert asked(app, "GET", "/login", header).status == 200  # the link may stand in a terminal, a mail, a file
    double = [*header, ("Sec-Fetch-Site", "same-origin")]
    assert asked(app, "POST", "/upload", double, cookie=cookie).status == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_own_site_is_not(app, cookie, site):
    assert asked(app, "POST", "/upload", [("Sec-Fetch-Site", site)], cookie=cookie).status == 200
    assert asked(app, "GET", "/", [("Sec-Fetch-Site", site)], cookie=cookie).status == 200


def test_a_form_that_tells_no_referrer_is_ours_only_if_the_browser_says_so(app, cookie):
    """Our pages tell no referrer, so browsers send "Origin: null" with their forms, log-out among them."""
    null = ("Origin", "null")
    assert asked(app, "POST", "/upload", [null, ("Sec-Fetch-Site", "same-origin")], cookie=cookie).status == 200
    for site in ("cross-site", "same-site", "none"):
        assert asked(app, "POST", "/upload", [null, ("Sec-Fetch-Site", site)], cookie=cookie).status == 403
    assert websocket(app, [null, ("Sec-Fetch-Site", "same-origin")], cookie=cookie).status == 403


def test_cookies_of_other_apps_do_no_harm(app, cookie):
    """They come along, since browsers do not tell ports apart."""
    for others in ("a=b; {0}", "{0}; a", 'x="[1,{{2}}]"; =; ;; {0}', "a b=c d; {0}", "voile=x; {0}"):
        assert asked(app, "GET", "/", cookie=others.format(cookie)).status == 200, others
    name = cookie.partition("=")[0]
    assert asked(app, "GET", "/", cookie=f"{name}=tossed; {cookie}").status == 200
    assert asked(app, "GET", "/", cookie=f"x{cookie}").status == 403
    assert asked(app, "GET", "/", cookie="; ".join([f"{name}=tossed"] * 50)).status == 403
