"""What a crawler may do with a web page, and the line that decided.

Reads robots.txt as each standard and engine reads it, the META tags of a page's HEAD, and its X-Robots-Tag headers, and
merges them into one decision. The names are those of the Rust crates of the project.

    >>> from robots_policy import Policy
    >>> policy = Policy("ExampleBot")
    >>> policy.learn("https://example.com/", b"User-agent: *\\nDisallow: /private")
    >>> decision = policy.decide("https://example.com/", b"<meta name=robots content=noindex>")
    >>> decision.may_fetch, decision.may_index
    (True, False)
    >>> print(decision.reasons_for("index")[0])
    META at byte 0: noindex (decides index)

* `RobotsTxt`, `Rules`, `Verdict`: robots.txt alone.
* `Policy`, `decide`, `install`, `Decision`: all statements, merged.
* `iter_decisions`: the pages of archives.
* `captures`, `RobotsBook`, `decide_warc`, `decide_warc_batches`: the same in two steps, on several machines.
* `read_pages`, `OriginDecider`: the same with a sort of pages and captures by origin, for more captures than fit into memory.
* `records`, `index_entries`: the records of an archive, or the entries of an index, as Arrow batches.
* `decide_frame`: a frame of pyarrow, Polars, DuckDB or pandas, with decisions about its pages.
* `decide_batch`, `decide_stream`: decisions alone, about the rows of Arrow batches.
* `read_head`, `Wanted`, `PageFacts`: the METAs of a page.
* `lint`, `lint_page`, `diff`: mistakes, and changes of decisions.
* `robots_policy.robotparser`, `robots_policy.protego`, `RobotRules`: the interfaces of other parsers.
* `robots_policy.scrapy`: components for Scrapy.
* `robots_policy.spark`: archives and tables on a cluster.
"""

import atexit as _atexit
import os as _os
from collections.abc import Sequence as _Sequence

from ._errors import (
    AgentError,
    AlreadyInstalled,
    ArchiveError,
    ArchiveWarning,
    BatchError,
    DialectError,
    FileObjectError,
    InputError,
    LoadError,
    ProfileError,
    RobotsError,
    UrlError,
)
from ._frames import decide_frame
from ._native import (
    Agent,
    ArchiveBatches,
    ArchivedPage,
    ArchiveDecisions,
    ArrowBatch,
    ArrowStream,
    Change,
    Changes,
    Decision,
    Directive,
    Finding,
    FrozenRobotsBook,
    HeadEnd,
    Meta,
    OriginDecider,
    PageFacts,
    PathVerdict,
    Policy,
    Profile,
    Reason,
    RequestRate,
    RobotRules,
    RobotsBook,
    RobotsTxt,
    Rule,
    Rules,
    Source,
    Verdict,
    Wanted,
    _after_fork,
    _before_fork,
    _end_reading,
    captures,
    decide,
    decide_batch,
    decide_stream,
    decide_warc,
    decide_warc_batches,
    decision_columns,
    diff,
    index_entries,
    install,
    iter_decisions,
    lint,
    lint_page,
    read_head,
    read_pages,
    records,
)
from ._native import __version__ as __version__

# Not in `__all__`: a builtin has this name.
from ._native import Warning as Warning
from ._words import (
    AiUse,
    Allowed,
    Answer,
    Dialect,
    DialectName,
    Effect,
    EncodingSource,
    Fetch,
    Field,
    FieldName,
    FollowLink,
    ImagePreview,
    Index,
    PageLayer,
    Permission,
    Placement,
    ProfileName,
    RuleKind,
    Severity,
    SourceKind,
    VerdictReason,
    WarningKind,
    Word,
)

__all__ = [
    "Agent",
    "AgentError",
    "AiUse",
    "Allowed",
    "AlreadyInstalled",
    "ArchiveBatches",
    "Answer",
    "ArchiveDecisions",
    "ArchiveError",
    "ArchiveWarning",
    "ArchivedPage",
    "ArrowBatch",
    "ArrowStream",
    "BatchError",
    "Change",
    "Changes",
    "Decision",
    "Dialect",
    "DialectError",
    "DialectName",
    "Directive",
    "Effect",
    "EncodingSource",
    "Fetch",
    "Field",
    "FieldName",
    "FileObjectError",
    "Finding",
    "FollowLink",
    "FrozenRobotsBook",
    "HeadEnd",
    "ImagePreview",
    "Index",
    "InputError",
    "LoadError",
    "Meta",
    "OriginDecider",
    "PageFacts",
    "PageLayer",
    "PathVerdict",
    "Permission",
    "Placement",
    "Policy",
    "Profile",
    "ProfileError",
    "ProfileName",
    "Reason",
    "RequestRate",
    "RobotRules",
    "RobotsBook",
    "RobotsError",
    "RobotsTxt",
    "Rule",
    "RuleKind",
    "Rules",
    "Severity",
    "Source",
    "SourceKind",
    "UrlError",
    "Verdict",
    "Wanted",
    "VerdictReason",
    "WarningKind",
    "Word",
    "captures",
    "decide",
    "decide_batch",
    "decide_frame",
    "decide_stream",
    "decide_warc",
    "decide_warc_batches",
    "decision_columns",
    "diff",
    "index_entries",
    "install",
    "iter_decisions",
    "lint",
    "lint_page",
    "read_head",
    "read_pages",
    "records",
]

_Sequence.register(Changes)

# A child of a fork has none of the other threads, and so must have none of their locks.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _after_fork(False),
        after_in_child=lambda: _after_fork(True),
    )

# Threads of Rust that read from file objects must not wait for an interpreter that ends.
_atexit.register(_end_reading)
