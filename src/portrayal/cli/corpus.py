"""corpus: training captions - add, search, sample, indicators, neighbours, phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o

if TYPE_CHECKING:
    from portrayal.corpora import CaptionSet, Problem, Term, TermShares

app = typer.Typer(
    help="Training captions: search, sample, indicators, neighbours.", no_args_is_help=True
)

Folder = Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus folder.")]
SetName = Annotated[str, typer.Argument(metavar="SET", help="A stored set of captions.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Another seed, another sample.")]
Name = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What to call the stored set.")
]
_SHOWN = 3


def add_to(root: typer.Typer) -> None:
    """Add the group to the app."""
    root.add_typer(app, name="corpus", rich_help_panel="Manage data")


@app.command()
def add(
    corpus: Folder,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A Parquet, CSV or tar file, a folder, a URL, or a pattern in quotes.",
        ),
    ],
    also: Annotated[
        list[str] | None,
        typer.Option("--also", metavar="SOURCE", help="Another source; may be repeated."),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="COLUMN", help="The column of the captions.")
    ] = None,
    images: Annotated[
        str | None, typer.Option("--images", metavar="COLUMN", help="The column of the images.")
    ] = None,
    root: Annotated[
        str | None,
        typer.Option("--image-root", metavar="DIR", help="Where paths of images start from."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Make a corpus of sources, or add some; they stay where they are."""
    from portrayal.corpora import create_corpus

    sources = [source, *(also or [])]
    made = create_corpus(corpus, sources, text=text, images=images, root=root)
    if json:
        console.as_json(
            {
                "corpus": str(corpus),
                "identity": made.identity.as_dict(),
                "sources": len(made.sources),
                "rows": made.rows,
                "with_images": sum(one.rows for one in made.sources if one.images),
                "left_out": [one.as_dict() for one in made.left_out],
            }
        )
        return
    files = "1 source" if len(made.sources) == 1 else f"{len(made.sources):,} sources"
    console.say(f"{made.rows:,} captions in {files}: {corpus}")
    for one in made.left_out:
        console.say(one.line())


@app.command()
def search(
    corpus: Folder,
    term: Annotated[
        list[str] | None,
        typer.Option("--term", "-t", metavar="TERM", help="What to find; may be repeated."),
    ] = None,
    terms: Annotated[
        Path | None, typer.Option("--terms", metavar="FILE", help="A file with a term a line.")
    ] = None,
    per_term: Annotated[
        int, typer.Option("--per-term", "-n", metavar="N", min=0, help="Captions to keep a term.")
    ] = 500,
    every: Annotated[bool, typer.Option("--all", help="Keep all captions, no sample.")] = False,
    seed: Seed = 0,
    name: Name = None,
    plurals: Annotated[
        bool, typer.Option("--plurals/--no-plurals", help="Find plurals too.")
    ] = True,
    json: o.Json = False,
) -> None:
    """Find captions containing the terms, as whole words, in one pass; keep a sample."""
    from portrayal.corpora import Corpus

    wanted = _terms(term or [], terms, plurals)
    with console.progress(json) as show:
        found = Corpus(corpus).search(
            wanted, per_term=None if every else per_term, seed=seed, name=name, on_progress=show
        )
    _show_set(found, json, ("term", "captions", "kept"))


@app.command()
def sample(
    corpus: Folder,
    n: Annotated[
        int, typer.Option("--n", "-n", metavar="N", min=1, help="Captions; of a set: a term.")
    ] = 10,
    of: Annotated[
        str | None, typer.Option("--set", metavar="SET", help="Draw from a stored set instead.")
    ] = None,
    seed: Seed = 0,
    name: Name = None,
    json: o.Json = False,
) -> None:
    """Draw captions at random, the same ones every time."""
    from portrayal.corpora import Corpus, draw

    opened = Corpus(corpus)
    if of is not None:
        found = draw(opened.set(of), n, seed=seed, name=name or f"{of}-{n}-{seed}")
    else:
        with console.progress(json) as show:
            found = opened.sample(n, seed=seed, name=name, on_progress=show)
    rows = found.table().to_pylist()
    if json:
        console.as_json({**found.as_dict(), "captions": rows})
        return
    console.plain_table(
        ("term", "caption"), [(row["term"], _short(row["caption"])) for row in rows]
    )
    _say(found.problems)
    console.say(f"stored as {found.name}")


