"""What the server answers to good and bad requests: tokens, forms, limits, headers, admin."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from rating_server import ThreadServer, make_audit

from portrayal import raters
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, ImportFileError, SettingError
from portrayal.raters import site
from portrayal.raters.mapping import read_map
from portrayal.raters.reading import read_votes
from portrayal.studies.reading import load_study
from portrayal.web import access
from portrayal.web.protection import Rate

Start = Callable[[Path], ThreadServer]
FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}


@pytest.fixture
def rating(audit: AuditFolder, serve_here: Start) -> tuple[ThreadServer, dict[str, str]]:
    """A served rating with two raters, and their tokens."""
    made = site.prepare(audit.path, raters=["Ann", "Bo"], per_image=2, checks=0.1)
    return serve_here(audit.path), dict(made.tokens)


@contextlib.contextmanager
def client(server: ThreadServer, token: str = "") -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.base, timeout=60) as found:
        if token:
            assert found.get(f"/enter/{token}").status_code == 303
        yield found


def first_task(rater: httpx.Client) -> str:
    found = re.search(r"/rate/([\w-]+)", rater.get("/").text)
    assert found is not None
    return found[1]


def fields(rater: httpx.Client, code: str) -> dict[str, str]:
    """The form token that the page of a task carries."""
    found = re.search(r'name="form" value="(\w+)"', rater.get(f"/rate/{code}").text)
    assert found is not None
    return {"form": found[1]}


def answer(rater: httpx.Client, code: str, **answers: str) -> httpx.Response:
    data = fields(rater, code) | {f"answer.{name}": text for name, text in answers.items()}
    return rater.post(f"/rate/{code}", data=data, headers=FORM)


# --- tokens ---------------------------------------------------------------------------------------


def test_wrong_token_gets_403_without_a_hint(rating: tuple[ThreadServer, dict[str, str]]) -> None:
    server, tokens = rating
    with client(server) as stranger, client(server, tokens["Ann"]) as ann:
        code = first_task(ann)
        replies = [
            stranger.get("/enter/wrong"),
            stranger.get(f"/enter/{tokens['Ann'][:-1]}"),
            stranger.get("/admin/enter/wrong"),
            stranger.get("/"),
            stranger.get("/finished"),
            stranger.get("/admin"),
            stranger.get("/admin/votes.csv"),
            stranger.get(f"/rate/{code}"),
            stranger.get("/rate/nothing"),
            stranger.get(f"/image/{code}"),
            stranger.post(f"/rate/{code}", data={"answer.person": "yes"}),
            stranger.post("/admin/add", data={"names": "Eve"}),
        ]
    assert {reply.status_code for reply in replies} == {403}
    assert len({reply.text for reply in replies}) == 1
    assert not any("set-cookie" in reply.headers for reply in replies)


def test_a_raters_token_opens_no_admin_page(rating: tuple[ThreadServer, dict[str, str]]) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        assert ann.get(f"/admin/enter/{tokens['Ann']}").status_code == 403
        assert ann.get("/admin").status_code == 403


def test_tokens_are_stored_hashed_and_stay_out_of_pages(
    rating: tuple[ThreadServer, dict[str, str]], audit: AuditFolder
) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        shown = ann.get("/").text + ann.get(f"/rate/{first_task(ann)}").text
    assert not any(token in shown for token in tokens.values())
    files = [file for file in audit.path.rglob("annotations.sqlite*") if file.is_file()]
    assert files
    for file in files:
        content = file.read_bytes()
        assert not any(token.encode() in content for token in tokens.values())


def test_a_new_link_closes_the_old_one(
    rating: tuple[ThreadServer, dict[str, str]],
) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann, client(server) as admin:
        admin.get(server.admin_link)
        page = admin.get("/admin").text
        form = re.search(r'name="form" value="(\w+)"', page)
        assert form is not None
        shown = admin.post("/admin/replace", data={"form": form[1], "rater": "1"}).text
        link = re.search(r"/enter/([\w-]+)", shown)
        assert link is not None
        assert ann.get("/").status_code == 403
        with client(server, link[1]) as again:
            assert again.get("/").status_code == 200


# --- answers --------------------------------------------------------------------------------------


def test_double_submits_store_one_answer(rating: tuple[ThreadServer, dict[str, str]]) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        code = first_task(ann)
        for _ in range(3):
            reply = answer(ann, code, person="no", attribute="no")
            assert reply.json() == {"saved": True, "complete": True}
        page = ann.get(f"/rate/{code}").text
    assert page.count(" checked>") == 2


def test_another_raters_task_cannot_be_written(
    rating: tuple[ThreadServer, dict[str, str]], audit: AuditFolder
) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann, client(server, tokens["Bo"]) as bo:
        code = first_task(ann)
        form = fields(ann, code)
        stolen = bo.post(f"/rate/{code}", data={**form, "answer.person": "yes"}, headers=FORM)
        assert stolen.status_code == 403
        # Even with a form token made from the own link, the task is not Bo's.
        from portrayal.web import form_token

        own = {"form": form_token(tokens["Bo"], code), "answer.person": "yes"}
        assert bo.post(f"/rate/{code}", data=own, headers=FORM).status_code == 403
        assert ann.get(f"/rate/{code}").text.count(" checked>") == 0


@pytest.mark.parametrize(
    ("changed", "headers", "status"),
    [
        ({"form": ""}, {}, 403),
        ({"form": "0" * 64}, {}, 403),
        ({}, {"origin": "http://elsewhere.example"}, 403),
        ({}, {"origin": "null"}, 403),
        ({}, {"sec-fetch-site": "cross-site"}, 403),
        ({"answer.person": "maybe"}, {}, 422),
        ({"answer.mood": "good"}, {}, 422),
        ({"answer.comment": "x" * 2001}, {}, 422),
        ({"answer.comment": "x" * 70_000}, {}, 413),
        ({f"field{i}": "" for i in range(101)}, {}, 422),
        ({}, {"content-type": "text/plain"}, 415),
        ({}, {}, 200),
    ],
)
def test_forms_that_the_page_did_not_send(
    rating: tuple[ThreadServer, dict[str, str]],
    changed: dict[str, str],
    headers: dict[str, str],
    status: int,
) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        code = first_task(ann)
        data = fields(ann, code) | {"answer.person": "yes"} | changed
        reply = ann.post(f"/rate/{code}", data=data, headers=FORM | headers)
        assert reply.status_code == status
        assert ann.get(f"/rate/{code}").text.count(" checked>") == (1 if status == 200 else 0)


def test_a_body_without_a_length_is_cut_off(rating: tuple[ThreadServer, dict[str, str]]) -> None:
    server, tokens = rating

    def unlimited() -> Iterator[bytes]:
        for _ in range(40):
            yield b"x" * 4096

    with client(server, tokens["Ann"]) as ann:
        code = first_task(ann)
        assert ann.post(f"/rate/{code}", content=unlimited(), headers=FORM).status_code == 413


def test_comments_keep_their_text(rating: tuple[ThreadServer, dict[str, str]]) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        code = first_task(ann)
        answer(ann, code, person="no", attribute="no", comment="Größe 你好\x00\x07 <&\n'\"")
        assert "Größe 你好 &lt;&amp;\n&#39;&#34;</textarea>" in ann.get(f"/rate/{code}").text


# --- limits and headers ---------------------------------------------------------------------------


def test_guessing_tokens_is_slowed_down_and_raters_are_not(
    rating: tuple[ThreadServer, dict[str, str]],
) -> None:
    server, tokens = rating
    with client(server) as stranger, client(server, tokens["Ann"]) as ann:
        replies = [stranger.get(f"/enter/guess-{i}").status_code for i in range(40)]
        assert set(replies) == {403, 429}
        assert replies[0] == 403
        assert replies[-1] == 429
        assert ann.get("/").status_code == 200


def test_a_script_is_slowed_down(
    audit: AuditFolder, serve_here: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a slow machine a script is no faster than what is allowed; here nothing is given back.
    monkeypatch.setattr(access, "PER_TOKEN", Rate(access.PER_TOKEN.burst, 0.0))
    tokens = site.prepare(audit.path, raters=["Ann", "Bo"], per_image=2, checks=0.1).tokens
    server = serve_here(audit.path)
    with client(server, tokens["Ann"]) as ann, client(server, tokens["Bo"]) as bo:
        replies = [ann.get("/").status_code for _ in range(300)]
        assert 429 in replies
        assert replies[:100] == [200] * 100
        assert bo.get("/").status_code == 200


def test_every_reply_carries_the_headers(rating: tuple[ThreadServer, dict[str, str]]) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        code = first_task(ann)
        replies = [
            ann.get("/"),
            ann.get(f"/rate/{code}"),
            ann.get("/nothing"),
            ann.get("/enter/wrong"),
            answer(ann, code, person="yes"),
            ann.post(f"/rate/{code}", content=b"x" * 100_000),
        ]
        image = ann.get(f"/image/{code}")
    for reply in [*replies, image]:
        assert reply.headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
        assert "server" not in reply.headers
    assert {reply.headers["cache-control"] for reply in replies} == {"no-store"}
    assert image.headers["content-type"] == "image/png"
    assert image.headers["vary"] == "cookie"


def test_cookies_are_out_of_reach_for_scripts_and_other_sites(
    rating: tuple[ThreadServer, dict[str, str]],
) -> None:
    server, tokens = rating
    with client(server) as ann:
        cookie = ann.get(f"/enter/{tokens['Ann']}").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_a_name_that_points_here_from_elsewhere_is_refused(
    rating: tuple[ThreadServer, dict[str, str]],
) -> None:
    server, _ = rating
    with client(server) as stranger:
        assert stranger.get("/", headers={"host": "rebound.example"}).status_code == 400


def test_nothing_on_a_page_comes_from_elsewhere(
    rating: tuple[ThreadServer, dict[str, str]],
) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        text = ann.get("/").text + ann.get(f"/rate/{first_task(ann)}").text
        for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', text):
            text += ann.get(name).text
    assert "http://" not in text
    assert "https://" not in text
    assert not re.search(r"""["'(]//""", text)


