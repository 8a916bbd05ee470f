from . import statistics as statistics
from .comparison import ModelComparison as ModelComparison
from .decisions import CheckResult as CheckResult
from .errors import PortrayalError as PortrayalError
from .findings import AnalysisSettings as AnalysisSettings
from .findings import Finding as Finding
from .findings import Findings as Findings
from .findings import Results as Results
from .generators import Generator as Generator
from .measurers import Measurer as Measurer
from .records import GeneratedImage as GeneratedImage
from .records import Identity as Identity
from .records import Prompt as Prompt
from .records import Request as Request
from .runner import check as check
from .runner import plan as plan
from .runner.api import compare as compare
from .runner.api import explain as explain
from .runner.api import load_results as load_results
from .runner.api import run as run
from .runner.audits import Audit as Audit
from .studies import Study as Study
from .studies import load_study as load_study

__version__: str