@app.command()
def stats(corpus: Folder, json: o.Json = False) -> None:
    """Count captions, what is wrong with them, and how long they are."""
    from portrayal.corpora import Corpus

    opened = Corpus(corpus)
    with console.progress(json) as show:
        found = opened.stats(on_progress=show)
    images = sum(one.rows for one in opened.sources if one.images)
    if json:
        left_out = [one.as_dict() for one in opened.left_out]
        more = {"with_images": images, "left_out": left_out, "sets": list(opened.sets())}
        console.as_json({**found.as_dict(), **more, "identity": opened.identity.as_dict()})
        return
    words = "–" if found.words is None else " / ".join(map(str, found.words))
    console.plain_table(
        ("", "n"),
        [
            ("sources", found.sources),
            ("rows", found.rows),
            ("captions", found.captions),
            ("rows with an image", images),
            ("words a caption (10, 50, 90%)", words),
            ("stored sets", ", ".join(opened.sets()) or "none"),
        ],
    )
    _say([*found.problems, *opened.left_out])


@app.command()
def phrases(
    corpus: Folder,
    phrase: Annotated[
        list[str],
        typer.Option("--phrase", metavar="WORDS", help="Words in a row; may be repeated."),
    ],
    width: Annotated[
        int, typer.Option("--width", metavar="N", min=0, help="Words of context on each side.")
    ] = 6,
    n: Annotated[int, typer.Option("--n", "-n", metavar="N", min=0, help="Contexts to show.")] = 10,
    seed: Seed = 0,
    json: o.Json = False,
) -> None:
    """Count captions that contain a phrase, and show the words around it."""
    from portrayal.corpora import Corpus
    from portrayal.corpora import phrases as look_up

    with console.progress(json) as show:
        found = look_up(
            Corpus(corpus), phrase, width=width, examples=n, seed=seed, on_progress=show
        )
    if json:
        console.as_json([one.as_dict() for one in found])
        return
    for one in found:
        console.out.print(f"{one.phrase!r}: {one.captions:,} of {one.of:,} captions", markup=False)
        for side, counts in (("before", one.before), ("after", one.after)):
            said = ", ".join(f"{word} {count:,}" for word, count in counts[:5])
            console.out.print(f"  {side} it: {said or 'nothing'}", markup=False, soft_wrap=True)
        for context in one.contexts:
            line = f"  {context.left} [{context.phrase}] {context.right}"
            console.out.print(line, markup=False, soft_wrap=True)