# --- attention checks -----------------------------------------------------------------------------


def test_checks_cannot_be_told_from_ratings(tmp_path: Path, serve_here: Start) -> None:
    audit = make_audit(tmp_path / "audit", {"a nurse": {"attribute": "nurse"}}, images=20)
    known = tmp_path / "known.csv"
    known.write_text("prompt,seed,person\na nurse,3,yes\n", encoding="utf-8")
    made = site.prepare(audit.path, raters=1, per_image=1, checks=0.1, known=known)
    server = serve_here(audit.path)
    pages = []
    with client(server, made.tokens["rater 1"]) as rater:
        code: str | None = first_task(rater)
        for _ in range(22):
            assert code is not None
            pages.append(_anonymous(rater.get(f"/rate/{code}").text))
            answer(rater, code, person="no", attribute="no")
            found = re.search(r"/rate/([\w-]+)", rater.get("/", follow_redirects=True).text)
            code = found[1] if found else None
    # 19 ratings (one image is known) + 2 repeats + 1 known, all the same page.
    assert len(pages) == 22
    assert len(set(pages)) == 1
    with client(server) as admin:
        admin.get(server.admin_link)
        assert "2 / 3" in admin.get("/admin").text  # both repeats agree, the known one is wrong
        rows = list(csv.DictReader(io.StringIO(admin.get("/admin/votes.csv").text)))
    assert sorted(row["check"] for row in rows) == [""] * 19 + ["known"] + ["repeat"] * 2


