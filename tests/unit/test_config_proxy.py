from __future__ import annotations

import pytest

from mewcode.config.proxy import environment_proxy
from mewcode.errors import ConfigError

HERE, THERE = "http://127.0.0.1:8080/v1", "https://api.example.org/v1"
GOOD = "http://proxy.example.org:3128"


@pytest.mark.parametrize(
    ("environ", "base_url", "proxy"),
    [
        ({}, THERE, None),
        ({"HTTPS_PROXY": ""}, THERE, None),
        ({"HTTPS_PROXY": GOOD}, THERE, GOOD),
        ({"https_proxy": GOOD, "HTTPS_PROXY": "http://other:1"}, THERE, GOOD),
        ({"HTTPS_PROXY": GOOD}, None, GOOD),
        ({"HTTPS_PROXY": GOOD}, HERE, "none"),
        ({"HTTP_PROXY": GOOD}, HERE, GOOD),
        ({"ALL_PROXY": GOOD}, THERE, GOOD),
        ({"ALL_PROXY": "http://other:1", "HTTPS_PROXY": GOOD}, THERE, GOOD),
        ({"ALL_PROXY": GOOD, "NO_PROXY": "127.0.0.1"}, HERE, "none"),
        ({"ALL_PROXY": GOOD, "no_proxy": "localhost,example.org"}, THERE, "none"),
        ({"ALL_PROXY": GOOD, "NO_PROXY": "*"}, THERE, "none"),
        ({"ALL_PROXY": GOOD, "NO_PROXY": "example.com"}, THERE, GOOD),
        ({"ALL_PROXY": "gopher://x", "NO_PROXY": "*"}, THERE, "none"),
    ],
)
def test_the_environment_names_the_proxy_for_an_address(environ, base_url, proxy):
    assert environment_proxy(environ, base_url) == proxy


@pytest.mark.parametrize("name", ["ALL_PROXY", "https_proxy", "HTTP_PROXY"])
@pytest.mark.parametrize("value", ["127.0.0.1:9", "ftp://u:secret@h:1", "http://[::1", "socks://h", "http://"])
def test_a_proxy_that_cannot_be_used_is_named_whatever_it_is_for_and_its_value_is_not_shown(name, value):
    with pytest.raises(ConfigError) as raised:
        environment_proxy({name: value}, HERE)
    assert str(raised.value).startswith(f"{name} is not a proxy that can be used")
    assert "secret" not in str(raised.value)


def test_socks_without_its_package_is_said_as_such():
    with pytest.raises(ConfigError, match=r"^all_proxy asks for SOCKS, .* socksio"):
        environment_proxy({"all_proxy": "socks5://user:pw@127.0.0.1:9"}, THERE)
