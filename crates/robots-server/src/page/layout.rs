//! The frame of every page: its head, the forms, and the foot.

use super::assets;
use super::mark;
use super::question::{BadQuestion, Form};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use robots_policy::profile::AgentTable;
use robots_policy::text::printable;

/// The title of pages without an answer.
const NAME: &str = "robots checker";

/// Returns a page: forms with what was sent, and the answer below them.
pub(super) fn answer(title: &str, form: &Form, answer: &Markup) -> Markup {
    let title = format!("{title} - {NAME}");
    frame(
        &title,
        &html! {
            (forms(form, None))
            div id="answer" { (answer) }
        },
    )
}

/// Returns the start page.
pub(super) fn start() -> Markup {
    frame(
        NAME,
        &html! {
            div id="answer" class="start" {
                h1 { "May robots fetch, index and train with this page?" }
                p class="lede" {
                    "Ten engines, each by its own rules: robots.txt, response headers and METAs, with the line that decides."
                }
            }
            (forms(&Form::default(), None))
        },
    )
}

/// Returns a page about a question that cannot be answered, or another error: a headline, and what to do.
pub(super) fn error(headline: &str, text: &str, form: &Form, bad: Option<&BadQuestion>) -> Markup {
    let title = format!("{headline} - {NAME}");
    frame(
        &title,
        &html! {
            div id="answer" {
                div class="oops" {
                    h1 tabindex="-1" { (headline) }
                    p id="mistake" { (printable(text)) }
                }
            }
            (forms(form, bad))
        },
    )
}

fn frame(title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (printable(title)) }
                link rel="icon" type="image/svg+xml" href=(assets::ICON.path());
                link rel="stylesheet" href=(assets::STYLE.path());
                script src=(assets::SCRIPT.path()) defer {}
            }
            body {
                a class="skip" href="#main" { "Skip to the content" }
                (mark::shapes())
                header { p class="brand" { a href="/" { "robots" } " · checker" } }
                main id="main" tabindex="-1" {
                    (main)
                    p id="status" class="status" role="status" {}
                }
                footer {
                    p {
                        "Nothing that you ask is stored. A page is only fetched if its robots.txt allows it to this service, or by \
                         name to a robot that the answer is about, or if the visitor says that the site is theirs. It is never shown. "
                        a href="/docs" { "API" }
                    }
                    p { "Made by robots " (env!("CARGO_PKG_VERSION")) "." }
                }
            }
        }
    }
}

fn forms(form: &Form, bad: Option<&BadQuestion>) -> Markup {
    let is_comparison = form.field("new").is_some();
    let is_text = form.field("robots").is_some() && !is_comparison;
    // A form with a mistake is open; one that was answered is closed, as the answer comes first.
    let is_open = |is_sent: bool| is_sent && bad.is_some();
    html! {
        section class="question" aria-label="Question" {
            form class="ask" method="get" action="/" {
                label for="url" { "URL of a page, or a site" }
                input id="url" name="url" type="text" inputmode="url" autocomplete="url" autocapitalize="off"
                    spellcheck="false" maxlength=(super::site_page::MAX_URL_BYTES)
                    placeholder="https://example.com/offers" required
                    value=(form.text("url"))
                    aria-invalid=[invalid(bad, "url")] aria-describedby=[described(bad, "url")];
                button { "Check" }
                div class="options" {
                    label for="robot" { "Robot " small { "optional" } }
                    (robot("robot", form, bad))
                    datalist id="robots-list" {
                        @for known in AgentTable::built_in().iter().filter(|known| known.is_sourced()) {
                            option value=(printable(&known.token)) {}
                        }
                    }
                    label class="tick" {
                        input name="own" type="checkbox" value="yes" checked[!form.text("own").is_empty()];
                        " This is my site: read the page even if robots.txt closes it to this service"
                    }
                }
            }
            div class="ways" {
                details name="way" open[is_open(is_text)] {
                    summary {
                        @if is_text && bad.is_none() { "The pasted robots.txt of this answer" }
                        @else { "Paste a robots.txt instead" }
                    }
                    form method="post" action="/" {
                        (area("robots", "robots.txt", "", form, Size::Long, bad))
                        (area("urls", "URLs or paths to ask about", "one a line", form, Size::Short, bad))
                        div class="entry" {
                            label for="text-robot" { "Robot " small { "optional" } }
                            (robot("text-robot", form, bad))
                        }
                        div class="pair" {
                            (area("html", "HTML of the page at the first URL", "optional", form, Size::Short, bad))
                            (area("headers", "Its response headers", "optional", form, Size::Short, bad))
                        }
                        button { "Check this text" }
                    }
                }
                details name="way" open[is_open(is_comparison)] {
                    summary {
                        @if is_comparison && bad.is_none() { "The two versions of this answer" }
                        @else { "Compare two versions of a robots.txt" }
                    }
                    form method="post" action="/" {
                        div class="pair" {
                            (area("old", "Old version", "", form, Size::Long, bad))
                            (area("new", "New version", "", form, Size::Long, bad))
                        }
                        div class="entry" {
                            label for="site" {
                                "Or the site whose present robots.txt is the old version " small { "optional" }
                            }
                            input id="site" name="site" type="text" inputmode="url" autocapitalize="off" spellcheck="false"
                                maxlength=(super::site_page::MAX_URL_BYTES)
                                placeholder="example.com" value=(form.text("site"))
                                aria-invalid=[invalid(bad, "site")] aria-describedby=[described(bad, "site")];
                        }
                        button { "Compare" }
                    }
                }
            }
        }
    }
}

/// Returns the field for the name of a robot.
fn robot(id: &str, form: &Form, bad: Option<&BadQuestion>) -> Markup {
    html! {
        input id=(id) name="robot" type="text" list="robots-list" autocapitalize="off" autocomplete="off" spellcheck="false"
            maxlength=(super::question::MAX_ROBOT_BYTES) placeholder="Googlebot" value=(form.text("robot"))
            aria-invalid=[invalid(bad, "robot")] aria-describedby=[described(bad, "robot")];
    }
}

/// The height of a text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Long,
    Short,
}

fn area(
    name: &'static str,
    text: &str,
    hint: &str,
    form: &Form,
    size: Size,
    bad: Option<&BadQuestion>,
) -> Markup {
    html! {
        div class="entry" {
            label for=(name) { (text) @if !hint.is_empty() { " " small { (hint) } } }
            textarea id=(name) name=(name) class=[(size == Size::Short).then_some("short")] spellcheck="false"
                autocapitalize="off" aria-invalid=[invalid(bad, name)] aria-describedby=[described(bad, name)] {
                // A line feed after the tag is removed by parsers.
                (PreEscaped("\n")) (form.text(name))
            }
        }
    }
}

fn invalid(bad: Option<&BadQuestion>, field: &str) -> Option<&'static str> {
    bad.is_some_and(|bad| bad.field == field).then_some("true")
}

fn described(bad: Option<&BadQuestion>, field: &str) -> Option<&'static str> {
    bad.is_some_and(|bad| bad.field == field)
        .then_some("mistake")
}
