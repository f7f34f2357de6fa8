"""Every notebook runs from top to bottom, is kept with its outputs, and stays small."""

import os
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LARGEST = 300_000
"""Bytes of a notebook with its outputs."""

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.slow
@each
# What jupyter's own packages warn of in the event loop is not ours.
@pytest.mark.filterwarnings("default")
def test_runs_from_top_to_bottom(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable  # the kernel of this interpreter, whichever is registered

    client.execute(env=environment)  # raises CellExecutionError with the cell and its traceback

    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error"]


@each
def test_is_kept_executed_and_small(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]

    assert path.stat().st_size < LARGEST
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "execute it from the top: see notebooks/README.md"
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert not [output for cell in code for output in cell.outputs if output.get("name") == "stderr"]


@each
def test_names_no_place_on_this_machine(path):
    text = path.read_text()

    assert str(ROOT) not in text
    assert str(Path.home()) + os.sep not in text
