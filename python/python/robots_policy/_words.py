"""The enums of the package. Their members are texts: ``Fetch.ALLOW == "allow"``."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Literal


class Word(str, Enum):
    """A word out of a closed set."""

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, format_spec: str) -> str:
        return format(str(self.value), format_spec)


class Answer(Word):
    """An answer with more values than yes and no.

    It has no truth value: as a text, `Permission.NO` would be true. Compare it, or use the `may_` properties of a
    decision.
    """

    def __bool__(self) -> bool:
        raise TypeError(
            f"{type(self).__name__} has no truth value: compare it, "
            "or use may_fetch, may_index, may_follow or may_archive"
        )


class Allowed(IntEnum):
    """The answers of WWW::RobotRules. As numbers they are those of the Perl module: UNKNOWN is true."""

    YES = 1
    NO = 0
    #: The robots.txt of the site must be fetched first: it is missing or has expired.
    UNKNOWN = -1


class Dialect(Word):
    """How an engine or a standard reads robots.txt. docs/semantics.md has the sources."""

    #: RFC 9309, with the leniencies that real files need.
    RFC9309 = "rfc9309"
    #: google/robotstxt: verdict and deciding line.
    GOOGLE = "google"
    #: Bing: RFC 9309, and the crawl-delay of the default groups if the own ones have none.
    BING = "bing"
    #: Yandex: RFC 9309, but a file over 500 KB has no effect.
    YANDEX = "yandex"
    #: Baidu: records of 1994, the first rule that matches, wildcards.
    BAIDU = "baidu"
    #: Seznam: RFC 9309.
    SEZNAM = "seznam"
    #: Apple: RFC 9309.
    APPLE = "apple"
    #: "A Standard for Robot Exclusion" of 1994.
    KOSTER_1994 = "koster1994"
    #: Version 1.0 according to "HTTP: The Definitive Guide".
    KOSTER_1996 = "koster1996"
    #: Version 1.0 according to draft-koster-robots-00.
    KOSTER_1996_DRAFT = "koster1996-draft"
    #: Sean Conner's extended standard, an emulation.
    CONNER_1996 = "conner1996"
    #: Perl's WWW::RobotRules.
    WWW_ROBOT_RULES = "www-robotrules"
    #: urllib.robotparser of CPython 3.8 to 3.12.
    PYTHON_ROBOTPARSER = "python-robotparser"
    #: Protego 0.7.0.
    PROTEGO = "protego"
    #: RFC 9309, but every Allow is tried before every Disallow.
    ALLOW_FIRST = "allow-first"


class RuleKind(Word):
    """The effect of a rule on the paths that it matches."""

    ALLOW = "allow"
    DISALLOW = "disallow"


class VerdictReason(Word):
    """The kind of the reason of a verdict."""

    #: A rule: the first in the dialect's order among the rules that match.
    RULE = "rule"
    #: A group applies to the robot, but none of its rules matches.
    NO_RULE_MATCHES = "no_rule_matches"
    #: No group applies to the robot.
    NO_GROUP = "no_group"
    #: The URL is that of /robots.txt.
    ROBOTS_TXT_ITSELF = "robots_txt_itself"


class Fetch(Answer):
    """Whether the URL may be fetched."""

    #: It may.
    ALLOW = "allow"
    #: It may not.
    DISALLOW = "disallow"
    #: Not now: robots.txt could not be fetched and is to be requested again, or it allows other hours only.
    DEFER = "defer"
    #: robots.txt is not known.
    UNKNOWN = "unknown"
    #: The robot fetches nothing: it is a token for the use of content, such as Google-Extended.
    NOT_APPLICABLE = "not_applicable"


class PageLayer(Answer):
    """Whether the page's own statements, its METAs and headers, were read."""

    #: They were read.
    SEEN = "seen"
    #: There are none: no HTML and no header, or no page (a status other than 2xx).
    ABSENT = "absent"
    #: They were not read, as the URL must not be fetched, or is not known to be allowed.
    UNSEEN = "unseen"
    #: The URL was not fetched yet.
    UNKNOWN = "unknown"


class Index(Answer):
    """Whether the page may be indexed."""

    #: It may.
    YES = "yes"
    #: It may not.
    NO = "no"
    #: Its URL may, without its content: the page must not be fetched, so its own statements are not known.
    URL_ONLY = "url_only"
    #: Not known yet.
    UNKNOWN = "unknown"


class Permission(Answer):
    """Whether something may be done with the page."""

    #: It may.
    YES = "yes"
    #: It may not.
    NO = "no"
    #: Not known yet.
    UNKNOWN = "unknown"


class AiUse(Answer):
    """Whether AI may use content in some way, as far as there are statements."""

    #: It may.
    ALLOW = "allow"
    #: It may use the URL, title and snippet, and nothing else.
    LIMITED = "limited"
    #: It may not.
    DISALLOW = "disallow"
    #: There is no statement, or not all were read.
    UNKNOWN = "unknown"


class FollowLink(Answer):
    """Whether a link may be followed."""

    #: It may.
    YES = "yes"
    #: It may not.
    NO = "no"
    #: It should not: the engine treats `rel` as a hint.
    HINT_NO = "hint_no"
    #: Not known yet.
    UNKNOWN = "unknown"


class ImagePreview(Word):
    """The size of a preview image."""

    #: No preview image.
    NONE = "none"
    #: An image of the default size.
    STANDARD = "standard"
    #: A large image, up to the width of the viewport.
    LARGE = "large"


