//! A function of `DataFusion` that decides what a robot may do with the pages of a table.
//!
//! [`DecideFunction`] takes one argument, a struct: its fields are the columns of [`robots_pipeline::batch`], in any order, of which
//! `url` and `html` must be there. It returns a struct: `error`, `status`, and the columns of [`Decision::columns`]. A row that cannot be
//! decided has the reason in `error`, and no other row changes.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//! use robots_datafusion::DecideFunction;
//! use robots_policy::{Policy, Profile};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let policy = Policy::under(&Profile::google(), "ExampleBot")?;
//! let context = SessionContext::new();
//! context.register_udf(DecideFunction::new("decide", policy).into());
//! let frame = context.sql(
//!     "SELECT decide(named_struct('url', url, 'html', NULL, 'robots_txt', robots))['fetch'] AS fetch
//!      FROM (VALUES ('https://example.com/x', 'User-agent: *\nDisallow: /x')) AS pages (url, robots)",
//! );
//! let shown = frame.await?.to_string().await?;
//! assert!(shown.contains("disallow"), "{shown}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate needs the version of Arrow that `DataFusion` has. `robots-pipeline` takes it or a newer one; pin it in the lock file:
//! `cargo update arrow-array --precise 59.3.2`.
//!
//! The cost of a batch is that of its decisions: linear in the bytes of its values. Nothing is copied from the argument.
//!
//! [`Decision::columns`]: robots_policy::Decision::columns

#![forbid(unsafe_code)]

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, StructArray};
use arrow_schema::{DataType, Fields, Schema};
use datafusion_common::{DataFusionError, Result, exec_err, plan_err};
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use robots_meta::Timestamp;
use robots_pipeline::batch::{BatchDecider, PageColumns, Pages};
use robots_policy::{Policies, Policy};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The column of a batch of decisions that the results do not have: the number of the page.
const ROW: &str = "row";

/// A function of SQL that decides for one robot under one profile. For several robots, register a function for each.
///
/// Functions are equal only if they are the same: two of the same name may have other robots.
#[derive(Debug)]
pub struct DecideFunction {
    name: String,
    decider: BatchDecider,
    signature: Signature,
}

impl DecideFunction {
    /// Returns a function of this name, without a time: `unavailable_after` is reported but not applied, and no robots.txt is stale.
    /// SQL finds names in lower case without quotes.
    pub fn new(name: impl Into<String>, policy: Policy) -> Self {
        Self {
            name: name.into(),
            decider: BatchDecider::new(Policies::new(vec![policy])),
            signature: Signature::any(1, Volatility::Immutable),
        }
    }

    /// Sets the time of the decisions.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.decider = self.decider.at(now);
        self
    }

    /// Adds the fields of all reasons and warnings, as JSON: `reasons_json`, `warnings_json`.
    #[must_use]
    pub fn with_explanations(mut self) -> Self {
        self.decider = self.decider.with_explanations();
        self
    }

    /// Returns the fields of a decision.
    fn fields(&self) -> Fields {
        let fields = self.decider.schema().fields();
        fields
            .iter()
            .filter(|field| field.name() != ROW)
            .cloned()
            .collect()
    }

    /// Finds the columns of pages in the fields of a struct.
    fn columns(&self, fields: &Fields) -> Result<PageColumns> {
        let columns = PageColumns::of(&Schema::new(fields.clone()));
        columns.or_else(|error| plan_err!("{}: {error}: {}", self.name, self.expected()))
    }

    fn expected(&self) -> String {
        let name = &self.name;
        format!("expected {name}(named_struct('url', url, 'html', html, ...))")
    }

    /// Decides about the rows of a struct array.
    fn decide(&self, pages: &StructArray) -> Result<StructArray> {
        let columns = self.columns(pages.fields())?;
        let arrays: Vec<ArrayRef> = columns
            .indexes()
            .map(|(index, _)| Arc::clone(pages.column(index)))
            .collect();
        let rows = columns.pages(&arrays, pages.len()).map_err(external)?;
        let decisions = self
            .decider
            .decide(&with_validity(rows, pages)?, 0)
            .map_err(external)?;
        let (schema, columns, rows) = decisions.into_parts();
        let columns = schema.fields().iter().zip(columns);
        let columns = columns.filter(|(field, _)| field.name() != ROW);
        let columns = columns.map(|(_, column)| column).collect();
        Ok(StructArray::try_new_with_length(
            self.fields(),
            columns,
            None,
            rows,
        )?)
    }
}

/// Returns pages of which those in null rows are not decided.
fn with_validity(rows: Pages, pages: &StructArray) -> Result<Pages> {
    match pages.nulls() {
        Some(nulls) => {
            let valid = BooleanArray::from(nulls.inner().clone());
            rows.with_validity(valid).map_err(external)
        }
        None => Ok(rows),
    }
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

impl PartialEq for DecideFunction {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for DecideFunction {}

impl Hash for DecideFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for DecideFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        let [DataType::Struct(fields)] = arguments else {
            return plan_err!("{}: unexpected arguments: {}", self.name, self.expected());
        };
        self.columns(fields)?;
        Ok(DataType::Struct(self.fields()))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [pages] = arguments.args.as_slice() else {
            return exec_err!("{}: unexpected arguments", self.name);
        };
        let pages = pages.to_array(arguments.number_rows)?;
        let Some(pages) = pages.as_struct_opt() else {
            return exec_err!("{}: the argument is not a struct", self.name);
        };
        Ok(ColumnarValue::Array(Arc::new(self.decide(pages)?)))
    }
}
