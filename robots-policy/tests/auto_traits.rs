//! The types of the crate can be shared between threads and kept.

use robots_policy::{
    Decision, Explanation, History, Origin, OutcomeTable, Page, Policies, Policy, Profile, Robot,
    RobotRules, Robots, RobotsFetch, SiteRules, Tdmrep,
};

const fn is_shared<T: Send + Sync + Unpin>() {}

const fn is_owned<T: Send + Sync + Unpin + Clone + 'static>() {}

const _: () = {
    is_owned::<Decision>();
    is_owned::<History<SiteRules>>();
    is_owned::<Origin>();
    is_owned::<OutcomeTable>();
    is_owned::<Policy>();
    is_owned::<Profile>();
    is_owned::<Robot>();
    is_owned::<Robots>();
    is_owned::<SiteRules>();
    is_owned::<Tdmrep>();
    is_shared::<Explanation<'_>>();
    is_shared::<Page<'_>>();
    is_shared::<Policies>();
    is_shared::<RobotRules>();
    is_shared::<RobotsFetch<'_>>();
};
