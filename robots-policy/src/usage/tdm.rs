//! `tdm-reservation` and `tdm-policy` of all carriers: `TDMRep`, W3C community group, final of
//! 2024-05-10 (`docs/semantics.md`, section 4.6).
//!
//! tdmrep.json, headers and METAs are a chain: a statement of a later carrier overrides that of an earlier
//! one. EPUB and PDF, the last carriers, are not read.

use super::Inputs;
use super::signal::Standing;
use crate::decision::reason::Source;
use robots_meta::PageFacts;
use robots_meta::header::{PageHeader, PageHeaders, Reservation};
use robots_meta::page::Placement;

/// The statements of the carriers, in order: a later carrier overrides an earlier one.
#[derive(Debug)]
pub(super) struct Tdm<'a> {
    carriers: [Carrier<'a>; 3],
}

/// The statements of one carrier, with their place.
#[derive(Debug, Clone, Copy, Default)]
struct Carrier<'a> {
    reservation: Option<(Source, Reservation)>,
    policy: Option<(Source, &'a str)>,
}

impl<'a> Tdm<'a> {
    pub(super) fn of(inputs: &Inputs<'a>, headers: &PageHeaders<'a>) -> Self {
        let entry = inputs
            .tdmrep
            .and_then(|file| file.for_target(inputs.target));
        let file = entry.map(|entry| {
            let source = Source::Tdmrep {
                entry: Some(entry.index()),
            };
            Carrier {
                reservation: Some((source, entry.reservation())),
                policy: entry.policy().map(|policy| (source, policy)),
            }
        });
        Self {
            carriers: [
                file.unwrap_or_default(),
                Carrier::of_headers(headers),
                inputs
                    .meta
                    .map(|meta| Carrier::of_metas(meta, inputs.counts_body))
                    .unwrap_or_default(),
            ],
        }
    }

    /// Returns the reservation in force: that of the last carrier that has one.
    pub(super) fn in_force(&self) -> Option<(Source, Reservation)> {
        self.carriers
            .iter()
            .rev()
            .find_map(|carrier| carrier.reservation)
    }

    /// Returns the reservation of each carrier; the one in force counts.
    pub(super) fn reservations(&self) -> impl Iterator<Item = (Source, Reservation, Standing)> {
        let in_force = self.in_force();
        self.carriers
            .iter()
            .filter_map(|carrier| carrier.reservation)
            .map(move |(source, reservation)| {
                let standing = if Some((source, reservation)) == in_force {
                    Standing::Counts
                } else {
                    Standing::Overridden
                };
                (source, reservation, standing)
            })
    }

    /// Returns the policy of each carrier. A policy is ignored if mining is not reserved, or if its own carrier has
    /// `tdm-reservation: 0`. The last of the others counts.
    pub(super) fn policies(&self) -> impl Iterator<Item = (Source, &'a str, Standing)> {
        let is_reserved = matches!(self.in_force(), Some((_, Reservation::Reserved)));
        let in_force = self
            .carriers
            .iter()
            .rev()
            .filter(|carrier| !carrier.reserves_nothing())
            .find_map(|carrier| carrier.policy);
        self.carriers.iter().filter_map(move |carrier| {
            let (source, url) = carrier.policy?;
            let standing = if !is_reserved || carrier.reserves_nothing() {
                Standing::Ignored
            } else if carrier.policy == in_force {
                Standing::Counts
            } else {
                Standing::Overridden
            };
            Some((source, url, standing))
        })
    }
}

impl<'a> Carrier<'a> {
    fn of_headers(headers: &PageHeaders<'a>) -> Self {
        let source = |name, header, offset| Source::PageHeader {
            name,
            header,
            offset,
        };
        let reservation = headers.tdm_reservation().and_then(|found| {
            let name = PageHeader::TdmReservation;
            let source = source(name, found.header_index(), found.offset());
            Some((source, found.meaning()?))
        });
        let policy = headers.tdm_policy().map(|found| {
            let name = PageHeader::TdmPolicy;
            let source = source(name, found.header_index(), found.offset());
            (source, found.text())
        });
        Self {
            reservation,
            policy,
        }
    }

    /// Returns the statements of METAs in HEAD, and in BODY where they count: the first reservation of 1, which is stricter,
    /// or else of 0, and the first policy that is not empty.
    fn of_metas(meta: &'a PageFacts, counts_body: bool) -> Self {
        let named = |name: &'static str| {
            meta.metas().filter(move |meta| {
                (meta.placement() == Placement::Head || counts_body) && meta.is_named(name)
            })
        };
        let first_of = |wanted: Reservation| {
            let meta = named("tdm-reservation")
                .find(|meta| Reservation::parse(meta.content()) == Some(wanted))?;
            let offset = meta.offset();
            Some((Source::Meta { offset }, wanted))
        };
        let policy = named("tdm-policy").find_map(|meta| {
            let url = meta.content().trim_ascii();
            let offset = meta.offset();
            (!url.is_empty()).then_some((Source::Meta { offset }, url))
        });
        Self {
            reservation: first_of(Reservation::Reserved)
                .or_else(|| first_of(Reservation::NotReserved)),
            policy,
        }
    }

    fn reserves_nothing(&self) -> bool {
        matches!(self.reservation, Some((_, Reservation::NotReserved)))
    }
}
