"""Tests run quietly: no line about compiling. Pages are looked at in a real browser."""

import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from child import LONG
from clock import Clock

os.environ.setdefault("BOLTREE_QUIET", "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job; what tests start would ignore it too
    signal.signal(signal.SIGINT, signal.default_int_handler)


settings.register_profile("boltree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("boltree")  # however slow the machine is


@pytest.fixture
def clock(monkeypatch):
    """A clock in place of the machine's, for what reads the time while a test runs."""
    made = Clock()
    monkeypatch.setattr(time, "perf_counter", made)
    monkeypatch.setattr(time, "monotonic", made)
    return made


@pytest.fixture
def processor_clock(monkeypatch):
    """What this process has computed in place of the time that has passed: other work on the machine does not count."""
    monkeypatch.setattr(time, "perf_counter", time.process_time)


CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="pages are tested with Playwright, which is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"pages are tested in Chromium, which is not at {CHROMIUM}")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS, timeout=1_000 * LONG)
        yield started
        started.close()


@pytest.fixture
def visit(browser):
    """Opens a file; afterwards nothing may have gone wrong or been fetched."""
    contexts, wrong, fetched = [], [], []

    def look(path, **options):
        contexts.append(browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options}))
        contexts[-1].set_default_timeout(1_000 * LONG)
        page = contexts[-1].new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: fetched.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        return page

    yield look
    for context in contexts:
        context.close()
    assert wrong == []
    assert [url for url in fetched if url != "data:,"] == []
