"""Bring your own: images and embeddings that were made elsewhere become an audit."""

from __future__ import annotations

from portrayal.importers.embeddings import EmbeddingsSummary, import_embeddings
from portrayal.importers.images import ImportSummary, import_images

__all__ = ["EmbeddingsSummary", "ImportSummary", "import_embeddings", "import_images"]
