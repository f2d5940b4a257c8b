"""Who may ask the workbench, and who may not: each point as somebody would try it."""

from __future__ import annotations

import io
import re
import socket
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from foregone.model.errors import InputError
from foregone.workbench.folder import MOST_UPLOADED, check_name, open_folder
from foregone.workbench.guard import Guard
from foregone.workbench.serve import check_host, launcher, open_browser
from tests.workbench.serving import Serving, serving

pytestmark = pytest.mark.slow
TABLE = b"Sex,Count\nMale,5\nFemale,7\nTotal,12\n"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("bench")) as begun:
        yield begun


def upload(bench: Serving, name: str, content: bytes = TABLE, **headers: str) -> int:
    return bench.send("/upload", content, x_file_name=name, **headers).status


def test_the_page_is_shown_to_whom_it_belongs(bench: Serving) -> None:
    reply = bench.ask("/read", cookie=bench.cookie)
    assert reply.status == 200
    assert "How it was read" in bench.see("read")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}", "localhost.evil.example:{port}", ""],
)
def test_a_foreign_host_is_refused(bench: Serving, host: str) -> None:
    """DNS rebinding: the page of somebody else, whose name leads here, has that name in its Host header."""
    named = host.format(port=bench.port)
    assert bench.ask("/read", cookie=bench.cookie, host=named).status in (400, 421)
    assert bench.send("/do/undo", "", host=named, origin=f"http://{named}").status in (400, 421)


def test_localhost_is_this_machine(bench: Serving) -> None:
    assert bench.ask("/read", cookie=bench.cookie, host=f"localhost:{bench.port}").status == 200


def test_a_token_opens_once_and_a_refused_request_does_not_use_it_up(tmp_path: Path) -> None:
    with serving(tmp_path, opened=False) as bench:
        path = f"/?token={bench.token}"
        assert bench.ask(path, host="evil.example").status in (400, 421)
        assert bench.ask("/?token=" + "x" * 43).status == 403
        assert bench.ask("/?token=").status == 403
        assert bench.ask(path, "HEAD").status == 403
        assert bench.ask(path, "POST", "", origin=f"http://{bench.host}").status == 403
        opened = bench.ask(path)
        assert opened.status == 200
        assert re.search(r"HttpOnly; SameSite=Strict; Path=/", opened.headers["set-cookie"])
        again = bench.ask(path)
        assert again.status == 403
        assert "terminal" in again.text


def test_a_new_address_takes_the_place_of_the_one_before() -> None:
    guard = Guard(1234)
    first, second = (guard.address().partition("token=")[2] for _ in range(2))
    assert guard.open(first) is None
    assert guard.open(second) is not None
    assert guard.open(second) is None


def test_a_second_user_of_the_machine_has_no_token(bench: Serving) -> None:
    """Everybody on the machine reaches the port; without the token, or with a guessed session, nothing is told or done."""
    for cookie in ("", f"foregone-{bench.port}=guessed", "foregone=1; x"):
        for path in ("/", "/read", "/exposed", "/pulse", "/why?cell=by_age.C4", "/script.js", "/files.zip"):
            reply = bench.ask(path, cookie=cookie)
            assert reply.status == 403, path
            assert "Borchester" not in reply.text
        headers = {"cookie": cookie, "origin": f"http://{bench.host}", "x_csrf_token": "guessed"}
        assert bench.ask("/do/undo", "POST", "", **headers).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "null", ""])
def test_a_wrong_origin_changes_nothing(bench: Serving, origin: str) -> None:
    before = bench.ask("/pulse", cookie=bench.cookie).text
    assert bench.send("/do/noun", "record=evil&screen=read", origin=origin.format(port=bench.port)).status == 403
    assert bench.ask("/pulse", cookie=bench.cookie).text == before


def test_no_origin_at_all_changes_nothing(bench: Serving) -> None:
    reply = bench.ask("/do/noun", "POST", "record=evil&screen=read", cookie=bench.cookie, x_csrf_token=bench.csrf)
    assert reply.status == 403


