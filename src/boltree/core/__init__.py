"""The compiled core: records of the tree, and everything that reads or changes them."""
