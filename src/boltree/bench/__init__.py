"""``boltree bench``: speeds, compared with an earlier run's and with other libraries."""
