"""The public API as people use it first: in a notebook, with models of their own."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = [
    """\
import portrayal as pt
audit = pt.run("demo-occupations", model="practice", images=2, out="audits/x")""",
    "audit.findings.filter(statistic='Cramér\\'s V').to_frame()",
    "audit.findings.plot()",
    "audit.labels.to_frame()",
    "audit",
    "pt.plan(['demo-occupations', 'demo-flowers-insects'], images=2)",
    "pt.load_results('audits/x').findings == audit.findings",
    """\
from PIL import Image

class Squares:
    identity = pt.Identity("toy", "squares")
    batch_size = 4

    def check(self, prompts):
        return 0

    def generate(self, requests):
        colours = ["orange" if "nurse" in one.prompt else "teal" for one in requests]
        return [pt.GeneratedImage.ok(Image.new("RGB", (8, 8), colour)) for colour in colours]

class Judge:
    identity = pt.Identity("judge", "colours")
    gives = ("labels",)
    axes = {"perceived gender": ("woman", "man")}

    def measure(self, images):
        red = [image.getpixel((0, 0))[0] for image in images]
        return [{"labels": {"perceived gender": {"woman" if one > 100 else "man": 0.9}}}
                for one in red]

own = pt.run("demo-occupations", model=Squares(), measurers=Judge(), images=3, out="audits/own")
own.labels.to_frame()""",
    "own.findings.filter(statistic='group share', level='nurse').to_frame()",
    "own",
    """\
pt.explain("a photo of a nurse", group="woman", model="practice:painter", out="audits/words",
           texts=2, images=1)""",
    "pt.run('demo-ocupations', out='audits/x')",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    """What each cell shows."""
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    cells[-1].metadata["tags"] = ["raises-exception"]
    notebook = nbformat.v4.new_notebook(cells=cells)
    folder = tmp_path_factory.mktemp("notebook")
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    assert (folder / "audits" / "own" / "report" / "index.html").is_file()
    return [cell.outputs for cell in notebook.cells]


def shown(outputs: list[Any], kind: str = "text/html") -> str:
    (output,) = outputs
    assert output.output_type == "execute_result", output
    return str(output.data[kind])


def test_a_run_prints_nothing(outputs: list[list[Any]]) -> None:
    """tqdm, which diffusers imports, warns where ipywidgets is absent; that is not ours."""
    said = [line for one in outputs[0] for line in one.text.splitlines()]
    assert [line for line in said if "tqdm" not in line] == []


def test_findings_and_labels_are_frames(outputs: list[list[Any]]) -> None:
    assert "Cramér&#x27;s V" in shown(outputs[1]) or "Cramér's V" in shown(outputs[1])
    labels = shown(outputs[3])
    assert "16 rows" in labels or labels.count("<tr") == 17
    for column in ("prompt", "seed", "axis", "measurer", "label", "probability"):
        assert f"<th>{column}</th>" in labels
    assert shown(outputs[6], "text/plain") == "True"


def test_findings_are_drawn(outputs: list[list[Any]]) -> None:
    (output,) = outputs[2]
    assert any("vega" in kind or kind == "text/html" for kind in output.data)
    assert "estimate" in str(output.data)


def test_an_audit_shows_a_summary_its_main_figure_and_the_reports_link(
    outputs: list[list[Any]],
) -> None:
    summary = shown(outputs[4])
    assert "<h3>Audit audits/x</h3>" in summary
    assert "fiction for calibration" in summary
    assert "<li>16 images</li>" in summary
    assert "Who is shown at work? (short)" in summary
    assert "<svg" in summary
    assert 'href="audits/x/report/index.html"' in summary
    assert shown(outputs[4], "text/plain") == "Audit('audits/x')"


def test_a_plan_is_a_table(outputs: list[list[Any]]) -> None:
    table = shown(outputs[5])
    assert "demo-occupations" in table
    assert "all together" in table


def test_a_generator_and_a_measurer_of_the_notebook(outputs: list[list[Any]]) -> None:
    labels = shown(outputs[7])
    assert "colours" in labels
    assert "0.9" in labels
    finding = shown(outputs[8])
    assert "<td>1.0</td>" in finding, "all three nurses are orange"
    own = shown(outputs[9])
    assert "<li>Generator: squares</li>" in own
    assert "<li>Measurers: colours</li>" in own
    assert "significant after correction</li>" in own


def test_an_explanation_is_short_and_a_table(outputs: list[list[Any]]) -> None:
    assert shown(outputs[10], "text/plain").startswith("Explanation of 'a photo of a nurse' for")
    assert "<td>nurse</td>" in shown(outputs[10])


def test_a_mistake_is_one_line(outputs: list[list[Any]]) -> None:
    (output,) = outputs[11]
    assert output.ename == "StudyError"
    assert "did you mean demo-occupations" in output.evalue
    assert "\n" not in output.evalue
