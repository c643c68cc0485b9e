# The stubs of the native module. `stubtest` in the tests compares them with it.
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from typing import Any, ClassVar, Literal, Protocol, SupportsIndex, final, overload, type_check_only

from ._words import (
    AiUse,
    Allowed,
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
)

__all__ = [
    "Agent",
    "ArchiveBatches",
    "ArchiveDecisions",
    "ArchivedPage",
    "ArrowBatch",
    "ArrowStream",
    "Change",
    "Changes",
    "Decision",
    "Directive",
    "Finding",
    "FrozenRobotsBook",
    "HeadEnd",
    "Meta",
    "OriginDecider",
    "PageFacts",
    "PathVerdict",
    "Policy",
    "Profile",
    "Reason",
    "RequestRate",
    "RobotRules",
    "RobotsBook",
    "RobotsTxt",
    "Rule",
    "Rules",
    "Source",
    "Verdict",
    "Wanted",
    "Warning",
    "_MAX_BODY",
    "_MAX_REDIRECTS",
    "_MAX_REDIRECT_SEARCHES",
    "_TDMREP_PATH",
    "__version__",
    "_after_fork",
    "_before_fork",
    "_end_reading",
    "_load_rules",
    "_whole_seconds",
    "_words",
    "captures",
    "decide",
    "decide_batch",
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

_MAX_BODY: int
_MAX_REDIRECTS: int
_MAX_REDIRECT_SEARCHES: int
_TDMREP_PATH: str
__version__: str

_Bytes = bytes | bytearray | memoryview
_Content = _Bytes | str
_Header = bytes | bytearray | str
_Headers = Mapping[Any, Any] | Iterable[tuple[_Header, _Header | Sequence[_Header]]]
_Time = int | float | datetime
# The time of the call, a time, or no clock.
_Moment = Literal["now"] | _Time | None
_Path = str | PathLike[str]
# A profile, its name, or the path of its TOML file.
_Profile = Profile | ProfileName | _Path

@type_check_only
class _BinaryFile(Protocol):
    def read(self, size: int, /) -> _Bytes: ...

_Input = _Path | _BinaryFile
# URL, time, outcome, status, Content-Type, target and body; and archive, offset and digest, which may be left out.
_CaptureRow = (
    tuple[str, _Time | None, str, int | None, str | None, str | None, _Bytes | None]
    | tuple[str, _Time | None, str, int | None, str | None, str | None, _Bytes | None, str | None, int | None, str | None]
)

@type_check_only
class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@type_check_only
class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def _load_rules(data: _Bytes, dialect: str, request_rates: list[tuple[int, str]], visit_time: str | None) -> Rules: ...
def _whole_seconds(at: _Moment) -> int | None: ...
def _words() -> dict[str, list[str]]: ...
def decide(
    url: str,
    html: _Content | None = None,
    *,
    status: int | None = None,
    headers: _Headers | None = None,
    charset: str | None = None,
    at: _Moment = "now",
    not_html: bool = False,
    cut_short: bool = False,
    licenses: Mapping[str, _Content] | None = None,
) -> Decision:
    """Decides about a page under the default policy of the process.

    The arguments are those of `Policy.decide`, but for `captured_at`. Until a policy is installed, the decision is for the robot `*`, and no robots.txt is
    known: only what the page forbids is.
    """
def decide_batch(
    batch: _ArrowArray,
    *,
    agents: str | Iterable[str] | None = None,
    profiles: _Profile | Iterable[_Profile] | None = None,
    policies: Policy | Iterable[Policy] | None = None,
    book: FrozenRobotsBook | None = None,
    at: _Moment = "now",
    reasons: bool = True,
    explain: bool = False,
) -> ArrowBatch:
    """Decides about the rows of a batch of pages, and returns a batch with a row for each page and robot.

    The batch is any object with `__arrow_c_array__`: a RecordBatch of pyarrow, a struct array. Its columns are url and html,
    and optionally status, headers, robots_txt, robots_status, robots_content_type, robots_fetched_at and fetched_at; others
    are ignored. The README has their types. The arguments:

    * agents: names of robots. By default the robot that each profile names.
    * profiles: profiles, or names of them. By default a known robot has that of its operator, and any other the neutral one.
    * policies: policies in place of agents and profiles. A row without its own robots.txt is decided by the one that the
      policy learned.
    * book: a FrozenRobotsBook in place of agents and profiles. A row without its own robots.txt is decided by it: at its
      fetched_at, as an archive is.
    * at: the time of the decisions; by default that of the call. With None, dates and visit times are reported but not
      applied, and no robots.txt is stale.
    * reasons: whether decisions have reasons and warnings.
    * explain: whether there are columns with all reasons and warnings, as JSON.

    A row that cannot be decided has the reason in its column error. Raises InputError if a column is missing or has another
    type, and BatchError if the batch is malformed.
    """
def decide_stream(
    stream: _ArrowStream | _ArrowArray,
    *,
    agents: str | Iterable[str] | None = None,
    profiles: _Profile | Iterable[_Profile] | None = None,
    policies: Policy | Iterable[Policy] | None = None,
    book: FrozenRobotsBook | None = None,
    at: _Moment = "now",
    reasons: bool = True,
    explain: bool = False,
) -> ArrowStream:
    """Decides about the rows of a stream of batches, and returns a stream of batches: each is decided when it is read,
    and a large one in parts.

    The stream is any object with `__arrow_c_stream__`: a table or reader of pyarrow, a data frame of Polars or pandas, a
    relation of DuckDB. One with `__arrow_c_array__` alone is a stream of one batch. Columns and arguments are those of
    `decide_batch`; rows are numbered through all batches.

    An input that raises ends the stream with an error: BatchError if it is iterated, or that of the library that reads it.
    """
def diff(
    before: RobotsTxt,
    after: RobotsTxt,
    agents: Agent | str | Iterable[Agent | str] | None = None,
    dialect: Dialect | DialectName | None = None,
) -> Changes:
    """Compares the decisions of two files for some robots, over all paths.

    `agents` are robots or their names, or one of them; the default is any robot that no group names. Without a dialect,
    each robot reads the files as its operator does. A name has the groups that its vendor documents. Raises AgentError for an invalid name. Two files with
    different text that decide equally have no change. The search has a limit on its work: `Changes.is_complete` reports whether every path was
    considered.
    """
def install(policy: Policy) -> None:
    """Installs the default policy of the process, for `decide`. A program calls it once when it starts. What the policy
    learns later counts too.

    Raises AlreadyInstalled if there is one.
    """
def _after_fork(is_child: bool) -> None: ...
def _before_fork() -> None: ...
def _end_reading() -> None: ...
def captures(
    inputs: _Input | Iterable[_Input],
    *,
    agents: str | Iterable[str] | None = None,
    profiles: _Profile | Iterable[_Profile] | None = None,
    urls: str | Iterable[str] | None = None,
    threads: int | None = None,
    name: str | Iterable[str] | None = None,
    on_warning: Callable[[str], object] | None = None,
) -> RobotsBook:
    """Reads the robots.txt captures of archives, and returns a book of them.

    The inputs are paths of WARC and ARC files or binary file objects of them, as for `iter_decisions`; and folders with
    robots.txt files whose paths name their hosts, such as `example.com/robots.txt`. The arguments:

    * agents: names of robots. By default the robot that each profile names.
    * profiles: profiles, or names of them. By default a known robot has that of its operator, and any other the neutral one.
    * urls: URLs to read in place of robots.txt files: the `missing_targets` of a merged book.
    * threads: the number of threads, by default that of processors.
    * name: the name of a file object in messages, or a name for each.
    * on_warning: a function that is called with the text of each ArchiveWarning in its place.

    Damage of an archive is an ArchiveWarning. Raises ArchiveError if an archive cannot be read to its end, as pages would be
    decided without its rules, and an exception of the `read` of a file object as it is.
    """
def decide_warc(
    inputs: _Input | Iterable[_Input],
    book: FrozenRobotsBook,
    *,
    agents: str | Iterable[str] | None = None,
    profiles: _Profile | Iterable[_Profile] | None = None,
    all_types: bool = False,
    limit: int | None = None,
    at: _Moment = "now",
    threads: int | None = None,
    reasons: bool = True,
    name: str | Iterable[str] | None = None,
) -> ArchiveDecisions:
    """Decides about the pages of archives by a book of robots.txt captures, and returns an iterator of the decisions.

    The inputs and the arguments are those of `iter_decisions`; the robots and profiles are those of the book. Pages are
    decided as they are read. Rows are those of `robots decide --robots CAPTURES --json --explain` on the same inputs, where
    CAPTURES are the archives from which the book was read. With `agents` or `profiles`, the book must be of these.

    Raises LoadError if the book is of other robots or profiles.
    """
def decide_warc_batches(
    inputs: _Input | Iterable[_Input],
    book: FrozenRobotsBook,
    *,
    explain: bool = False,
    evidence: bool = False,
    all_types: bool = False,
    limit: int | None = None,
    at: _Moment = "now",
    threads: int | None = None,
    name: str | Iterable[str] | None = None,
    on_warning: Callable[[str], object] | None = None,
    offset: int | None = None,
    length: int | None = None,
    ranges: Sequence[tuple[int, int | None]] | None = None,
) -> ArchiveBatches:
    """Decides about the pages of archives by a book of robots.txt captures, and returns an iterator of batches of decisions.

    Rows are those of `decide_warc`, as `robots decide --format parquet` writes them: docs/columns.md has the columns. The
    arguments are those of `decide_warc`, except that robots and profiles are those of the book. With `explain`, there are columns
    with all reasons and warnings, as JSON; with `evidence`, these and those of docs/evidence.md. A batch has up to 4,096 rows, and about 4 MiB of text. `on_warning` is called with the
    text of each ArchiveWarning in its place. With `offset` and `length`, or `ranges`, only these records of one archive are
    read, as by `records`, and with one thread.
    """
def decision_columns(*, explain: bool = False, evidence: bool = False) -> ArrowBatch:
    """Returns a batch without rows, with the columns of `decide_warc_batches`: those of docs/columns.md."""
def read_pages(
    inputs: _Input | Iterable[_Input],
    *,
    agents: str | Iterable[str] | None = None,
    profiles: _Profile | Iterable[_Profile] | None = None,
    all_types: bool = False,
    limit: int | None = None,
    threads: int | None = None,
    name: str | Iterable[str] | None = None,
    on_warning: Callable[[str], object] | None = None,
    offset: int | None = None,
    length: int | None = None,
    ranges: Sequence[tuple[int, int | None]] | None = None,
    evidence: bool = False,
) -> ArchiveBatches:
    """Reads the pages of archives for robots and profiles without deciding about them, and returns an iterator of batches.

    The columns are key, the URL of the robots.txt of the page's origin, empty for a page without one; file; row, which orders the pages of
    a file; and facts, all that an OriginDecider for the same robots and profiles needs, with `evidence` the digest of the page, too. The other
    arguments are those of `decide_warc_batches`.
    """
def iter_decisions(
    inputs: _Input | Iterable[_Input],
    *,
    agents: str | Iterable[str] | None = None,
    profiles: _Profile | Iterable[_Profile] | None = None,
    robots: _Path | Iterable[_Path] | None = None,
    all_types: bool = False,
    limit: int | None = None,
    at: _Moment = "now",
    threads: int | None = None,
    reasons: bool = True,
    name: str | Iterable[str] | None = None,
) -> ArchiveDecisions:
    """Decides about the pages of archives, and returns an iterator of the decisions.

    The inputs are paths of WARC and ARC files (plain, gzip, Zstandard), saved .html pages, or folders of them, and binary
    file objects of WARC and ARC files: anything with `read(n)`, such as an open file, a BytesIO, a response, or
    `socket.makefile("rb")`. Each page is decided for each robot under each profile, by the robots.txt that was in force: the
    last one that was captured before it, or else the first one after it. Rows come in the order of the pages, and for a page first all robots under the first profile; they are those of
    `robots decide --json --explain` on the same inputs. The arguments:

    * agents: names of robots. By default the robot that each profile names.
    * profiles: profiles, or names of them. By default a known robot has that of its operator, and any other the neutral one.
    * robots: archives and folders with robots.txt files, in place of the inputs. Pages are then decided as they are read;
      otherwise after all inputs were read.
    * all_types: whether responses other than HTML are decided, by their headers.
    * limit: the maximum number of pages.
    * at: the time as of which pages are decided; by default that of the call. None: no clock.
    * threads: the number of threads, by default that of processors.
    * reasons: whether decisions have reasons and warnings.
    * name: the name of a file object in rows and messages, or a name for each; by default its `name` or `path`.

    A file object is read to its end by another thread, and not closed. Without robots, a copy of it is made in a temporary
    file, as redirects of robots.txt may lead to any record. An exception of `read` ends its input, as damage of a disk would
    end that of a path; when all others were decided, the iterator raises this exception.

    Damage of an input is an ArchiveWarning: the first ten of a kind, and then a count. An input that cannot be read is left
    out; when all others were decided, the iterator raises ArchiveError. A dropped iterator stops its threads.
    """
def lint(body: _Content) -> list[Finding]:
    """Returns the findings on a robots.txt, in the order of lines: up to 100 of each kind."""
def lint_page(
    html: _Content,
    *,
    url: str | None = None,
    headers: _Headers | None = None,
    charset: str | None = None,
    names: str | Iterable[str] | None = None,
    at: _Moment = "now",
) -> list[Finding]:
    """Returns the findings on a page and its headers: those in headers, then those in the page, up to 100 of each kind.

    `names` are the names of METAs to examine, in addition to `robots`; the default are those of all known robots. `headers`
    are all header lines of the response. Dates before `at` have passed; the default is the time of the call. With None, none has. robots.txt does not count.
    """
def records(
    archive: _Input,
    *,
    columns: str | Iterable[str] | None = None,
    types: str | Iterable[str] | None = None,
    statuses: int | Iterable[int] | None = None,
    mime_types: str | Iterable[str] | None = None,
    faults: bool = True,
    offset: int | None = None,
    length: int | None = None,
    ranges: Sequence[tuple[int, int | None]] | None = None,
    name: str | None = None,
) -> ArrowStream:
    """Reads the records of an archive: a stream of Arrow batches, with a row for each record.

    The archive is the path of a WARC or ARC file (plain, gzip, Zstandard), or a binary file object of one. The columns are file;
    offset and length, in bytes; type; target_uri; date; record_id; status; mime_type, of the payload; content_type, of the block;
    headers; payload, the body of an HTTP response without its codings, or else the block; block, as it is in the archive;
    truncated, why the block is not whole; error. A damaged place is a row with only file, offset and error. The arguments:

    * columns: names of columns, in this order, in place of all but block. Others are neither copied nor unpacked.
    * types, statuses, mime_types: only the records with these values, and damaged places. Types and MIME types are in lower case.
    * faults: whether there are rows for damaged places.
    * offset, length: only the records that begin in these bytes, in place of all. The parts of an archive have its records; a
      part that the next one does not follow ends with an ArchiveError. An archive that cannot be divided, as it is neither plain WARC
      nor gzip, is in its first part.
    * ranges: only the records at these offsets, in this order: pairs of an offset and a length, or None for the length. Of a file
      object, only these bytes are read.
    * name: the name in the column file and in messages.

    A part or ranges of a file object need its method seek. A batch has up to 4,096 rows, and ends after 4 MiB of values. Reading
    releases the GIL, and a file object is read when a batch is asked for.

    Raises ArchiveError if the archive cannot be read, and an exception of a file object as it is.
    """
def index_entries(index: _Input, *, name: str | None = None) -> ArrowStream:
    """Reads the entries of a CDXJ index: a stream of Arrow batches, with a row for each line.

    The index is a path, or a binary file object; plain or gzip. The columns are those of Common Crawl's columnar index of these
    names: url, content_mime_type, content_mime_detected, fetch_status, warc_filename, warc_record_offset and
    warc_record_length; and error. A line that is not an entry is a row with only error.

    Raises ArchiveError if the index cannot be read, and an exception of a file object as it is.
    """
def read_head(
    html: _Content, *, charset: str | None = None, document: bool = False, wanted: Wanted | None = None
) -> PageFacts:
    """Reads the HEAD of a page, no further than its end.

    A page is bytes, or a text that was decoded. `charset` is the encoding that the response names. With
    `document=True`, METAs in BODY are read, too. With `wanted`, only these facts are kept, which takes less time.
    """
@final
class Agent:
    """A robot: its names, in the order in which groups are searched, and whether `*` applies to it.

    `Agent(name)` has one name, and obeys `*` if no group has its name.
    """
    def __new__(cls, name: str) -> Agent: ...
    @staticmethod
    def known(name: str) -> Agent:
        """Returns the robot of this name with the fallback names and the use of `*` that its vendor documents:
        Applebot obeys Googlebot's group if it has none of its own.
        """
    @staticmethod
    def from_user_agent(value: str) -> Agent | None:
        """Returns the robot in a full `User-Agent` value; None if the value names only a browser, or nothing that can
        be a robot's name.

        `Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com)` is ExampleBot.
        """
    @property
    def name(self) -> str:
        """The name."""
    @property
    def names(self) -> list[str]:
        """The names, in the order in which groups are searched."""
    @property
    def obeys_star(self) -> bool:
        """Whether the groups of `*` apply if none of the names has one."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class RobotsTxt:
    """A parsed robots.txt file: `RobotsTxt(body)`.

    The body is bytes, or a text, whose bytes are UTF-8. Every body is accepted; unreadable lines have no effect. One
    parse serves every robot and dialect. `url` is the URL of the file: only the dialect `www-robotrules` uses it.
    """
    def __new__(cls, body: _Content, *, url: str | None = None) -> RobotsTxt: ...
    def rules(self, agent: Agent | str, dialect: Dialect | DialectName | None = None, *, profile: _Profile | None = None) -> Rules:
        """Returns the compiled rules of a robot under a dialect, or as a profile reads the file; without one, as its operator does
        (RFC 9309 for others).

        The robot is a name, such as `ExampleBot`, or an Agent. A name has the groups that its vendor documents; `Agent(name)` has those
        of the name alone. Raises AgentError for an invalid name, such as a full User-Agent value: `Agent.from_user_agent` finds the
        name in it.
        """
    @property
    def sitemaps(self) -> list[str]:
        """The URLs of the sitemaps that the file names, in order, as written. Bytes that are not UTF-8 are replaced."""
    def sitemaps_under(self, dialect: Dialect | DialectName) -> list[str]:
        """Returns the URLs of the sitemaps that the file names under a dialect: `Site-map` is one under `google`."""
    @property
    def hosts(self) -> list[str]:
        """The values of the file's `Host` lines, the preferred names of the site, in order. Yandex ignores them since
        2018. Bytes that are not UTF-8 are replaced.
        """
    @property
    def body(self) -> bytes:
        """The bytes that were parsed: up to 16 MiB of the body."""
    @property
    def url(self) -> str | None:
        """The URL that the file was read from, if it was set."""
    @property
    def looks_like_html(self) -> bool:
        """Whether the body begins like an HTML page, such as an error page."""
    def line_text(self, number: int) -> str | None:
        """Returns the text of a line by its number from 1, without its line end; None if there is no such line. Bytes that
        are not UTF-8 are replaced.
        """
@final
class Rules:
    """The rules of one file for one robot under one dialect: `RobotsTxt(body).rules(agent)`.

    Rules pickle as a few bytes. They are immutable, and threads can share them.
    """
    def allowed(self, url: str) -> bool:
        """Returns whether a URL, or a path that begins with `/`, may be fetched."""
    def verdict(self, url: str) -> Verdict:
        """Returns whether a URL, or a path that begins with `/`, may be fetched, and why."""
    def matching(self, url: str) -> list[Rule]:
        """Returns the rules that match a URL: first the one that decides, then in order each that would decide without the
        rules before it.
        """
    @property
    def rules(self) -> list[Rule]:
        """The rules, in file order."""
    @property
    def dialect(self) -> Dialect:
        """The dialect under which they were compiled."""
    @property
    def has_group(self) -> bool:
        """Whether a group applies to the robot, by name or by `*`."""
    @property
    def crawl_delay(self) -> float | None:
        """The seconds between two requests that the robot's groups ask for: the longest, if there are several."""
    @property
    def request_rate(self) -> RequestRate | None:
        """The first rate at which documents may be requested; `request_rates` has all."""
    @property
    def request_rates(self) -> list[RequestRate]:
        """The rates at which documents may be requested; several may have different hours."""
    @property
    def visit_time(self) -> str | None:
        """The hours for visits, in UTC (`0600-0845`); None for the whole day."""
    def to_bytes(self) -> bytes:
        """Returns the rules as bytes, for `Rules.from_bytes`. Equal rules of one dialect have equal bytes, regardless of
        their file. Request rates and visit times are not among them; pickling keeps them.
        """
    @staticmethod
    def from_bytes(data: _Bytes, dialect: Dialect | DialectName | None = None) -> Rules:
        """Returns the rules that `to_bytes` wrote under the same dialect, or for a robot whose operator has it.

        Raises LoadError if the bytes have another version or dialect, or cannot be read as rules. There is no checksum: damage
        that still reads as rules, such as another letter in a path, is not detected.
        """
@final
class Verdict:
    """A verdict: whether a URL may be fetched, with the reason. It is true if the URL may be fetched."""
    @property
    def allowed(self) -> bool:
        """Whether the URL may be fetched."""
    @property
    def reason(self) -> VerdictReason:
        """The kind of the reason."""
    @property
    def rule(self) -> Rule | None:
        """The rule that decided, if one did."""
    @property
    def line(self) -> int | None:
        """The number of the line that decided, from 1, if one did."""
    @property
    def text(self) -> str | None:
        """The rule that decided, as text: `Disallow: /private`. None if no rule did."""
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class Rule:
    """A rule: a line of the file that allows or disallows. Bytes that are not UTF-8 are replaced in its texts."""
    @property
    def kind(self) -> RuleKind:
        """The effect of the rule: it allows or disallows."""
    @property
    def line(self) -> int:
        """The number of its line, from 1."""
    @property
    def text(self) -> str:
        """Its pattern, as written."""
    @property
    def agent(self) -> str:
        """The name in its group that matched the robot, as written: `*` or a robot's name."""
    @property
    def agent_line(self) -> int | None:
        """The number of the line with that name, from 1; None if the rule is before the first User-agent line."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class RequestRate:
    """A rate of requests: a number of documents in a period, and the hours in which it applies."""
    @property
    def line(self) -> int:
        """The number of the line, from 1."""
    @property
    def documents(self) -> int:
        """The number of documents that may be fetched in a period."""
    @property
    def period(self) -> int:
        """The period, in seconds."""
    @property
    def interval(self) -> float:
        """The seconds between two documents at an even pace."""
    @property
    def window(self) -> str | None:
        """The hours in which the rate applies, in UTC (`0800-1600`); None for the whole day."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class Profile:
    """The rules by which an engine decides: its robots, its reading of robots.txt, its merging of METAs and headers, and the
    statements that it honours. `Profile(name)` is a built-in one.
    """
    def __new__(cls, name: str) -> Profile: ...
    @staticmethod
    def all() -> list[Profile]:
        """Returns every built-in profile, the neutral one first."""
    @staticmethod
    def from_toml(text: str) -> Profile:
        """Reads a profile from TOML: `name`, `based-on` (a built-in profile, `neutral` by default) and the keys that differ.

        Raises ProfileError if the text is not valid TOML, or has an unknown key or value.
        """
    def to_toml(self) -> str:
        """Returns the profile as TOML with every key. A changed dialect becomes the one that its name has in profiles."""
    @property
    def name(self) -> str:
        """The name."""
    @property
    def about(self) -> str:
        """A description, in one line."""
    @property
    def agent(self) -> str:
        """The name of the default robot."""
    @property
    def dialect(self) -> Dialect:
        """The dialect of robots.txt."""
    @property
    def robots(self) -> list[str]:
        """The names of the robots."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class Policy:
    """The configuration of decisions for one robot under one profile, with what is known about origins: their robots.txt.

    The robot is given by its name (`ExampleBot`), not by a full User-Agent value. Without a profile, a known robot has that of its
    operator, and any other the neutral one. Threads can share a policy. With
    `reasons=False`, decisions have no reasons and warnings, which saves their cost. With `scripting=True`, pages are read as by a
    browser that runs scripts: NOSCRIPT is skipped. `store_limit` is the size in bytes of
    the store of origins; a full one forgets origins that were not looked up recently.

    Raises AgentError for an invalid name, and ProfileError for an unknown profile.
    """
    def __new__(
        cls,
        agent: str,
        profile: _Profile | None = None,
        *,
        reasons: bool = True,
        scripting: bool = False,
        store_limit: int | None = None,
    ) -> Policy: ...
    def learn(
        self,
        url: str,
        body: _Content | None = None,
        *,
        status: int | None = None,
        content_type: str | None = None,
        fresh_for: float | None = None,
        outcome: str | None = None,
        at: _Moment = "now",
    ) -> None:
        """Records the outcome of a request for an origin's robots.txt; `url` is any URL of the origin. A host without a scheme takes
        https.

        The outcome is a body (with status 200, unless `status` differs), a status without a body, or `outcome`:
        "unreachable" or "too_many_redirects". After redirects, pass the origin of the first request. `fresh_for` is the
        number of seconds for which the headers allow the response to be kept. `at` is the time of the request, by which the
        profile decides when the outcome is stale; by default that of the call. With None, it never is.

        Raises UrlError if the URL has no origin.
        """
    def learn_tdmrep(self, url: str, body: _Content) -> None:
        """Records the tdmrep.json of an origin; `url` is any URL of the origin. One that is not known counts as missing.

        Raises UrlError if the URL has no origin, and InputError if the body is not a tdmrep.json. As it may reserve anything, it
        is then not known whether models may be trained with pages of the origin, and a warning of decisions says so.
        """
    def forget(self, url: str) -> None:
        """Forgets an origin; `url` is any URL of the origin.

        Raises UrlError if the URL has no origin.
        """
    def ask_again_at(self, url: str) -> int | None:
        """Returns the time from which the robots.txt of an origin should be requested again, in seconds since 1970. None if
        the origin or the time is unknown.

        Raises UrlError if the URL has no origin.
        """
    @property
    def known_origins(self) -> int:
        """The number of known origins."""
    @property
    def agent(self) -> str:
        """The name of the robot."""
    @property
    def profile(self) -> Profile:
        """The profile."""
    @property
    def meta_names(self) -> list[str]:
        """The names of METAs and header prefixes that apply to the robot."""
    def decide(
        self,
        url: str,
        html: _Content | None = None,
        *,
        captured_at: _Time | None = None,
        status: int | None = None,
        headers: _Headers | None = None,
        charset: str | None = None,
        at: _Moment = "now",
        not_html: bool = False,
        cut_short: bool = False,
        licenses: Mapping[str, _Content] | None = None,
    ) -> Decision:
        """Decides about a URL and its response, as far as it is known, by the facts that were learned about its origin.

        Every URL and page is accepted. The arguments:

        * html: the page, as bytes, or as a text that was decoded; None if it was not fetched.
        * status: the status of the response. With one other than 200 to 299, the content is not a page.
        * headers: a mapping or pairs of names and values, each str or bytes; lines of one name are separate.
        * charset: the encoding that the response names, in place of that of its Content-Type.
        * at: the time of the decision, as seconds since 1970 or a datetime with a time zone; by default that of the call. With
          None, dates and visit times are reported but not applied, and no robots.txt is stale.
        * not_html: the response is not HTML: only its headers count.
        * cut_short: the page was cut before its end.
        * licenses: a mapping of URLs to licences of RSL, each bytes or str. Those that robots.txt, a header or the page names decide
          about AI.
        * captured_at: the time when the page was fetched. The robots.txt of that time applies, whatever `at` is, and is never
          stale.
        """
@final
class Decision:
    """A decision: the permissions of a robot for a page, with reasons.

    `to_dict()` has every field as plain values: the object that `robots decide --json` writes, without its `file`, `offset` and `status`.
    """
    @property
    def version(self) -> int:
        """The version of the serialised form."""
    @property
    def url(self) -> str:
        """The URL, as it was given."""
    @property
    def agent(self) -> str:
        """The robot."""
    @property
    def profile(self) -> str:
        """The profile of the decision."""
    @property
    def fetch(self) -> Fetch:
        """Whether the URL may be fetched."""
    @property
    def page_layer(self) -> PageLayer:
        """Whether the page's own statements were read."""
    @property
    def index(self) -> Index:
        """Whether the page may be indexed."""
    @property
    def index_if_embedded(self) -> bool:
        """Whether the page may be indexed as a part of a page that embeds it, though not by itself."""
    @property
    def follow(self) -> Permission:
        """Whether the links of the page may be followed."""
    @property
    def archive(self) -> Permission:
        """Whether a copy may be kept and shown."""
    @property
    def snippet(self) -> int | None:
        """The number of characters of its text that may be shown; -1 for no limit, None if that is not known."""
    @property
    def image_preview(self) -> ImagePreview | None:
        """The maximum size of a preview image; None if that is not known."""
    @property
    def video_preview(self) -> int | None:
        """The number of seconds of its videos that may be shown; -1 for no limit, None if that is not known."""
    @property
    def image_index(self) -> Permission:
        """Whether its images may be indexed."""
    @property
    def translate(self) -> Permission:
        """Whether a translation may be offered."""
    @property
    def expires_at(self) -> int | None:
        """The moment after which the page must not be shown (`unavailable_after`), in seconds since 1970."""
    @property
    def crawl_delay(self) -> float | None:
        """The seconds between two requests that robots.txt asks for."""
    @property
    def request_rates(self) -> list[RequestRate]:
        """The rates at which robots.txt allows requests; several may apply at different hours."""
    @property
    def visit_time(self) -> str | None:
        """The hours in which robots.txt allows visits, in UTC: `2200-0400`."""
    @property
    def revisit_after(self) -> float | None:
        """The time after which the author asks the robot to come back, in days."""
    @property
    def ai_train(self) -> AiUse:
        """Whether statements allow training models with the page; unknown if there are none."""
    @property
    def ai_input(self) -> AiUse:
        """Whether the page may be input to a model that answers."""
    @property
    def ai_search(self) -> AiUse:
        """Whether search may find the page, by the statements that concern AI."""
    @property
    def licenses(self) -> list[str]:
        """The URLs of terms of use, as written."""
    @property
    def may_train(self) -> Permission:
        """Whether models may be trained with the page: yes if it may be fetched and was read, and nothing forbids it."""
    @property
    def may_fetch(self) -> bool:
        """Whether the URL may be fetched now. False if that is not known, or not yet."""
    @property
    def may_index(self) -> bool:
        """Whether the page may be indexed, with its content. False if that is not known."""
    @property
    def may_follow(self) -> bool:
        """Whether the links of the page may be followed. False if that is not known."""
    @property
    def may_archive(self) -> bool:
        """Whether a copy may be kept and shown. False if that is not known."""
    @property
    def reasons(self) -> list[Reason]:
        """The reasons, field by field."""
    @property
    def warnings(self) -> list[Warning]:
        """The warnings."""
    def reasons_for(self, field: Field | FieldName) -> list[Reason]:
        """Returns the reasons of one field, in order; the field is a Field or its name."""
    def follow_link(self, rel: str | None = None) -> FollowLink:
        """Returns whether a link of the page may be followed, by the value of its `rel` attribute."""
    def explain(self) -> str:
        """Returns the decision for people: a line for each field with its reasons below it, then the warnings."""
    def to_json(self) -> str:
        """Returns the decision as JSON: the object that `robots decide --json` writes, without its `file`, `offset` and `status`."""
    @staticmethod
    def from_json(text: str) -> Decision:
        """Returns the decision that `to_json` wrote. It is equal, except for the line numbers of request rates.

        Raises LoadError if the text is not a decision.
        """
    def to_dict(self) -> dict[str, Any]:
        """Returns the decision as a dict of plain values: that of `to_json`."""
    def __copy__(self) -> Decision: ...
    def __deepcopy__(self, _memo: Any) -> Decision: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class ArrowBatch:
    """A batch of rows, for any library that reads Arrow's PyCapsule interface."""
    @property
    def num_rows(self) -> int:
        """The number of rows."""
    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
@final
class ArrowStream:
    """A stream of batches. It is read once: by iteration, or by a library that reads Arrow's PyCapsule interface."""
    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    @property
    def error(self) -> BaseException | None:
        """The exception that ended the stream for the library that it was handed to, which raises one of its own. None if there
        was none.
        """
    def close(self) -> None:
        """Stops reading, and releases the input. Does nothing if the stream was handed to a reader, which releases it."""
    def __enter__(self) -> ArrowStream: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __iter__(self) -> ArrowStream: ...
    def __next__(self) -> ArrowBatch: ...
@final
class Reason:
    """A statement about a field, and its effect."""
    @property
    def field(self) -> Field:
        """The field."""
    @property
    def source(self) -> Source:
        """The place of the statement."""
    @property
    def text(self) -> str:
        """The statement, for people; one in the page is as written, up to a limit."""
    @property
    def effect(self) -> Effect:
        """The effect on the field."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class Warning:
    """A statement or a source that is invalid, suspicious or without effect. Warnings do not change the decision."""
    @property
    def kind(self) -> WarningKind:
        """The kind."""
    @property
    def source(self) -> Source:
        """The place of the statement."""
    @property
    def text(self) -> str:
        """The statement as written, or a description of the source."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class Source:
    """The place of a statement. `kind` says which; the others are None where they do not apply."""
    @property
    def kind(self) -> SourceKind:
        """The kind of the place."""
    @property
    def line(self) -> int | None:
        """The number of a line of robots.txt or of a licence, from 1."""
    @property
    def name(self) -> str | None:
        """The name of a header line."""
    @property
    def header(self) -> int | None:
        """The index of a header line among all header lines, from 0."""
    @property
    def offset(self) -> int | None:
        """The offset in bytes: of a META or LINK in the page, or of a statement in the value of a header line."""
    @property
    def entry(self) -> int | None:
        """The index of an entry of tdmrep.json, from 0."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class Wanted:
    """The kinds of facts that `read_head` keeps: `Wanted(["robots", "title"], robots=["robots", "googlebot"])`.

    Kinds are those of `Facts` in Rust, in lower case: `robots`, `description`, `keywords`, `revisit_after`, `title`,
    `canonical`, `http_equiv`, `charset`, `open_graph`, `twitter`, `metas` (every META), `tdm`. `robots` are the names of the
    METAs for robots. A fact that is not wanted is missing in what was read: its property is None or empty.
    """
    def __new__(cls, facts: str | Iterable[str], *, robots: str | Iterable[str] | None = None) -> Wanted: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...

@final
class PageFacts:
    """The facts of a page: its METAs in order, its title and canonical link. Offsets are in bytes; those of a text are in its
    UTF-8.
    """
    @property
    def metas(self) -> list[Meta]:
        """Every META, in order."""
    def robots_metas(self, names: str | Iterable[str] | None = None) -> list[Meta]:
        """Returns the METAs for a robot with one of these names, in order; by default `robots`."""
    def directives(self, names: str | Iterable[str] | None = None) -> list[Directive]:
        """Returns the directives of those METAs, in order."""
    def content_of(self, name: str) -> str | None:
        """Returns the content of the first META of this name in HEAD; ASCII case is ignored."""
    @property
    def title(self) -> str | None:
        """The text of the first TITLE of the HEAD, with each run of white space as one space."""
    @property
    def description(self) -> str | None:
        """The page's description, with each run of white space as one space."""
    @property
    def keywords(self) -> list[str]:
        """The page's keywords."""
    @property
    def canonical(self) -> str | None:
        """The URL of the first link with `rel=canonical`, as written; it may be relative."""
    @property
    def revisit_after(self) -> float | None:
        """The time after which the author asks a robot to return, in days."""
    @property
    def encoding(self) -> str:
        """The name of the encoding in which the page was read, as in the Encoding Standard: `UTF-8`, `windows-1252`."""
    @property
    def encoding_source(self) -> EncodingSource:
        """The source of the encoding."""
    @property
    def end(self) -> HeadEnd:
        """The end of the HEAD."""
    @property
    def consumed(self) -> int | None:
        """The number of bytes of the page that were read, up to the end of the tag that ended the HEAD. None if it is not
        known (UTF-16, ISO-2022-JP).
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
@final
class HeadEnd:
    """The end of a HEAD: `by` is "tag", "text", "end_of_page" or "limit"."""
    @property
    def by(self) -> str:
        """What ended it: "tag", "text", "end_of_page", or "limit": the rest is unknown."""
    @property
    def name(self) -> str | None:
        """The name of the tag, in lower case."""
    @property
    def offset(self) -> int | None:
        """The offset of the tag in the page, in bytes."""
    @property
    def limit(self) -> str | None:
        """The name of the limit."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
@final
class Meta:
    """A META of a page."""
    @property
    def offset(self) -> int:
        """The offset of its `<` in the page, in bytes."""
    @property
    def end(self) -> int | None:
        """The offset after its `>`; None if it is not known (UTF-16, ISO-2022-JP)."""
    @property
    def placement(self) -> Placement:
        """Whether it is in HEAD or in BODY."""
    @property
    def name(self) -> str | None:
        """The value of `name`."""
    @property
    def content(self) -> str:
        """The value of `content`; empty if there is none."""
    @property
    def attributes(self) -> dict[str, str]:
        """Its attributes in order: names in lower case, and values with character references resolved."""
    @property
    def directives(self) -> list[Directive]:
        """Its content as a list of directives."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
@final
class Directive:
    """A directive: one item of a list."""
    @property
    def text(self) -> str:
        """The item as written, without white space around it."""
    @property
    def offset(self) -> int:
        """The offset of the item in its list, in bytes."""
    @property
    def kind(self) -> str:
        """The kind of the directive: "flags" for those without a value, "max-snippet", "max-image-preview",
        "max-video-preview", "unavailable_after", "invalid" or "unknown".
        """
    @property
    def value(self) -> str | int | None:
        """The value: of flags their names, `noindex, nofollow` for `none`; of limits a number, -1 for no limit; of images
        the size; of times the seconds since 1970. None if it is unknown or invalid.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
@final
class Finding:
    """A finding: a mistake in a robots.txt, a page or a header line."""
    @property
    def code(self) -> str:
        """The code of its kind: `R` (robots.txt) or `M` (pages and headers) and three digits."""
    @property
    def name(self) -> str:
        """The name of its kind, in lower case with hyphens."""
    @property
    def severity(self) -> Severity:
        """The severity of its kind."""
    @property
    def message(self) -> str:
        """The problem: a clause."""
    @property
    def help(self) -> str:
        """The advice: one sentence."""
    @property
    def standard(self) -> str:
        """The sections of RFCs and of docs/semantics.md that the kind rests on."""
    @property
    def header(self) -> bool:
        """Whether it is in a header line of the response, rather than in the body."""
    @property
    def line(self) -> int:
        """The number of the line, from 1; header lines are counted without the status line."""
    @property
    def column(self) -> int:
        """The column of the first character, from 1."""
    @property
    def offset(self) -> int:
        """The offset in the body or in the header line, in bytes."""
    @property
    def length(self) -> int:
        """The length, in bytes."""
    @property
    def related_line(self) -> int | None:
        """Another line that the finding is about, from 1."""
    @property
    def findings_of_kind(self) -> int:
        """The number of findings of the kind, with those that are not listed."""
    @property
    def fix(self) -> list[tuple[int, int, bytes]] | None:
        """The edits that fix it, each with offset, length in bytes and replacement; None if a person must decide."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class Changes(Sequence[Change]):  # type: ignore[misc]
    """The changes between two files: a sequence, up to 1,000."""
    @property
    def is_complete(self) -> bool:
        """Whether every path was considered. If not, there may be other changes."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Change: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Change]: ...
    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """Returns the index of the first change that equals a value, from `start` and before `stop`.

        Raises ValueError if there is none.
        """
    def count(self, value: object) -> int:
        """Returns the number of changes that equal a value."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
@final
class ArchiveBatches:
    """Batches of the pages of archives, in their order: `decide_warc_batches(inputs, book)`.

    Threads may share it: each batch is returned once.
    """
    @property
    def summary_json(self) -> str | None:
        """The counts of the run, as `robots decide --summary` writes them, as JSON. None before the end."""
    def close(self) -> None:
        """Stops reading, and releases the archives. It is not an error to call it again."""
    def __enter__(self) -> ArchiveBatches: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __arrow_c_schema__(self) -> object: ...
    def __iter__(self) -> ArchiveBatches: ...
    def __next__(self) -> ArrowBatch: ...

@final
class OriginDecider:
    """A decider about rows that are sorted by origin: the pages of `read_pages`, and robots.txt captures.

    Rows are sorted by key and number, and captures come before the pages of the same key and number. Only the captures of one key are
    in memory.
    """
    REDIRECT_STEPS: ClassVar[int]
    def __new__(
        cls,
        *,
        agents: str | Iterable[str] | None = None,
        profiles: _Profile | Iterable[_Profile] | None = None,
        at: _Moment = "now",
        explain: bool = False,
        evidence: bool = False,
    ) -> OriginDecider: ...
    def add(self, rows: list[tuple[str, int, str | None, _Bytes | None, _CaptureRow | None]]) -> list[ArrowBatch]:
        """Adds rows, and returns the batches of decisions that are full: those of `decide_warc_batches`.

        Raises LoadError if rows are not sorted, if a row is not a capture, or if facts are damaged or of other robots or profiles.
        """
    def finish(self) -> list[ArrowBatch]:
        """Returns the other batches."""

@final
class ArchiveDecisions:
    """The decisions about archives, in the order of the pages: `iter_decisions(inputs)`.

    Threads may share it: each page is returned once.
    """
    @property
    def summary_json(self) -> str | None:
        """The counts of the run, as `robots decide --summary` writes them, as JSON. None before the end."""
    def close(self) -> None:
        """Stops reading, and releases the archives. It is not an error to call it again."""
    def __enter__(self) -> ArchiveDecisions: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __iter__(self) -> ArchiveDecisions: ...
    def __next__(self) -> ArchivedPage: ...

@final
class ArchivedPage:
    """The decision about a page of an archive, and its place."""
    @property
    def file(self) -> str:
        """The archive, or the saved page."""
    @property
    def offset(self) -> int | None:
        """The offset of the record in the archive, in bytes; in gzip or Zstandard, that of its member or frame. None for a
        saved page.
        """
    @property
    def status(self) -> int | None:
        """The HTTP status of the response; None if there was no response."""
    @property
    def decision(self) -> Decision:
        """The decision."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def to_dict(self) -> dict[str, Any]:
        """Returns the object that `robots decide --json --explain` writes: the place, and the fields of the decision."""

@final
class RobotsBook:
    """The captures of robots.txt files in archives, for robots and profiles.

    `captures` returns a book. Books with the same robots and profiles can be merged. `freeze` ends that: it returns the
    FrozenRobotsBook by which `decide_warc` decides. Books pickle; `to_bytes` and `from_bytes` are for other ways to send them.
    """
    @staticmethod
    def from_bytes(
        data: _Bytes,
        *,
        agents: str | Iterable[str] | None = None,
        profiles: _Profile | Iterable[_Profile] | None = None,
    ) -> RobotsBook:
        """Reads the output of `to_bytes`. With `agents` or `profiles`, the book must be of these robots under these profiles.

        Raises LoadError if the bytes are not a book, of another version, damaged, or of other robots or profiles.
        """
    def to_bytes(self) -> bytes:
        """Returns the book as bytes: a format version, a checksum, and the captures, robots and profiles."""
    @staticmethod
    def from_rows(
        rows: Iterable[_CaptureRow],
        *,
        agents: str | Iterable[str] | None = None,
        profiles: _Profile | Iterable[_Profile] | None = None,
    ) -> RobotsBook:
        """Reads rows, as `to_rows` returns them. The robots and profiles may be others than those of the book that they come from.

        Raises InputError if a row is not a capture.
        """
    def to_rows(
        self,
    ) -> list[tuple[str, int | None, str, int | None, str | None, str | None, bytes | None, str | None, int | None, str | None]]:
        """Returns the captures as rows, for tables: tuples of the URL; the time in seconds since 1970, if it is known; the outcome;
        the status and the Content-Type of a response; the target of a redirect; the body of a 2xx response; and for evidence the archive,
        the offset of the record in it, and the SHA-256 of the body. The last three may be None, and `from_rows` needs none of them.

        The outcome is `response`, `redirect`, `redirect_to_nowhere` (without a target, or to a URL that HTTP cannot request),
        `redirect_fault` (a request that failed by its redirects), `fault` (for another reason), or `unreadable` (a body that
        cannot be read). Rows are ordered by URL, and those of one URL as they were read. A body is kept as far as the profiles
        of the book read it: under `google`, it is whole.
        """
    def merge(self, other: RobotsBook) -> None:
        """Adds the captures of another book, after those of this one. The result is the book of both archives.

        There is one exception: the target of a redirect that is not a robots.txt itself, and a licence, are searched for only in
        the archive that names them. `missing_targets` has such URLs, and `captures(inputs, urls=...)` reads them from other archives.

        Raises LoadError if the other book has other robots or profiles.
        """
    @property
    def missing_targets(self) -> list[str]:
        """The URLs to which robots.txt files redirect, and of the licences that they name, that were not captured, in order: those that are not
        robots.txt files themselves.
        """
    def freeze(self) -> FrozenRobotsBook:
        """Returns an immutable copy, by which pages are decided."""
    @property
    def robots(self) -> list[tuple[str, Profile]]:
        """The robots, each with its profile, in the order of the decisions about a page."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class FrozenRobotsBook:
    """An immutable book of robots.txt captures: the source of `decide_warc`.

    Threads can share it. It costs little to load: a robots.txt is compiled when a page of its site is first decided.
    """
    @staticmethod
    def from_bytes(
        data: _Bytes,
        *,
        agents: str | Iterable[str] | None = None,
        profiles: _Profile | Iterable[_Profile] | None = None,
    ) -> FrozenRobotsBook:
        """Reads the output of `to_bytes`, also that of a RobotsBook. With `agents` or `profiles`, the book must be of these
        robots under these profiles.

        Raises LoadError if the bytes are not a book, of another version, damaged, or of other robots or profiles.
        """
    def to_bytes(self) -> bytes:
        """Returns the book as bytes: a format version, a checksum, and the captures, robots and profiles."""
    def decide(
        self,
        url: str,
        html: _Content | None = None,
        *,
        captured_at: _Time | None = None,
        status: int | None = None,
        headers: _Headers | None = None,
        charset: str | None = None,
        at: _Moment = "now",
        not_html: bool = False,
        cut_short: bool = False,
        licenses: Mapping[str, _Content] | None = None,
    ) -> list[Decision]:
        """Decides about a page that was captured at a time, for each robot, as `decide_warc` does.

        The robots.txt in force is the last one that was captured before `captured_at`, or else the first; without this time,
        the last one. The other arguments are those of `Policy.decide`.
        """
    @property
    def robots(self) -> list[tuple[str, Profile]]:
        """The robots, each with its profile, in the order of the decisions about a page."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class Change:
    """A path on which the decisions of two files differ. It represents all paths with the same pair of deciding rules."""
    @property
    def agent(self) -> str:
        """The name of the robot."""
    @property
    def path(self) -> str:
        """A path on which the decisions differ. It may begin with `//`: put an origin before it to make a URL."""
    @property
    def before(self) -> PathVerdict:
        """The verdict of the old file on this path."""
    @property
    def after(self) -> PathVerdict:
        """The verdict of the new file on this path."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class PathVerdict:
    """A verdict on a path, and the line that decided. It is true if the path may be fetched."""
    @property
    def allowed(self) -> bool:
        """Whether the path may be fetched."""
    @property
    def line(self) -> int | None:
        """The number of the line that decided, from 1, if one did."""
    @property
    def reason(self) -> VerdictReason:
        """The kind of the reason."""
    @property
    def reason_text(self) -> str:
        """The reason, as text."""
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
@final
class RobotRules:
    """The rules of many sites for one robot, with the interface of Perl's WWW::RobotRules.

    The robot is named by the first word of `agent` up to a `/`: `FooBot/1.2 (mail@example.com)` is FooBot. Files are read
    as the Perl module reads them (dialect `www-robotrules`). Rules of a site hold until `fresh_until`, compared with the
    time of each call, or with that of `set_now`. Policy applies RFC 9309 and gives reasons.
    """
    def __new__(cls, agent: str) -> RobotRules: ...
    @property
    def agent(self) -> str:
        """The robot's name, without a version."""
    def set_now(self, now: _Moment) -> None:
        """Sets the current time, by which rules expire. With None they never do; with "now" it is that of each call, as before
        the first `set_now`.
        """
    def parse(self, url: str, text: _Content, fresh_until: _Time | None = None) -> None:
        """Reads the robots.txt of a site, which replaces an earlier one. `url` is the URL of the request.

        The rules hold up to and including `fresh_until`. Without it they hold for 365 days from the current time, or
        forever after `set_now(None)`.

        Raises UrlError if the URL is invalid or has no host. Every body is accepted.
        """
    def allowed(self, url: str) -> Allowed:
        """Returns whether the robot may fetch a URL: Allowed.YES, NO, or UNKNOWN if the robots.txt of the site must be
        fetched first. They are the numbers 1, 0 and -1 of the Perl module, so UNKNOWN is true.
        """
    def fresh_until(self, url: str) -> int | None:
        """Returns the last second in which the rules of a URL's site hold, in seconds since 1970. None if the site has no
        rules, or if they never expire.
        """
