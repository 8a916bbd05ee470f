from .embeddings import EmbeddingsSummary as EmbeddingsSummary
from .embeddings import import_embeddings as import_embeddings
from .images import ImportSummary as ImportSummary
from .images import import_images as import_images
from .label_files import LabelRow as LabelRow
from .label_files import read_labels as read_labels
from .labels import LabelsSummary as LabelsSummary
from .labels import import_labels as import_labels
