"""The corpus folder: which sources a corpus has, and what was found in them.

    corpus.json                        format, sources with sizes, columns and fingerprints
    listings/*.parquet                 tables and tars, listed once
    sets/*.parquet                     stored sets of captions
    labels/<recogniser>/*.parquet      which gender the words of captions indicate
    embeddings/<encoder>/part-*.parquet   sentence embeddings
    links/, downloads/, downloads.parquet   addresses that were written out, and what came of them

Everything but corpus.json can be deleted and is made again. Sources stay where they are.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from portrayal.audit import write_text
from portrayal.corpora import census, downloads, images, inspection, search
from portrayal.corpora.captions import CaptionSet, checked_name, stored, write_set
from portrayal.corpora.columns import Columns
from portrayal.corpora.images import Row, Unreadable
from portrayal.corpora.layouts import expanded, unread
from portrayal.corpora.matching import ANY, every_caption_sql, labels_sql
from portrayal.corpora.problems import Problem
from portrayal.corpora.reading import Readable, Reader
from portrayal.corpora.sources import CorpusFile, Place, shown
from portrayal.corpora.terms import Term, checked
from portrayal.errors import CorpusError
from portrayal.language import Role, require_valid_text_model
from portrayal.progress import OnProgress
from portrayal.records import Identity, digest

FORMAT = 1
FILE = "corpus.json"
RULES = 1
"""Raised when the rules of search change, so that stored sets are not taken for new ones."""


class Corpus:
    """A corpus of captions, with or without images.

    Args:
        folder: A folder that `create_corpus` made.
        threads: Sources that are read at once; None: one a core.

    Raises:
        CorpusError: It is none.
    """

    def __init__(self, folder: str | Path, *, threads: int | None = None) -> None:
        self.folder = Path(folder)
        self._threads = threads
        data = _read(self.folder)
        try:
            self.name = str(data["name"])
            self.sources = tuple(CorpusFile.from_dict(one) for one in data["sources"])
            self.left_out = tuple(Problem(**one) for one in data["left_out"])
        except (KeyError, TypeError) as error:
            raise CorpusError(f"{self.folder / FILE}: not readable: {error!r}") from error

    @property
    def identity(self) -> Identity:
        """The content of the sources; not where they lie or when they were written."""
        content = [
            [one.label, one.size, one.fingerprint, one.rows, one.text] for one in self.sources
        ]
        return Identity("corpus", self.name, {"sources": digest(content, length=32)})

    @property
    def origin(self) -> str:
        """Who made the images, where all sources say the same; "" where not.

        A source says it in the metadata of its Parquet schema: `portrayal`, as JSON with `corpus`.
        """
        says = (inspection.stated_origin(one.kind, self.place(one)) for one in self.sources)
        origin = next(says)
        return origin if origin and all(other == origin for other in says) else ""

    def require_valid(self, role: Role, model: Identity) -> None:
        """Raise where a text model is not valid for captions of this origin.

        Raises:
            LanguageError: It is not.
        """
        settings = {**self.identity.settings, "origin": self.origin}
        require_valid_text_model(role, model, Identity("corpus", self.name, settings))

    @property
    def rows(self) -> int:
        """Captions in all sources, the empty ones too."""
        return sum(one.rows for one in self.sources)

    def search(
        self,
        terms: Sequence[Term],
        *,
        per_term: int | None,
        seed: int = 0,
        name: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CaptionSet:
        """Find the captions containing the terms, in one pass; see `terms` for what counts.

        The same search of the same corpus is read back instead.

        Args:
            terms: What to look for.
            per_term: At most so many a term, drawn at random; None: all.
            seed: Another seed, another sample.
            name: What to call the set; made up from its identity if left out.
            on_progress: Told how many captions were looked at.

        Raises:
            CorpusError: No terms, or a source has changed since it was added.
        """
        wanted = checked(terms)
        settings = {
            "corpus": self.identity.digest,
            "rules": RULES,
            "terms": [[term.name, *term.forms] for term in wanted],
            **({} if per_term is None else {"per_term": per_term, "seed": seed}),
        }
        identity = Identity("captions", "search", settings)
        names = [term.name for term in wanted]
        return self._found(identity, names, labels_sql(wanted), per_term, seed, name, on_progress)

    def sample(
        self,
        n: int,
        *,
        seed: int = 0,
        name: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CaptionSet:
        """Draw captions at random from the whole corpus; those that cannot be read are left out."""
        settings = {"corpus": self.identity.digest, "rules": RULES, "n": n, "seed": seed}
        identity = Identity("captions", "sample", settings)
        return self._found(identity, [ANY], every_caption_sql(), n, seed, name, on_progress)

    def set(self, name: str) -> CaptionSet:
        """Open a stored set.

        Raises:
            CorpusError: There is none of that name.
        """
        file = self._file(name)
        if not file.exists():
            there = ", ".join(self.sets()) or "none yet"
            raise CorpusError(f"{self.folder}: no set {name!r}; there are: {there}")
        return CaptionSet(file)

    def sets(self) -> tuple[str, ...]:
        """Return the names of the stored sets."""
        return tuple(sorted(file.stem for file in (self.folder / "sets").glob("[!.]*.parquet")))

    def stats(self, *, on_progress: OnProgress | None = None) -> census.Census:
        """Count captions, what is wrong with them, and how long they are."""
        with self.reader() as reader:
            return census.take(reader, self.readable(), on_progress=on_progress)

    def images(
        self, rows: Iterable[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], bytes | Unreadable]]:
        """Yield the images of captions, each as (source, row), source by source, lazily.

        Images that were downloaded for a caption come first, then those of the sources.
        """
        wanted = sorted({(int(source), int(row)) for source, row in rows})
        tried = self.tried()
        held = {place: found for place in wanted if (found := tried.get(place)) is not None}
        if held:
            yield from self._downloaded(held)
        yield from images.read(
            self.sources, self.place, self.listing, [one for one in wanted if one not in held]
        )

    def _downloaded(self, held: Mapping[Row, Row]) -> Iterator[tuple[Row, bytes | Unreadable]]:
        of: dict[Row, list[Row]] = {}
        for place, found in held.items():
            of.setdefault(found, []).append(place)
        for found, answer in Corpus(self.folder / downloads.FOLDER).images(of):
            for place in of[found]:
                yield place, answer

    def tried(self) -> dict[Row, Row | None]:
        """Return the captions whose address was tried; None where it is dead."""
        return downloads.read_tried(self.folder)

    def links(self, rows: Iterable[Row]) -> dict[Row, str]:
        """Return the addresses of captions, where they have one."""
        return dict(downloads.read_links(self.sources, self.listing, rows))

    def write_links(self, captions: Mapping[Row, str], out: Path) -> int:
        """Write the addresses of captions for img2dataset; return how many there are.

        Args:
            captions: By source and row.
            out: A file ending in .parquet or .csv.
        """
        links = self.links(captions)
        downloads.write_links(self.folder, links, captions, out)
        return len(links)

    def attach(self, folder: str | Path) -> downloads.Attached:
        """Take in what was downloaded of addresses that were written out.

        Args:
            folder: What img2dataset wrote, in any layout that has addresses.

        Raises:
            CorpusError: Nothing was written out, or nothing there can be used.
        """
        asked = downloads.written_links(self.folder)
        if not asked:
            raise CorpusError(
                f"{self.folder}: no addresses were written out; run: portrayal corpus urls"
            )
        held = create_corpus(self.folder / downloads.FOLDER, [folder])
        tried = self.tried()
        unknown = 0
        for number, source in enumerate(held.sources):
            rows = list(range(source.rows))
            links = held.links((number, row) for row in rows)
            there = downloads.has_image(source, held.listing(source), rows)
            for row, is_there in zip(rows, there, strict=True):
                mine = asked.get(links.get((number, row), ""), [])
                unknown += not mine
                for place in mine:
                    known = tried.get(place)
                    tried[place] = (number, row) if is_there else known
        downloads.store_tried(self.folder, tried)
        return downloads.Attached(
            len(tried), sum(one is not None for one in tried.values()), unknown
        )

    def place(self, source: CorpusFile) -> Place:
        """Return where a source lies."""
        if "://" in source.path or os.path.isabs(source.path):
            return Place(source.path)
        return Place(os.path.normpath(os.path.join(os.path.abspath(self.folder), source.path)))

    def listing(self, source: CorpusFile) -> Place:
        """Return the Parquet file that stands for a source: itself, or its listing."""
        if not source.listing:
            return self.place(source)
        return Place(str(self.folder / "listings" / source.listing))

    def reader(self) -> Reader:
        """Return what looks at sources; to be closed."""
        return Reader(threads=self._threads)

    def readable(self) -> list[Readable]:
        """Return the sources for a pass, after a look whether they are what they were.

        Raises:
            CorpusError: One has changed or is gone.
        """
        for source in self.sources:
            inspection.check_unchanged(source, self.place(source), self.folder)
        return [
            Readable(number, one.label, self.listing(one), one.text, one.rows)
            for number, one in enumerate(self.sources)
        ]

    def _found(
        self,
        identity: Identity,
        names: Sequence[str],
        labels: str,
        per_term: int | None,
        seed: int,
        name: str | None,
        on_progress: OnProgress | None,
    ) -> CaptionSet:
        file = self._file(name or f"{identity.name}-{identity.digest[:8]}")
        present = stored(file, identity)
        if present is not None:
            if present.is_whole:
                return present
            file.unlink()  # a source could not be read then; it may be readable now
        tally = search.Tally()
        counts: dict[str, int] = {}

        def tables() -> Iterator[Any]:
            sources = self.readable()
            with self.reader() as reader:
                if per_term is None:
                    yield from search.every(
                        reader, sources, labels, names=names, tally=tally, on_progress=on_progress
                    )
                else:
                    kept = search.sampled(
                        reader, sources, labels, per_term=per_term, seed=seed, tally=tally,
                        on_progress=on_progress,
                    )  # fmt: skip
                    yield search.in_order(kept, names)
            tally.finish(names)
            counts.update({term: tally.matches.get(i, 0) for i, term in enumerate(names)})

        return write_set(file, tables(), identity=identity, counts=counts, problems=tally.problems)

    def _file(self, name: str) -> Path:
        return self.folder / "sets" / f"{checked_name(name)}.parquet"


def create_corpus(
    folder: str | Path,
    sources: Iterable[str | Path],
    *,
    text: str | None = None,
    images: str | None = None,
    root: str | Path | None = None,
) -> Corpus:
    """Make a corpus of sources, or add sources to one; those that are there already stay as is.

    A source that cannot be used is left out, and `Corpus.left_out` says why.

    Args:
        folder: The corpus folder; created if absent.
        sources: Files, folders, patterns, and URLs of them (fsspec); see `layouts` and `sources`.
        text: The column of the captions; found by its name if left out.
        images: The column of the images, of their bytes or of their paths; likewise.
        root: The folder that paths of images start from; the table's own if left out.

    Raises:
        CorpusError: No source can be used, or the folder holds something else.
    """
    where = Path(folder)
    before = Corpus(where) if (where / FILE).exists() else None
    _refuse_strangers(where)
    known = list(before.sources) if before else []
    paths = {before.place(one).path: i for i, one in enumerate(known)} if before else {}
    left_out = list(before.left_out) if before else []
    columns = Columns(text, images, None if root is None else str(root))
    files = expanded(sources)
    for path in files.sources:
        found, problems = inspection.inspect(path, where, columns)
        left_out = [one for one in left_out if not one.where.startswith(f"{shown(path)}: ")]
        left_out += problems
        if found is not None and path in paths:
            known[paths[path]] = found
        elif found is not None:
            known.append(found)
    left_out += unread(files.unread, left_out)
    if not known:
        raise CorpusError(f"{where}: no source can be used; first: {left_out[0].where}")
    content = {
        "format": FORMAT,
        "created": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "name": before.name if before else where.resolve().name,
        "sources": [one.as_dict() for one in known],
        "left_out": [one.as_dict() for one in left_out],
    }
    write_text(where / FILE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return Corpus(where)


def _refuse_strangers(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise CorpusError(f"{folder}: is a file; a corpus is a folder")
    if folder.is_dir() and not (folder / FILE).exists():
        others = [name for name in os.listdir(folder) if name[0] != "." and name != "listings"]
        if others:
            raise CorpusError(
                f"{folder}: not empty and not a corpus (no {FILE}); choose a new or an empty folder"
            )


def _read(folder: Path) -> dict[str, Any]:
    file = folder / FILE
    if not file.exists():
        raise CorpusError(
            f"{folder}: not a corpus: it has no {FILE}; make one with: "
            f"portrayal corpus add {folder} SOURCE"
        )
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise CorpusError(f"{file}: not readable: {error}") from error
    if not isinstance(data, dict) or type(data.get("format")) is not int:
        raise CorpusError(f"{file}: not readable: it has no format version")
    if data["format"] > FORMAT:
        raise CorpusError(
            f"{file}: format {data['format']} is newer than this portrayal reads ({FORMAT}); "
            "run: pip install --upgrade portrayal"
        )
    return data
