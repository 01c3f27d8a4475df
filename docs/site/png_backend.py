"""A backend of matplotlib whose `show` saves every figure to the working folder: picture-1.png, picture-2.png, …

Use: MPLBACKEND=module://png_backend, with this folder in PYTHONPATH.
"""

from matplotlib._pylab_helpers import Gcf
from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas

__all__ = ["FigureCanvas", "show"]


def show(*, block: bool | None = None) -> None:
    for number, manager in enumerate(Gcf.get_all_fig_managers(), 1):
        manager.canvas.figure.savefig(f"picture-{number}.png", dpi=120)
    Gcf.destroy_all()
