"""Finds the pages of a crawl that nothing forbids to train models with: python trainable_pages.py PAGES.parquet ARCHIVE...

Writes a table of these pages with their places in the archives, and prints how many pages have each answer. `may_train` is
`yes` if robots.txt allows the robot to fetch the page, and no robots.txt, META, header or other statement about AI that it
must obey forbids training.
"""

import sys
from collections import Counter

import polars

from robots_policy import iter_decisions


def trainable(archives, agent="GPTBot", profile="google"):
    """Returns the trainable pages as a data frame, and the number of pages with each answer."""
    answers = Counter()
    rows = []
    for page in iter_decisions(archives, agents=agent, profiles=profile, reasons=False):
        answers[page.decision.may_train.value] += 1
        if page.decision.may_train == "yes":
            rows.append((page.decision.url, page.file, page.offset))
    columns = {"url": polars.String, "file": polars.String, "offset": polars.UInt64}
    return polars.DataFrame(rows, schema=columns, orient="row"), answers


if __name__ == "__main__":
    pages, answers = trainable(sys.argv[2:])
    pages.write_parquet(sys.argv[1])
    for answer, count in answers.most_common():
        print(f"{answer:10} {count}")
