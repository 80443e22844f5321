"""The tree of one search: its memory and its limits, what the kernel asks for on its way, and looking at its nodes."""

from .node import Node
from .tree import Tree

__all__ = ["Node", "Tree"]
