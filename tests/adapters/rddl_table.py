"""The table of docs/rddl.md: every domain of rddlrepository, compiled or why not, beside pyRDDLGym's simulator.

python tests/adapters/rddl_table.py [TRANSITIONS]
"""

from __future__ import annotations

import sys
import warnings
from itertools import groupby
from operator import itemgetter

import numpy as np
from pyRDDLGym.core.debug.exception import RDDLValueOutOfRangeError
from rddl_agreement import agree
from rddlrepository.core.manager import RDDLRepoManager

from boltree.adapters.rddl_terms import UncompiledError
from boltree.errors import ParameterError


def reason(message: str) -> str:
    """Why an instance is refused, in a few words."""
    for part, said in (("is real", "real actions"), ("is int", "whole actions without small bounds")):
        if part in message:
            return said
    return "more than 65,535 combinations of actions" if "combinations" in message else message


def line(domain: str, transitions: int) -> tuple[str, str]:
    """A domain, and what came of its first, middle and last instance."""
    numbers = RDDLRepoManager().get_problem(domain).list_instances()
    chosen = sorted({0, len(numbers) // 2, len(numbers) - 1})
    found = []
    for number in (numbers[k] for k in chosen):
        try:
            problem = agree(domain, number, transitions)
            fluents = sum(int(np.prod(one[3], dtype=int)) for one in problem.fluents)
            listed = "exact" if problem.deterministic else "listed" if problem.has("outcomes") else "sampled"
            if problem.hidden:
                seen = sum(int(np.prod(one[3], dtype=int)) for one in problem.observed)
                listed += f", {seen} observed" + (" with probability" * problem.has("observation_probability"))
            found.append(f"{number}: {fluents} fluents, {problem.actions} actions, {listed}")
        except UncompiledError as error:
            found.append(f"{number}: simulated because of {error}")
        except RDDLValueOutOfRangeError as error:
            found.append(f"{number}: pyRDDLGym's simulator fails ({str(error).partition(',')[0]})")
        except ParameterError as error:
            found.append("refused: " + reason(str(error)))
    return domain, "; ".join(dict.fromkeys(found))


def main(transitions: int = 100) -> None:
    """Print the table."""
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    rows = [line(domain, transitions) for domain in sorted(RDDLRepoManager().list_problems())]
    print("| domain | instances |\n| --- | --- |")
    rows.sort(key=lambda row: (row[1].startswith("refused"), row[1]))
    for text, same in groupby(rows, key=itemgetter(1)):
        print(f"| {', '.join(domain for domain, _ in same)} | {text} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
