"""The algorithms: rows of one small design space, their parameters, and how a row is entered into the kernel."""