def _anonymous(page: str) -> str:
    """A page without what differs from task to task: codes, form token, place, neighbours."""
    page = re.sub(r"/(rate|image)/[\w-]+", "", page)
    page = re.sub(r'value="\w{64}"', "", page)
    page = re.sub(r"<title>.*</title>|<progress.*</progress>|<p><b>.*</p>", "", page)
    page = re.sub(r'\s*data-(before|after|following)="[^"]*"', "", page)
    page = re.sub(r'<a class="button" id="back".*</a>', "", page)
    page = re.sub(r'<link rel="prefetch"[^>]*>', "", page)
    return re.sub(r"\s+", "", page)


# --- the admin's page -----------------------------------------------------------------------------


def test_admin_sees_progress_makes_links_and_downloads_votes(
    rating: tuple[ThreadServer, dict[str, str]], audit: AuditFolder, tmp_path: Path
) -> None:
    server, tokens = rating
    for name in ("Ann", "Bo"):
        with client(server, tokens[name]) as rater:
            for _ in range(4):
                code = first_task(rater)
                answer(
                    rater, code, person="yes", attribute="yes", gender="man", skin="dark skin",
                    comment="=1+1",
                )  # fmt: skip
    with client(server) as admin:
        admin.get(server.admin_link)
        page = admin.get("/admin").text
        assert page.count("4 / 13") == 2
        form = re.search(r'name="form" value="(\w+)"', page)
        assert form is not None
        reply = admin.post("/admin/add", data={"form": form[1], "names": "Cy, Di"})
        new = re.findall(r"<p>(\w+)<code>(\S+?)</code>", reply.text)
        assert [name for name, _ in new] == ["Cy", "Di"]
        votes, vote_map = tmp_path / "votes.csv", tmp_path / "map.toml"
        votes.write_bytes(admin.get("/admin/votes.csv").content)
        vote_map.write_bytes(admin.get("/admin/map.toml").content)
    with client(server) as cy:
        assert cy.get(new[0][1]).status_code == 303
        assert "images" in cy.get("/").text
    found = read_votes(votes, read_map(vote_map))
    assert len(found.votes) <= 8  # attention checks among the first tasks do not count
    assert {vote.answers["gender"] for vote in found.votes} == {"man"}
    assert {vote.answers["comment"] for vote in found.votes} == {"'=1+1"}
    scored = raters.score_file(votes, vote_map)
    assert scored["votes"] == len(found.votes)