def test_a_form_of_another_site_is_told_apart_by_the_browser(bench: Serving) -> None:
    assert bench.send("/do/noun", "record=evil&screen=read", sec_fetch_site="cross-site").status == 403


@pytest.mark.parametrize("token", ["", "guessed"])
def test_without_the_token_of_the_page_nothing_is_changed(bench: Serving, token: str) -> None:
    before = bench.ask("/pulse", cookie=bench.cookie).text
    assert bench.send("/do/noun", "record=evil&screen=read", x_csrf_token=token).status == 403
    assert bench.ask("/pulse", cookie=bench.cookie).text == before


def test_reading_changes_nothing(bench: Serving) -> None:
    before = bench.ask("/pulse", cookie=bench.cookie).text
    for action in ("noun?record=evil", "undo", "file?file=by_age.csv"):
        assert bench.ask(f"/do/{action}", cookie=bench.cookie).status in (404, 405)
    assert bench.ask("/pulse", cookie=bench.cookie).text == before


@pytest.mark.parametrize(
    "name",
    ["../evil.csv", "..%2Fevil.csv", "/etc/evil.csv", "a/b.csv", "a\\b.csv", "%00.csv", ".hidden.csv", "x.csv%0a", "con:x.csv", "",
     "evil.exe",
     "workbench", "domain.json", "x" * 200 + ".csv", "-rf.csv"],
)  # fmt: skip
def test_a_path_in_a_file_name_is_refused(bench: Serving, name: str) -> None:
    root = bench.here / "foregone-example"
    before = sorted(path.name for path in root.parent.rglob("*.csv"))
    assert upload(bench, name) == 422
    assert sorted(path.name for path in root.parent.rglob("*.csv")) == before


def test_names_are_looked_up_and_never_followed(bench: Serving) -> None:
    """A name that a request gives to a table: only one that lies in the folder is read."""
    (bench.here / "outside.csv").write_bytes(TABLE)
    bench.post("/do/file", file="../outside.csv", screen="read")
    text = bench.see("read")
    assert "is not there any more" in text
    assert "Female,7" not in text
    bench.post("/do/file", file="../outside.csv", screen="read")
    assert "How it was read" in bench.see("read")


def test_an_oversized_upload_is_refused_before_it_is_read(bench: Serving) -> None:
    with socket.create_connection(("127.0.0.1", bench.port), 20) as line:
        head = f"POST /upload HTTP/1.1\r\nHost: {bench.host}\r\nOrigin: http://{bench.host}\r\nCookie: {bench.cookie}\r\n"
        line.sendall(f"{head}X-CSRF-Token: {bench.csrf}\r\nContent-Length: {MOST_UPLOADED * 50}\r\n\r\n".encode())
        assert b" 413 " in line.recv(200)


