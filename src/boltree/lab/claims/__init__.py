"""The paper's claims, each with an experiment, a criterion that was fixed before it was run, and a verdict."""

from .ledger import LEDGER, Judged, judge, run_claims

__all__ = ["LEDGER", "Judged", "judge", "run_claims"]