def test_admin_acts_need_the_form_token(rating: tuple[ThreadServer, dict[str, str]]) -> None:
    server, _ = rating
    with client(server) as admin:
        admin.get(server.admin_link)
        assert admin.post("/admin/add", data={"names": "Eve"}).status_code == 403
        assert "Eve" not in admin.get("/admin").text


def test_a_closed_link_opens_nothing_and_others_get_the_work(
    rating: tuple[ThreadServer, dict[str, str]], audit: AuditFolder
) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann, client(server) as admin:
        answer(ann, first_task(ann), person="no", attribute="no")
        admin.get(server.admin_link)
        form = re.search(r'name="form" value="(\w+)"', admin.get("/admin").text)
        assert form is not None
        admin.post("/admin/add", data={"form": form[1], "names": "Cy"})
        page = admin.post("/admin/close", data={"form": form[1], "rater": "1"}).text
        assert ann.get("/").status_code == 403
        assert "Ann (closed)" in page
    done = re.findall(r"(\d+) / (\d+)</td>", page)
    assert sum(int(total) for _, total in done) >= 1 + 12 + 11


# --- from the page into the audit -----------------------------------------------------------------


def test_every_acknowledged_answer_ends_in_the_store(
    rating: tuple[ThreadServer, dict[str, str]], audit: AuditFolder
) -> None:
    server, tokens = rating
    with pytest.raises(AuditError, match="no image has been rated yet"):
        site.collect(audit.path)
    with client(server, tokens["Ann"]) as ann:
        task = first_task(ann)
        answer(ann, task, person="yes", attribute="yes", gender="man", skin="dark skin")
        first = site.collect(audit.path)
        assert (first.images, first.votes, first.new) == (1, 1, 5)  # the comment is a blank
        assert site.collect(audit.path).new == 0
        answer(ann, first_task(ann), person="no", attribute="no")
    assert site.collect(audit.path).votes == 2
    votes = raters.load_votes(AuditFolder(audit.path))
    assert len(votes.raters) == 1
    found = raters.checked_labels(AuditFolder(audit.path), "perceived gender")
    assert sorted(found.labels) == ["man", "nobody"]
    # What the admin page hands out, imported, adds no vote.
    file, vote_map = (audit.path.parent / name for name in ("votes.csv", "map.toml"))
    with client(server) as admin:
        admin.get(server.admin_link)
        file.write_bytes(admin.get("/admin/votes.csv").content)
        vote_map.write_bytes(admin.get("/admin/map.toml").content)
    raters.import_votes(audit.path, file, vote_map)
    again = raters.load_votes(AuditFolder(audit.path))
    assert [vote.answers for vote in again.votes] == [vote.answers for vote in votes.votes]
    assert again.dropped == {}


