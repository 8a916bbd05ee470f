"""The audit folder: everything one model made, what was measured in it, and what was found.

    audit.json                          format version, generator identity, package versions
    images/part-*.parquet               one row a request: key, prompt, seed, status, image bytes
    measurements/<name>-<identity>/     one row per image: what a measurer saw, or why not
    texts/<name>-<identity>/            one row a text: its embedding under an encoder
    votes/part-*.parquet                one row per answer: image, question, rater, answer
    campaigns/<name>.json               what raters were asked, and how images were chosen
    validations/<name>.json             how often a measurer was right on images with known labels
    studies/<name>.json                 the studies asked of this audit, as they were asked
    acts/<time>-<hash>.json             what was retired, restored or renamed, and why
    imports/skipped-<time>.csv          rows of an import that were broken, and how
    looks/part-*.parquet                one row per question of each analysis that people saw
    results.json, report/index.html     what was found

Readers need nothing of ours: pandas, polars, DuckDB and `datasets` open the parts as they are.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit import documents
from portrayal.audit.acts import Act, Thing, read_acts, record_act, retired
from portrayal.audit.files import quoted, writing
from portrayal.audit.header import Header
from portrayal.audit.keys import key_rule
from portrayal.audit.locations import location, object_path
from portrayal.audit.parts import part_names, sizes
from portrayal.audit.queries import Queries
from portrayal.audit.sharing import Arrivals, own_place
from portrayal.audit.store import Store
from portrayal.audit.tables import (
    ABOUT_IMAGES,
    IMAGES,
    LOOKS,
    TEXTS,
    VOTES,
    ColumnType,
    check_widths,
    images_table,
    looks_table,
    matrix,
    measurement_schema,
    measurements_table,
    texts_table,
    votes_table,
)
from portrayal.audit.wants import Pairs, Wanted
from portrayal.errors import AuditError
from portrayal.records import Ballot, Identity, ImageRecord, LookRecord, Measurement, digest


class EmbeddingBlock(NamedTuple):
    """Some images and their embeddings, one row per key."""

    keys: list[str]
    vectors: npt.NDArray[np.float32]


class AuditFolder:
    """An audit folder that exists, here or in an object store (`s3://bucket/audit`).

    Open one with `AuditFolder(path)`, make or continue one with `AuditFolder.at(path, generator)`.
    Several threads may share one, and several processes may have the same folder open. A relation
    shows the folder as it was when it was asked for; use it in the thread that asked.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = location(path)
        self.header = Header.read(self.path)
        self._queries = Queries()
        self._stores: dict[Path, Store] = {}

    @classmethod
    def at(cls, path: str | os.PathLike[str], generator: Identity) -> AuditFolder:
        """Open the audit at `path`, making it first where there is none.

        Raises:
            AuditError: The folder is an audit of another generator.
        """
        where = location(path)
        Header.create(where, generator)
        audit = cls(where)
        audit.require(generator)
        return audit

    @staticmethod
    def exists(path: str | os.PathLike[str]) -> bool:
        """Tell whether there is an audit at a path, of whatever format."""
        return Header.exists(location(path))

    @classmethod
    def find(cls, path: str | os.PathLike[str]) -> AuditFolder | None:
        """Open the audit at a path; None where there is none yet.

        Raises:
            AuditError: There is one, and it cannot be read.
        """
        return cls(path) if cls.exists(path) else None

    @staticmethod
    def check_place(path: str | os.PathLike[str]) -> None:
        """Raise where there is no audit and none can be made, before a model is loaded for it.

        Raises:
            NotAnAudit: It is a file, or a folder of other things.
        """
        Header.check_place(location(path))

    @classmethod
    def places_in(cls, folder: str | os.PathLike[str]) -> list[Path]:
        """Return where the audits of a folder are, in the order of their paths; or the folder.

        Audits inside an audit (its training side) are part of it.
        """
        top = location(folder)
        if cls.exists(top) or object_path(top) is not None:
            return [top]
        found: list[Path] = []
        for place, folders, _ in os.walk(top):
            if cls.exists(place):
                found.append(Path(place))
                folders.clear()
            folders[:] = sorted(name for name in folders if name[0] != ".")
        return found

    def require(self, generator: Identity) -> None:
        """Raise unless the audit is about this very generator.

        Raises:
            AuditError: It is about another one; says in what they differ.
        """
        self.header.require(generator, self.path, is_empty=self._has_no_image)

    def __reduce__(self) -> tuple[type[AuditFolder], tuple[Path]]:
        return type(self), (self.path,)

    def __repr__(self) -> str:
        return f"AuditFolder({str(self.path)!r})"

    @property
    def generator(self) -> Identity:
        """The identity of the generator whose images these are."""
        return self.header.generator

    @property
    def is_imported(self) -> bool:
        """Whether its images came from a folder; no generator makes more of them."""
        return self.generator.kind == "folder"

    @property
    def seeds_decide(self) -> bool:
        """Whether a seed decides what an image is.

        Where it only numbers images (imported ones, those of a service), two identical images are
        one that came twice, from a copied file or from a cache.
        """
        return not (
            self.is_imported or str(self.generator.settings.get("seeds")).startswith("none")
        )

    # --- images ------------------------------------------------------------------------------

    def images(
        self, *, with_bytes: bool = False, columns: Sequence[str] = ABOUT_IMAGES
    ) -> duckdb.DuckDBPyRelation:
        """Return one row per image as a DuckDB relation (`.df()`, `.pl()`, `.arrow()`).

        Args:
            with_bytes: Also return the column `image`, whose bytes are read from the parts only
                when the relation is used; checksums are not compared then (`read_images` does).
            columns: Without the bytes, only these columns: a large audit takes less memory then.
        """
        store = self._images
        if not with_bytes:
            return self._queries.table(store.table(columns))
        return self._queries.parts(store.doubled_rows(), IMAGES)

    def append_images(self, records: Sequence[ImageRecord], *, again: bool = False) -> int:
        """Store image records as one part; return how many were new.

        Args:
            records: What a generator answered.
            again: Also store what a second try made of requests that failed before.
        """
        return self.append_counted(records, again=again).total()

    def append_counted(
        self, records: Sequence[ImageRecord], *, again: bool = False
    ) -> Counter[str]:
        """Store image records as one part; return how many were new, by status.

        Args:
            records: See `append_images`.
            again: See `append_images`.
        """
        if not records:
            return Counter()
        new = self._images.append_new(images_table(self.generator, records), again=again)
        return Counter(new["status"].to_pylist())

    def image_parts(self) -> frozenset[str]:
        """Return the names of the image parts that are there now."""
        return frozenset(part_names(self._images.folder))

    def content(self) -> str:
        """Return a name of the images and measurements that are here now; another one for more."""
        measured = sorted((self.path / "measurements").glob(f"*/{documents.IDENTITY}"))
        folders = [self._images.folder, *(file.parent for file in measured)]
        return digest([[folder.name, part_names(folder)] for folder in folders])

    def image_bytes(self) -> int:
        """Return how many bytes the image parts take."""
        return sum(sizes(self._images.folder).values())

    def arrivals(self, seen: Iterable[str]) -> Arrivals:
        """Return what tells of image parts that others add.

        Args:
            seen: Names of the parts that are known already, as `image_parts` gave them.
        """
        return Arrivals(self._images.folder, self._images.written, seen)

    @contextlib.contextmanager
    def own_place(self) -> Iterator[int]:
        """Hold the lowest free place among the processes that add images to this audit."""
        folder = self._images.folder
        with writing(folder):
            folder.mkdir(exist_ok=True)
        with own_place(folder) as place:
            yield place

    def missing(self, wanted: Wanted | Pairs, *, retry_failed: bool = False) -> pa.Table:
        """Return wanted minus present: a table of `prompt` and `seed`, in the order wanted.

        Args:
            wanted: Prompt texts, each with its seeds, or with the number of images wanted (seeds
                0 ... n-1).
            retry_failed: Count images that failed before as missing.
        """
        return Wanted.of(wanted).absent(self._images.each_part, retry_failed=retry_failed)

    def read_images(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the encoded bytes of the images with these keys (those that are ok)."""
        table = self._images.take(keys, ["key", "image"])
        found = zip(table["key"].to_pylist(), table["image"].to_pylist(), strict=True)
        return {key: image["bytes"] for key, image in found if image is not None}

    def unmeasured_images(
        self, *measurers: Identity, prompts: Iterable[str] | None = None, batch: int = 64
    ) -> Iterator[list[tuple[str, bytes]]]:
        """Yield batches of (key, encoded bytes) that not all of some measurers have seen yet.

        Parts are read one at a time and their hashes compared, so an altered image is never
        measured.
        """
        each = [self._measured(one).table(["key"])["key"].to_pylist() for one in measurers]
        seen = set.intersection(*map(set, each))
        wanted = None if prompts is None else pa.array(sorted(set(prompts)), pa.string())

        def unseen(about: pa.Table) -> pa.ChunkedArray:
            new = pa.array([key not in seen for key in about["key"].to_pylist()], pa.bool_())
            chosen = pc.and_(pc.equal(about["status"], "ok"), new)
            return chosen if wanted is None else pc.and_(chosen, _is_in(about["prompt"], wanted))

        pending: list[tuple[str, bytes]] = []
        for table in self._images.batches(["key", "prompt", "status", "image"], unseen):
            for key, image in zip(table["key"].to_pylist(), table["image"], strict=True):
                if key in seen:
                    continue
                seen.add(key)
                pending.append((key, image["bytes"].as_py()))
                if len(pending) == batch:
                    yield pending
                    pending = []
        if pending:
            yield pending

    # --- measurements ------------------------------------------------------------------------

    def measurers(self, *, retired: bool = False) -> list[Identity]:
        """Return the identities of all measurers that have seen images of this audit.

        Args:
            retired: Also those that were retired.
        """
        files = sorted((self.path / "measurements").glob(f"*/{documents.IDENTITY}"))
        out = {} if retired else self.retired("measurer")
        found = [documents.read_identity(file)[0] for file in files]
        return [one for one in found if one.digest not in out]

    def measurer(self, name: str | None = None) -> Identity:
        """Return the identity of the measurer with this name (or the only one)."""
        known = self.measurers()
        found = [one for one in known if name is None or name in (one.name, one.kind)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(f"{one.kind} {one.name}" for one in known) or "none yet"
        asked = f"measurer {name!r}" if name else "which measurer"
        raise AuditError(
            f"{self.path}: {asked}: {len(found)} match; here are: {names}; "
            "run `portrayal measure` or name one"
        )

    def measurements(
        self, measurer: Identity | str | None = None, *, columns: Sequence[str] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Return one row per image of one measurer as a DuckDB relation.

        Args:
            measurer: An identity, or a measurer's name where only one of that name is here. None
                where the audit has just one measurer.
            columns: Only these columns; without the vectors a large audit takes little memory.
        """
        identity = measurer if isinstance(measurer, Identity) else self.measurer(measurer)
        store = self._measured(identity)
        for name in columns or ():
            if name not in store.schema.names:
                allowed = ", ".join(store.schema.names)
                raise AuditError(
                    f"{store.folder}: no column {name!r} in measurements; allowed: {allowed}"
                )
        return self._queries.table(store.table(columns))

    def columns(self, measurer: Identity) -> list[str]:
        """Return the names of what a measurer stored, besides `key` and `reason`."""
        names = self._measured(measurer).schema.names
        return [name for name in names if name not in ("key", "reason")]

    def append_measurements(
        self,
        measurer: Identity,
        columns: Mapping[str, ColumnType],
        measurements: Sequence[Measurement],
    ) -> int:
        """Store measurements as one part; return how many were new."""
        if not measurements:
            return 0
        folder = self.path / "measurements" / documents.folder_name(measurer)
        documents.remember_identity(folder, measurer, columns)
        store = self._store(folder, measurement_schema(columns))
        return store.append(measurements_table(columns, measurements))

    def embedding_blocks(self, measurer: Identity, *, rows: int = 8192) -> Iterator[EmbeddingBlock]:
        """Yield all embeddings of a measurer, so many images at a time, in any order.

        Holds one block in memory. Where a key comes again, its first embedding counts.
        """
        store = self._measured(measurer)
        width: int | None = None
        for batch in store.blocks(["key", "embedding"], rows=rows):
            found = batch.filter(pc.is_valid(batch["embedding"]))
            column = pa.chunked_array([found["embedding"]])
            width = check_widths(column, str(store.folder), expected=width)
            yield EmbeddingBlock(found["key"].to_pylist(), matrix(column))

    def embeddings(
        self, measurer: Identity, prompts: Iterable[str] | None = None
    ) -> tuple[list[str], npt.NDArray[np.float32]]:
        """Return the keys and the embedding matrix of the images of some prompts, in key order."""
        table = self._measured(measurer).table(["key", "embedding"])
        chosen = pc.is_valid(table["embedding"])
        if prompts is not None:
            about = self._images.table(["key", "prompt"])
            of_prompts = _is_in(about["prompt"], pa.array(sorted(set(prompts)), pa.string()))
            keys = about.filter(of_prompts)["key"].combine_chunks()
            chosen = pc.and_(chosen, _is_in(table["key"], keys))
        table = table.filter(chosen)
        order = pc.sort_indices(table["key"]).to_numpy()
        return table["key"].take(order).to_pylist(), matrix(table["embedding"])[order]

    # --- texts -------------------------------------------------------------------------------

    def texts(self, encoder: Identity) -> duckdb.DuckDBPyRelation:
        """Return the texts that an encoder has embedded for this audit."""
        return self._queries.table(self._texts(encoder).table())

    def missing_texts(self, encoder: Identity, texts: Iterable[str]) -> list[str]:
        """Return the texts, without repeats, that have no embedding yet."""
        present = set(self._texts(encoder).table(["text"])["text"].to_pylist())
        return [text for text in dict.fromkeys(texts) if text not in present]

    def append_texts(
        self,
        encoder: Identity,
        texts: Sequence[str],
        embeddings: npt.NDArray[np.floating[Any]],
        *,
        tokens: Sequence[int | None],
        truncated: Sequence[bool | None],
    ) -> int:
        """Store the embeddings of texts as one part; return how many texts were new."""
        if not texts:
            return 0
        store = self._texts(encoder)
        documents.remember_identity(store.folder, encoder, {"embedding": "vector"})
        return store.append(texts_table(texts, embeddings, tokens=tokens, truncated=truncated))

    def text_embeddings(self, encoder: Identity, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one embedding per text, in the order asked for.

        Raises:
            AuditError: A text has not been embedded; `portrayal measure` does so.
        """
        rows = self._texts(encoder).table(["text", "embedding"])
        place = {text: i for i, text in enumerate(rows["text"].to_pylist())}
        absent = [text for text in texts if text not in place]
        if absent:
            raise AuditError(
                f"{self.path}: the encoder {encoder.name} has not read {absent[0]!r}"
                f"{f' and {len(absent) - 1} more' if len(absent) > 1 else ''}; "
                "run `portrayal measure` first"
            )
        return matrix(rows["embedding"])[[place[text] for text in texts]]

    # --- votes -------------------------------------------------------------------------------

    def votes(self) -> duckdb.DuckDBPyRelation:
        """Return every answer that raters ever gave, one row each, as a DuckDB relation.

        A rater's corrections and contradictions are all there; `portrayal.raters.load_votes` says
        which answers count.
        """
        return self._queries.table(self._votes.table())

    def append_votes(self, ballots: Sequence[Ballot]) -> int:
        """Store raters' answers as one part; return how many were not here yet."""
        return self._votes.append(votes_table(ballots)) if ballots else 0

    def campaigns(self, *, retired: bool = False) -> dict[str, dict[str, Any]]:
        """Return the rating campaigns of this audit, by name; also retired ones where asked for."""
        return self._in_use("campaigns", {} if retired else self.retired("campaign"))

    def remember_campaign(self, name: str, campaign: Mapping[str, Any]) -> None:
        """Keep what a campaign asks, and how its images were chosen."""
        documents.remember_document(self.path, "campaigns", name, campaign)

    # --- studies and results -----------------------------------------------------------------

    def studies(self, *, retired: bool = False) -> dict[str, dict[str, Any]]:
        """Return the studies that were asked of this audit, by name; also retired ones if asked."""
        return self._in_use("studies", {} if retired else self.retired("study"))

    def remember_study(self, name: str, study: Mapping[str, Any]) -> None:
        """Keep a study with the audit, so that later verbs need not be told again.

        An earlier version under the same name is kept in `studies/earlier/`.

        Raises:
            AuditError: The study was retired.
        """
        act = self.retired("study").get(name)
        if act is not None:
            raise AuditError(
                f"{self.path}: the study {name} was retired ({act.reason}); count it again with: "
                f"portrayal restore {quoted(self.path)} study {name} --reason WHY"
            )
        documents.remember_document(self.path, "studies", name, study)

    def retired(self, thing: Thing) -> dict[str, Act]:
        """Return what was retired and not restored, by name (of measurers the digest)."""
        return retired(read_acts(self.path), thing)

    def record(self, act: Act) -> Act:
        """Write an act down: something is retired, restored or renamed from now on."""
        return record_act(self.path, act)

    def _in_use(self, kind: str, out: Mapping[str, Act]) -> dict[str, dict[str, Any]]:
        found = documents.read_documents(self.path, kind)
        return {name: one for name, one in found.items() if name not in out}

    def validations(self) -> dict[str, dict[str, Any]]:
        """Return what is known of measurers from images with known labels, by name."""
        return documents.read_documents(self.path, "validations")

    def remember_validation(self, name: str, validation: Mapping[str, Any]) -> None:
        """Keep a measurer's validation with the audit."""
        documents.remember_document(self.path, "validations", name, validation)

    def write_skipped(self, rows: Mapping[str, str]) -> Path:
        """Write which rows of an import were broken, and how; return where."""
        return documents.write_skipped(self.path, rows)

    def write_results(self, results: Mapping[str, Any]) -> Path:
        """Replace results.json."""
        return documents.write_results(self.path, results)

    def results(self) -> dict[str, Any]:
        """Return results.json.

        Raises:
            AuditError: Nothing has been analyzed yet.
        """
        return documents.read_results(self.path)

    def looks(self) -> duckdb.DuckDBPyRelation:
        """Return one row per question of each analysis that people saw, oldest first."""
        return self._queries.table(self._looks.table())

    def append_looks(self, looks: Sequence[LookRecord]) -> int:
        """Store looks as one part; return how many were new: the same images again are none."""
        return self._looks.append(looks_table(looks)) if looks else 0

    def write_report(self, html: str, *, name: str = "index") -> Path:
        """Replace report/index.html, or another page beside it."""
        return documents.write_report(self.path, html, name)

    @property
    def report_file(self) -> Path:
        """Where the report is, once it was written."""
        return documents.report_file(self.path)

    @property
    def has_report(self) -> bool:
        """Whether a report was written."""
        return self.report_file.exists()

    @property
    def report_is_current(self) -> bool:
        """Whether the report was written from results.json as it is."""
        return documents.report_is_current(self.path)

    @property
    def figures_folder(self) -> Path:
        """Where the report's figures go as files."""
        return self.report_file.parent / "figures"

    @property
    def tables_folder(self) -> Path:
        """Where the report's tables go as files."""
        return self.report_file.parent / "tables"

    @property
    def results_file(self) -> Path:
        """Where the results are, once there are any."""
        return documents.results_file(self.path)

    # --- inside ------------------------------------------------------------------------------

    @property
    def _images(self) -> Store:
        return self._store(self.path / "images", IMAGES)

    @property
    def _looks(self) -> Store:
        return self._store(self.path / "looks", LOOKS)

    def _has_no_image(self) -> bool:
        try:
            return "ok" not in self._images.table(["status"])["status"].unique().to_pylist()
        except AuditError:  # there are some, and they are damaged
            return False

    def _measured(self, measurer: Identity) -> Store:
        folder = self.path / "measurements" / documents.folder_name(measurer)
        file = folder / documents.IDENTITY
        if folder in self._stores:
            return self._stores[folder]
        if file.exists():
            columns = documents.read_identity(file)[1]
            return self._store(folder, measurement_schema(columns))
        return Store(folder, measurement_schema({"embedding": "vector"}))  # nothing here yet

    def _texts(self, encoder: Identity) -> Store:
        return self._store(self.path / "texts" / documents.folder_name(encoder), TEXTS)

    @property
    def _votes(self) -> Store:
        return self._store(self.path / "votes", VOTES)

    def _store(self, folder: Path, schema: pa.Schema) -> Store:
        """Return the folder's store; one and the same each time, because it remembers its keys."""
        if folder not in self._stores:
            rule = key_rule(folder, self.generator)
            self._stores.setdefault(folder, Store(folder, schema, rule))
        return self._stores[folder]


def _is_in(values: pa.ChunkedArray, allowed: pa.Array) -> pa.ChunkedArray:
    return pc.is_in(values, value_set=allowed)