class Field(Word):
    """A field of a decision."""

    FETCH = "fetch"
    PAGE_LAYER = "page_layer"
    INDEX = "index"
    INDEX_IF_EMBEDDED = "index_if_embedded"
    FOLLOW = "follow"
    ARCHIVE = "archive"
    SNIPPET = "snippet"
    IMAGE_PREVIEW = "image_preview"
    VIDEO_PREVIEW = "video_preview"
    IMAGE_INDEX = "image_index"
    TRANSLATE = "translate"
    EXPIRES_AT = "expires_at"
    CRAWL_DELAY = "crawl_delay"
    REQUEST_RATES = "request_rates"
    VISIT_TIME = "visit_time"
    REVISIT_AFTER = "revisit_after"
    AI_TRAIN = "ai_train"
    AI_INPUT = "ai_input"
    AI_SEARCH = "ai_search"
    LICENSES = "licenses"
    MAY_TRAIN = "may_train"


class Effect(Word):
    """The effect of a statement on its field."""

    #: It decides the field: the first of the statements with this value.
    DECIDES = "decides"
    #: It has the value of its field, which another statement decides, or which is unknown and decided by none.
    AGREES = "agrees"
    #: It has another value than its field.
    OVERRULED = "overruled"
    #: It does not count: the profile does not honour it, or other statements take precedence.
    IGNORED = "ignored"


class SourceKind(Word):
    """The kind of the place of a statement."""

    #: A line of robots.txt.
    ROBOTS_TXT = "robots_txt"
    #: robots.txt as a whole: no rule matches the page, or the file is not available.
    ROBOTS_FETCH = "robots_fetch"
    #: A header line with directives.
    HEADER = "header"
    #: A header line about the page, other than a list of directives.
    PAGE_HEADER = "page_header"
    #: The site's tdmrep.json.
    TDMREP = "tdmrep"
    #: A META of the page.
    META = "meta"
    #: A LINK in the HEAD of the page.
    LINK = "link"
    #: A licence of RSL that the site or the page names.
    RSL = "rsl"
    #: The page as a whole.
    PAGE = "page"
    #: The status of the response.
    STATUS = "status"
    #: The URL.
    URL = "url"


class WarningKind(Word):
    """The kind of a warning. `str(warning)` explains it."""

    NO_ORIGIN = "no_origin"
    NOINDEX_HIDDEN = "noindex_hidden"
    CONFLICT = "conflict"
    HEADER_AGAINST_META = "header_against_meta"
    NO_EFFECT = "no_effect"
    HIDDEN_BY_GROUP = "hidden_by_group"
    POLICY_WITHOUT_RESERVATION = "policy_without_reservation"
    #: A tdmrep.json that could not be read: whether training is permitted is not known.
    TDMREP_UNREAD = "tdmrep_unread"
    #: A licence of RSL that could not be read: whether models may use the page is not known.
    RSL_UNREAD = "rsl_unread"
    UNKNOWN_DIRECTIVE = "unknown_directive"
    INVALID_DIRECTIVE = "invalid_directive"
    EMBEDDED_WITHOUT_NOINDEX = "embedded_without_noindex"
    HEAD_INCOMPLETE = "head_incomplete"
    TOO_MANY_DIRECTIVES = "too_many_directives"
    IGNORED_NAME = "ignored_name"
    BEYOND_PAGE_LIMIT = "beyond_page_limit"
    AFTER_HEAD = "after_head"
    OUTSIDE_GROUPS = "outside_groups"
    ROBOTS_OLD = "robots_old"
    ROBOTS_LATER = "robots_later"
    #: A date that would decide whether the page is indexed, in a decision without a time: `at` is None.
    NO_TIME = "no_time"


class EncodingSource(Word):
    """The way the encoding of a page was found."""

    #: The page begins with a byte order mark.
    BYTE_ORDER_MARK = "byte_order_mark"
    #: The response names it, or the page was a text.
    TRANSPORT = "transport"
    #: A META within the first 1,024 bytes names it.
    PRESCAN = "prescan"
    #: The page begins with an XML declaration that names it, or that is itself in UTF-16.
    XML_DECLARATION = "xml_declaration"
    #: The page names no encoding.
    FALLBACK = "fallback"
    #: A META names it that is after the first 1,024 bytes, or that the prescan did not find.
    LATE_META = "late_meta"


class Placement(Word):
    """The placement of a META."""

    #: In HEAD.
    HEAD = "head"
    #: After HEAD.
    BODY = "body"


class Severity(Word):
    """The severity of a kind of finding."""

    #: Well-formed and harmless, or a matter of taste; some robot may not expect it.
    NOTE = "note"
    #: Robots read it in different ways, or its effect is smaller than it seems.
    WARNING = "warning"
    #: It does not have the effect that it was written for.
    ERROR = "error"


#: The names of dialects, for type checkers and editors.
DialectName = Literal[
    "rfc9309",
    "google",
    "bing",
    "yandex",
    "baidu",
    "seznam",
    "apple",
    "koster1994",
    "koster1996",
    "koster1996-draft",
    "conner1996",
    "www-robotrules",
    "python-robotparser",
    "protego",
    "allow-first",
]

#: The names of fields of decisions.
FieldName = Literal[
    "fetch",
    "page_layer",
    "index",
    "index_if_embedded",
    "follow",
    "archive",
    "snippet",
    "image_preview",
    "video_preview",
    "image_index",
    "translate",
    "expires_at",
    "crawl_delay",
    "request_rates",
    "visit_time",
    "revisit_after",
    "ai_train",
    "ai_input",
    "ai_search",
    "licenses",
    "may_train",
]

#: The names of built-in profiles.
ProfileName = Literal[
    "neutral",
    "google",
    "bing",
    "yandex",
    "baidu",
    "apple",
    "seznam",
    "duckduckgo",
    "amazon",
    "archiver",
    "any-ai-trainer",
    "koster1996",
    "stormcrawler",
    "norconex",
    "http-archive",
    "specific-overrides",
]