def test_a_correction_counts_and_what_stood_before_is_kept(
    rating: tuple[ThreadServer, dict[str, str]],
    audit: AuditFolder,
) -> None:
    server, tokens = rating
    with client(server, tokens["Ann"]) as ann:
        task = first_task(ann)
        answer(ann, task, person="yes", attribute="yes", gender="man", skin="dark skin")
        site.collect(audit.path)
        time.sleep(1.1)  # the store knows seconds
        answer(ann, task, person="yes", attribute="yes", gender="woman", skin="dark skin")
    site.collect(audit.path)
    assert raters.checked_labels(audit, "perceived gender").labels == ("woman",)
    stored = audit.votes().filter("question = 'gender'").select("answer").fetchall()
    assert sorted(stored) == [("man",), ("woman",)]


# --- preparing ------------------------------------------------------------------------------------


def test_preparing_again_changes_nothing_and_new_images_are_shared_out(tmp_path: Path) -> None:
    prompts = {"a nurse": {"attribute": "nurse"}}
    folder = tmp_path / "audit"
    make_audit(folder, prompts, images=4)
    first = site.prepare(folder, raters=3, per_image=2)
    assert (len(first.tokens), first.images) == (3, 4)
    again = site.prepare(folder, raters=3, per_image=2)
    assert (dict(again.tokens), again.new_images) == ({}, 0)
    make_audit(folder, prompts, images=6)
    more = site.prepare(folder, raters=4, per_image=2)
    assert (list(more.tokens), more.new_images, more.images) == (["rater 4"], 2, 6)


