from .embeddings import EmbeddingsSummary as EmbeddingsSummary
from .embeddings import import_embeddings as import_embeddings
from .images import ImportSummary as ImportSummary
from .images import import_images as import_images
