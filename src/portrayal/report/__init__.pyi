from .comparison_page import write_comparison as write_comparison
from .figures import main_figure as main_figure
from .files import FORMATS as FORMATS
from .files import write_figures as write_figures
from .page import write_report as write_report
from .reproduction import write_reproduction as write_reproduction
from .view import serve_view as serve_view