def test_raters_see_the_attribute_and_never_the_intervention(
    tmp_path: Path, serve_here: Start
) -> None:
    study = load_study("entigen").with_images(1)
    chosen = {
        prompt.text: {}
        for prompt in study.prompts()
        if prompt.factors["attribute"] in ("doctor", "bride")
    }
    audit = make_audit(tmp_path / "audit", chosen, images=2)
    audit.remember_study("entigen", study.as_dict())
    made = site.prepare(audit.path, study="entigen", raters=1, per_image=1, checks=0)
    assert made.images == 7 + 5  # one image of each prompt, as the study asks for
    server = serve_here(audit.path)
    seen = set()
    with client(server, made.tokens["rater 1"]) as rater:
        for _ in range(12):
            code = first_task(rater)
            page = rater.get(f"/rate/{code}").text
            assert "irrespective" not in page
            assert "honesty" not in page
            shown = re.findall(r'data-question="(\w+)"', page)
            if "Is the image about a bride?" in page:
                assert shown == ["attribute", "culture"]
                answer(rater, code, attribute="yes", culture="western")
            else:
                assert shown == ["person", "attribute", "gender", "skin"]
                answer(rater, code, person="no", attribute="no")
            seen.add(code)
    assert len(seen) == 12
    site.collect(audit.path)
    found = raters.checked_labels(AuditFolder(audit.path), "culture")
    assert found.labels == ("western",) * 5
    votes = raters.load_votes(AuditFolder(audit.path), prompts=study.prompts())
    assert len(votes.votes) == 12
    levels = {image.factors["intervention"] for image in votes.images.values()}
    assert {"original", "honesty", "diverse cultures", "all genders"} <= levels


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"raters": 2}, "raters is 2, fewer than the 3 that see each image"),
        ({"per_image": 0}, "per_image is 0; allowed: 1 or more"),
        ({"checks": 0.9}, "checks is 0.9; allowed: a share from 0 to 0.5"),
        ({"study": "entigen"}, "no study 'entigen' here; allowed: none"),
        ({"attribute": "colour"}, "attribute is 'colour'; allowed: attribute"),
        ({"database": "mysql://x/y"}, "of the kind 'mysql'; allowed: postgresql, sqlite"),
        ({"database": "nonsense"}, "database is not an address"),
        ({"raters": ["a", ""], "per_image": 1}, "a rater's name is empty or too long"),
    ],
)
def test_faults_in_preparing_are_one_line(
    audit: AuditFolder, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((AuditError, SettingError)) as caught:
        site.prepare(audit.path, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ratings_that_cannot_be_written_say_why(
    audit: AuditFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AuditError, match=r"there is no folder .*/absent; create it"):
        site.prepare(audit.path, database=f"sqlite:///{tmp_path}/absent/ratings.db")
    annotations = audit.path / "annotations.db"
    annotations.mkdir()  # nobody is kept from writing where tests run as root
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(AuditError, match="is read-only, and ratings are written there; copy the"):
        site.prepare(audit.path, database=f"sqlite:///{annotations}")


def test_a_file_of_known_answers_must_fit(audit: AuditFolder, tmp_path: Path) -> None:
    known = tmp_path / "known.csv"
    for text, message in (
        ("prompt,seed,person\na photo of a doctor,0,perhaps\n", "row 2, column person: 'perhaps'"),
        ("prompt,seed,person\na photo of a doctor,77,yes\n", "seed 77, which is not in"),
        ("prompt,seed,person\na photo of a doctor,x,yes\n", "a whole number as seed"),
        ("prompt,seed,mood\na photo of a doctor,0,good\n", "row 2: no known answer"),
        ("prompt,seed,person\na photo of a doctor,0,\xe9\n", "known.csv: not a text file in UTF-8"),
        ("prompt,seed,person\na photo of a doctor,0\n", "row 2: has fewer cells than the 3"),
        (
            "prompt,seed,person\na photo of a doctor,0,yes\na photo of a doctor,0,no\n",
            "row 3, column person: is 'no', and an earlier row says 'yes' of the same image",
        ),
        ("prompt,seed,person\n", "known.csv: has no row below the first line"),
        ("", "known.csv: is empty"),
    ):
        known.write_text(text, encoding="latin-1")
        with pytest.raises(ImportFileError, match=re.escape(message)):
            site.prepare(audit.path, known=known)


QUESTION = """
[[questions]]
id = "{id}"
text = "Fun?"
answers = [{{ key = "y", text = "Yes" }}, {{ key = "n", text = "No" }}]
"""


def test_a_second_campaign_asks_more_about_images_that_were_rated(
    audit: AuditFolder, tmp_path: Path, serve_here: Start
) -> None:
    made = site.prepare(audit.path, raters=1, per_image=1, checks=0)
    server = serve_here(audit.path)
    with client(server, made.tokens["rater 1"]) as rater:
        answer(rater, first_task(rater), person="no", attribute="no")
    other = tmp_path / "questions.toml"
    other.write_text(QUESTION.format(id="fun"), encoding="utf-8")
    more = site.prepare(audit.path, raters=1, per_image=1, checks=0, questions=other)
    assert (more.campaign, more.new_images, dict(more.tokens)) == ("rating-2", 0, {})
    server = serve_here(audit.path)
    with client(server, made.tokens["rater 1"]) as rater:
        code = first_task(rater)
        page = rater.get(f"/rate/{code}").text
        assert page.count(" checked>") == 2, "what was answered is still there"
        assert "Fun?" in page
    other.write_text(QUESTION.format(id="gender"), encoding="utf-8")
    with pytest.raises(AuditError, match="two studies ask 'gender' with different answers"):
        site.prepare(audit.path, raters=1, per_image=1, questions=other)


def test_serving_what_was_not_prepared_is_one_line(audit: AuditFolder) -> None:
    with pytest.raises(AuditError, match="nothing to rate"):
        site.serve(audit.path, port=0)


def test_a_taken_port_is_one_line(audit: AuditFolder) -> None:
    import socket

    site.prepare(audit.path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(AuditError, match=f"cannot listen on 127.0.0.1, port {port}"):
            site.serve(audit.path, port=port)


def test_a_database_that_is_none_is_one_line(audit: AuditFolder) -> None:
    (audit.path / "annotations.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(AuditError, match="cannot be opened as a database of ratings"):
        site.prepare(audit.path)
