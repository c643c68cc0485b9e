//! Compile-time checks: the types of the crate can be shared between threads, and those that own their data can be
//! cloned and live as long as the program (`'static`).

use robots_policy::decision::Explanation;
use robots_policy::origins::Origin;
use robots_policy::profile::Robot;
use robots_policy::robots::{OutcomeLog, OutcomeTable, RobotsState};
use robots_policy::site::{SiteRules, Tdmrep};
use robots_policy::{Decision, Page, Policies, Policy, Profile, RobotRules, RobotsFetch};

const fn is_shared<T: Send + Sync + Unpin>() {}

const fn is_owned<T: Send + Sync + Unpin + Clone + 'static>() {}

const _: () = {
    is_owned::<Decision>();
    is_owned::<Origin>();
    is_owned::<OutcomeLog<SiteRules>>();
    is_owned::<OutcomeTable>();
    is_owned::<Policy>();
    is_owned::<Profile>();
    is_owned::<Robot>();
    is_owned::<RobotsState<SiteRules>>();
    is_owned::<SiteRules>();
    is_owned::<Tdmrep>();
    is_shared::<Explanation<'_>>();
    is_shared::<Page<'_>>();
    is_shared::<Policies>();
    is_shared::<RobotRules>();
    is_shared::<RobotsFetch<'_>>();
};
