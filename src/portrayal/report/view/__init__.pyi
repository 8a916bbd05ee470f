from .serving import serve_view as serve_view