@app.command()
def cooccur(
    corpus: Folder,
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word or phrase.")],
    others: Annotated[
        list[str],
        typer.Option("--with", metavar="OTHER", help="The other word or phrase; may be repeated."),
    ],
    plurals: Annotated[
        bool, typer.Option("--plurals/--no-plurals", help="Count plurals too.")
    ] = True,
    n: Annotated[
        int, typer.Option("--n", "-n", metavar="N", min=0, help="Captions to show per pair.")
    ] = 0,
    images: Annotated[
        Path | None,
        typer.Option(
            "--images", metavar="AUDIT", help="Store the captions' images as an audit, to be rated."
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """Count captions that contain two words, against what chance would give."""
    from portrayal.corpora import Corpus, captions_of_pairs, cooccurrence, store_images, terms_of

    first, second = terms_of([word], plural=plurals), terms_of(others, plural=plurals)
    opened = Corpus(corpus)
    with console.progress(json) as show:
        found = cooccurrence(opened, first, second, on_progress=show)
        both = captions_of_pairs(opened, first[0], list(second)) if n or images else []
    if json:
        console.as_json({**found.as_dict(), "both": [_fields(one) for one in both]})
        return
    console.plain_table(
        ("word", "other", "word in", "other in", "both", "expected", "lift", "share"),
        [
            (one.word, one.other, one.with_word, one.with_other, one.both, one.expected, one.lift,
             one.share)
            for one in found.pairs
        ],
    )  # fmt: skip
    console.say(f"of {found.captions:,} captions; share: of the captions with {word}")
    _say(found.problems)
    for other in others:
        shown = [one.caption for one in both if one.pair[1] == other][:n]
        for caption in shown:
            console.line(f"{word} + {other}: {_short(caption)}")
    if images is not None:
        stored = store_images(opened, both, images)
        console.say(", ".join(f"{count} {what}" for what, count in stored.items()) or "all there")
        console.say(f"next: portrayal annotate {images}")


@app.command()
def indicators(
    corpus: Folder,
    captions: SetName,
    names: Annotated[
        str,
        typer.Option("--names", metavar="WHO", help="spacy:PIPELINE, capitals, or none."),
    ] = "capitals",
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="NAME", help="Store the captions without indicators."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="CSV of term and share, to correlate with."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Say which gender the words of captions indicate, by term."""
    from portrayal.corpora import (
        Corpus,
        correlation_sentence,
        indicator_correlation,
        indicator_identity,
        label_set,
        read_shares,
        shares_by_term,
    )
    from portrayal.language import open_recogniser
    from portrayal.records import plain

    shares = read_shares(against) if against is not None else None
    opened = Corpus(corpus)
    found = opened.set(captions)
    recogniser = open_recogniser(names)
    opened.require_valid("names", recogniser.identity)
    labels = label_set(found, recogniser)
    rows = shares_by_term(found.terms, found.table(["term"])["term"].to_pylist(), labels)
    related = indicator_correlation(rows, shares) if shares is not None else None
    kept = None
    if keep is not None:
        kept = found.where([label == "unknown" for label in labels], keep)
    identity = indicator_identity(recogniser)
    if json:
        console.as_json(
            {
                "set": found.name,
                "identity": identity.as_dict(),
                "terms": [one.as_dict() for one in rows],
                "correlation": None if related is None else plain(_fields(related)),
                "kept": None if kept is None else kept.as_dict(),
            }
        )
        return
    _show_indicators(rows)
    console.say(f"names by {identity.name} ({identity.digest})")
    if related is not None and against is not None:
        console.say(correlation_sentence(related, against))
    if kept is not None:
        console.say(f"{len(kept):,} captions without indicators stored as {kept.name}")


@app.command()
def neighbours(
    corpus: Folder,
    captions: SetName,
    prompt: Annotated[
        list[str],
        typer.Option(
            "--prompt", "-p", metavar="TEMPLATE", help="As 'A photo of {a term}'; may be repeated."
        ),
    ],
    encoder: Annotated[
        str,
        typer.Option(
            "--encoder", "-e", metavar="ENCODER",
            help="A folder, or a model of sentence-transformers.",
        ),
    ] = "all-MiniLM-L6-v2",
    k: Annotated[
        int, typer.Option("--k", "-k", metavar="N", min=1, help="Captions to keep a prompt.")
    ] = 500,
    name: Name = None,
    device: Annotated[
        str | None, typer.Option("--device", metavar="DEVICE", help="cpu, cuda, mps; the best.")
    ] = None,
    json: o.Json = False,
) -> None:  # fmt: skip
    """Find the captions of each term that are nearest to prompts."""
    from portrayal.corpora import Corpus, filled, nearest
    from portrayal.language import open_sentence_encoder

    opened = Corpus(corpus)
    found = opened.set(captions)
    prompts = filled(prompt, found.terms)
    model = open_sentence_encoder(encoder, device=device)
    opened.require_valid("sentences", model.identity)
    with console.progress(json) as show:
        near = nearest(opened, found, prompts, model, k=k, name=name, on_progress=show)
    if json:
        similar = [one.as_dict() for one in near.similarity]
        console.as_json({**near.captions.as_dict(), "similarity": similar, "new": near.embedded})
        return
    console.plain_table(
        ("term", "prompt", "captions", "mean cosine", "nearest", "their mean"),
        [
            (one.term, one.prompt, one.n, one.mean_all, one.k, one.mean_nearest)
            for one in near.similarity
        ],
    )
    console.say(
        f"{near.embedded:,} captions embedded by {model.identity.name}; "
        f"{len(near.captions):,} stored as {near.captions.name}"
    )


@app.command()
def urls(
    corpus: Folder,
    study: Annotated[
        str,
        typer.Option("--study", metavar="STUDY", help="An amplification study or its file."),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="A .parquet or .csv file to write.")
    ] = Path("urls.parquet"),
    json: o.Json = False,
) -> None:
    """Write the addresses of the images that a study needs next, for img2dataset."""
    from portrayal import runner
    from portrayal.corpora import Corpus

    opened = Corpus(corpus)
    with console.progress(json) as show:
        captions = runner.links_to_try(study, corpus, on_progress=show)
    written = opened.write_links(captions, out) if captions else 0
    if json:
        console.as_json({"corpus": str(corpus), "file": str(out), "addresses": written})
        return
    if not captions:
        console.say(f"every caption that {study} needs has an image; nothing to write")
        return
    console.say(f"{written:,} addresses written to {out}; download them with:")
    kind = "csv" if out.suffix == ".csv" else "parquet"
    console.say(
        f"img2dataset --url_list {out} --input_format {kind} --url_col url --caption_col caption "
        "--output_format webdataset --output_folder downloads"
    )
    console.say(f"then: portrayal corpus attach {corpus} downloads")


@app.command()
def attach(
    corpus: Folder,
    folder: Annotated[
        Path, typer.Argument(metavar="DOWNLOADS", help="What img2dataset downloaded.")
    ],
    json: o.Json = False,
) -> None:
    """Take in images that were downloaded by their addresses, and remember dead ones."""
    from dataclasses import asdict

    from portrayal.corpora import Corpus

    found = Corpus(corpus).attach(folder)
    if json:
        console.as_json(asdict(found))
        return
    console.say(found.sentence())


def _terms(named: Sequence[str], file: Path | None, plurals: bool) -> tuple[Term, ...]:
    from portrayal.corpora import checked, read_terms, terms_of

    listed = read_terms(file, plural=plurals) if file is not None else ()
    return checked([*(terms_of(named, plural=plurals) if named else ()), *listed])


def _show_set(found: CaptionSet, json: bool, heads: Sequence[str]) -> None:
    from portrayal.corpora import term_counts

    if json:
        console.as_json(found.as_dict())
        return
    kept = term_counts(found.table(["term"]), found.terms)
    console.plain_table(heads, [(term, n, kept[term]) for term, n in found.counts.items()])
    _say(found.problems)
    console.say(f"stored as {found.name}")


def _show_indicators(rows: Sequence[TermShares]) -> None:
    console.plain_table(
        ("term", "n", "male", "female", "both", "unknown", "female share", "low", "high"),
        [
            (one.term, one.n, one.male, one.female, one.both, one.unknown, one.share_female,
             one.low, one.high)
            for one in rows
        ],
    )  # fmt: skip


def _say(problems: Iterable[Problem]) -> None:
    for one in problems:
        console.say(one.line())


def _short(caption: str) -> str:
    return caption if len(caption) <= 200 else caption[:199] + "…"


def _fields(result: object) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(result)  # type: ignore[call-overload,no-any-return]
