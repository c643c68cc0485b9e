//! The auto traits of public types: a change here breaks users.

use robots_txt::analysis::{Changes, Divergences, Summary};
use robots_txt::dialect::Switch;
use robots_txt::extension::{Extensions, PathPattern, Preferences};
use robots_txt::rules::{LoadError, RulesOfAll};
use robots_txt::select::ProductTokenError;
use robots_txt::{Agent, Dialect, ProductToken, RobotsTxt, Rule, Rules, Target, Verdict};

fn is_shared<T: Send + Sync + Unpin>() {}

fn is_owned<T: Send + Sync + Unpin + Clone + 'static>() {}

#[test]
fn owned_types_are_send_sync_unpin_and_static() {
    is_owned::<RobotsTxt>();
    is_owned::<Rules>();
    is_owned::<RulesOfAll>();
    is_owned::<Preferences>();
    is_owned::<PathPattern>();
    is_owned::<Dialect>();
    is_owned::<Switch>();
    is_owned::<ProductToken>();
    is_owned::<ProductTokenError>();
    is_owned::<LoadError>();
    is_owned::<Changes>();
    is_owned::<Divergences>();
    is_owned::<Summary>();
    is_owned::<Agent<'static>>();
    is_owned::<Target<'static>>();
}

#[test]
fn borrowing_types_are_send_and_sync() {
    is_shared::<Verdict<'_>>();
    is_shared::<Rule<'_>>();
    is_shared::<Extensions<'_>>();
}
