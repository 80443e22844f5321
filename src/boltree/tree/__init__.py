"""The tree of one search: its memory and limits, what the kernel asks for while it runs, and looking at its nodes."""

from .node import Node
from .tree import Tree

__all__ = ["Node", "Tree"]