def test_an_upload_that_hides_its_length_ends_where_it_is_too_long(bench: Serving) -> None:
    chunk = b"x" * 1_000_000
    with socket.create_connection(("127.0.0.1", bench.port), 60) as line:
        head = f"POST /upload HTTP/1.1\r\nHost: {bench.host}\r\nOrigin: http://{bench.host}\r\nCookie: {bench.cookie}\r\n"
        line.sendall(f"{head}X-CSRF-Token: {bench.csrf}\r\nX-File-Name: big.csv\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        answer = b""
        try:
            for _ in range(MOST_UPLOADED // len(chunk) + 3):
                line.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            answer = line.recv(200)
        except (BrokenPipeError, ConnectionResetError):
            answer = answer or b" 413 "  # it did not even listen to the end
        assert b" 413 " in answer
    assert not (bench.here / "foregone-example" / "big.csv").exists()


def test_a_zip_bomb_is_refused(bench: Serving) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in range(5):
            archive.writestr(f"xl/{part}.xml", b"0" * 100_000_000)
    assert len(made.getvalue()) < 1_000_000
    reply = bench.send("/upload", made.getvalue(), x_file_name="bomb.xlsx")
    assert reply.status == 422
    assert "unpacks" in reply.text
    assert not (bench.here / "foregone-example" / "bomb.xlsx").exists()
    assert upload(bench, "not-a-workbook.xlsx", b"PK nonsense") == 422


def test_a_label_with_a_script_in_it_is_a_label(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>"
    folder = tmp_path / "tables"
    folder.mkdir()
    rows = [
        ["Age", f'"{bad}"', "Female", "Total"],
        ["<b>young", "*", "5", "6"],
        ["old", "3", "9", "12"],
        ["Total", "4", "14", "18"],
    ]
    (folder / "t.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    with serving(tmp_path, folder) as bench:
        bench.post("/do/token", token="*", least="1", most="4", screen="read")
        bench.post("/do/noun", record=bad, screen="read")
        for screen in ("read", "exposed"):
            text = bench.see(screen)
            assert "<script>alert" not in text
            assert "<b>young" not in text
            assert "&lt;script&gt;alert(1)" in text
        policy = bench.ask("/exposed", cookie=bench.cookie).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_every_answer_has_a_strict_policy_with_a_nonce_of_its_own(bench: Serving) -> None:
    nonces = set()
    for path in ("/read", "/exposed", "/style.css", "/script.js", "/nothing"):
        headers = bench.ask(path, cookie=bench.cookie).headers
        (nonce,) = set(re.findall(r"'nonce-([^']+)'", headers["content-security-policy"]))
        nonces.add(nonce)
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert len(nonces) == 5
    text = bench.ask("/read", cookie=bench.cookie).text
    assert not re.search(r"(src|href)=[\"'](https?:)?//", text)  # nothing from elsewhere


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "secret.csv", tmp_path / "tables"
    outside.write_bytes(TABLE.replace(b"Female", b"Secret"))
    folder.mkdir()
    (folder / "t.csv").write_bytes(TABLE)
    (folder / "linked.csv").symlink_to(outside)
    with serving(tmp_path, folder) as bench:
        text = bench.see("read")
        assert "linked.csv is a link and is not followed" in text
        bench.post("/do/file", file="linked.csv", screen="read")
        assert "Secret" not in bench.see("read")
        assert upload(bench, "linked.csv") == 422
    assert b"Secret" in outside.read_bytes()


def test_the_folder_for_the_work_must_not_be_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "workbench").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link"):
        open_folder([folder], tmp_path)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org", ""])
def test_other_machines_are_refused(host: str) -> None:
    with pytest.raises(InputError, match="ssh -L"):
        check_host(host)


def test_only_this_machine_is_listened_to(bench: Serving) -> None:
    others = {str(address[4][0]) for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        if not address.startswith("127."):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((address, bench.port), 2)
    table = Path("/proc/net/tcp").read_text()
    listening = [line.split()[1] for line in table.splitlines()[1:] if line.split()[3] == "0A"]
    assert [place.partition(":")[0] for place in listening if int(place.partition(":")[2], 16) == bench.port] == ["0100007F"]


def test_the_address_is_not_told_to_the_other_users_by_way_of_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments of programs are public on a machine; a file of one's own is not."""
    told: list[str] = []
    monkeypatch.setattr("webbrowser.open", told.append)
    (tmp_path / "t.csv").write_bytes(TABLE)
    folder, guard = open_folder([tmp_path], tmp_path), Guard(1)
    guard.address()
    open_browser(folder, guard)
    assert guard.token not in told[0]
    assert guard.token in launcher(folder).read_text()
    assert launcher(folder).stat().st_mode & 0o077 == 0


def test_a_plain_name_is_a_name() -> None:
    for name in ("by_age.csv", "Tabelle 3 (neu).xlsx", "été.ods"):
        check_name(name)
