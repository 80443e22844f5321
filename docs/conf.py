"""How the site is built: ``sphinx-build -W -b html docs site``."""

from __future__ import annotations

import sys
from pathlib import Path

import boltree

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Boltree"
release = version = boltree.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "commands", "mathml", "names"]
exclude_patterns = ["_ext"]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write `name` for code
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_use_rtype = False
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"Boltree {release}"
html_static_path = ["_static"]
html_css_files = ["boltree.css"]
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
