//! The objects that hosts hold by their numbers.

use crate::exchange::{Failure, Result};
use robots_txt::{Agent, RobotsTxt, Rules};

/// What a host can hold.
#[allow(
    clippy::large_enum_variant,
    reason = "the small ones are files, which hold far more outside"
)]
pub(crate) enum Object {
    File(RobotsTxt),
    /// The file is the source of what compiled rules do not have: rates and hours.
    Rules(Rules, RobotsTxt, Agent<'static>),
    #[cfg(feature = "policy")]
    Policy(robots_policy::Policy),
    #[cfg(feature = "policy")]
    Reader(crate::page::Reader),
}

/// The objects of an instance. A number is used again after its object was freed.
#[derive(Default)]
pub(crate) struct Objects {
    places: Vec<Option<Object>>,
    free: Vec<u32>,
}

impl Objects {
    pub(crate) fn insert(&mut self, object: Object) -> Result<i32> {
        let number = if let Some(number) = self.free.pop() {
            number
        } else {
            self.places.push(None);
            u32::try_from(self.places.len()).unwrap_or(u32::MAX)
        };
        let place = self.place(number).ok_or_else(too_many)?;
        *place = Some(object);
        i32::try_from(number).map_err(|_| too_many())
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<Object> {
        let object = self.place(number)?.take()?;
        self.free.push(number);
        Some(object)
    }

    pub(crate) fn get(&mut self, number: u32) -> Option<&mut Object> {
        self.place(number)?.as_mut()
    }

    /// Returns the place of a number; numbers begin with 1.
    fn place(&mut self, number: u32) -> Option<&mut Option<Object>> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.places.get_mut(index)
    }

    pub(crate) fn file(&mut self, number: u32) -> Result<&RobotsTxt> {
        match self.get(number) {
            Some(Object::File(file)) => Ok(file),
            _ => Err(missing("robots.txt", number)),
        }
    }

    pub(crate) fn rules(&mut self, number: u32) -> Result<(&Rules, &RobotsTxt, &Agent<'static>)> {
        match self.get(number) {
            Some(Object::Rules(rules, file, agent)) => Ok((rules, file, agent)),
            _ => Err(missing("rules", number)),
        }
    }

    #[cfg(feature = "policy")]
    pub(crate) fn policy(&mut self, number: u32) -> Result<&robots_policy::Policy> {
        match self.get(number) {
            Some(Object::Policy(policy)) => Ok(policy),
            _ => Err(missing("policy", number)),
        }
    }
}

pub(crate) fn missing(kind: &str, number: u32) -> Failure {
    Failure::new(
        "no_object",
        format!("object {number} is not a {kind} of this instance"),
    )
}

fn too_many() -> Failure {
    Failure::new("out_of_memory", "too many objects: free some")
}
