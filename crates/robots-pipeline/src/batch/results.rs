//! The columns of the decisions about a batch, and the builder of their rows.

use super::row::RowError;
use crate::evidence::columns::int;
use crate::sink::column_builder::{BatchRows, Cell, ColumnBuilder};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use robots_policy::decision::{Column, Value, ValueType};
use robots_policy::{Decision, Policy};
use std::sync::Arc;

/// A column of the results.
#[derive(Debug, Clone, Copy)]
enum ResultColumn {
    Row,
    Error,
    Status,
    Decision(&'static Column),
}

/// The cells of a row, in the order of the columns.
type Cells<'a> = Vec<Cell<'a>>;

impl ResultColumn {
    fn field(self) -> Field {
        let name = match self {
            Self::Row => "row",
            Self::Error => "error",
            Self::Status => "status",
            Self::Decision(column) => column.name(),
        };
        // Rows with an error have no other values than these.
        let is_optional = !matches!(name, "row" | "agent" | "profile");
        self.builder().field(name, is_optional)
    }

    fn builder(self) -> ColumnBuilder {
        match self {
            Self::Row | Self::Status => ColumnBuilder::of_batch(ValueType::Int),
            Self::Error => ColumnBuilder::of_batch(ValueType::Text),
            Self::Decision(column) => ColumnBuilder::of_batch(column.value_type()),
        }
    }
}

/// The columns of the results.
#[derive(Debug, Clone)]
pub(super) struct ResultColumns {
    columns: Arc<[ResultColumn]>,
    schema: SchemaRef,
}

impl ResultColumns {
    /// Returns the columns, with those of all reasons and warnings if they `explain`.
    pub(super) fn new(explain: bool) -> Self {
        let first = [ResultColumn::Row, ResultColumn::Error, ResultColumn::Status];
        let explaining = Decision::explaining_columns().iter().filter(|_| explain);
        let of_decision = Decision::columns().iter().chain(explaining);
        let columns = first
            .into_iter()
            .chain(of_decision.map(ResultColumn::Decision));
        let columns: Arc<[ResultColumn]> = columns.collect();
        let fields: Vec<Field> = columns.iter().map(|column| column.field()).collect();
        Self {
            columns,
            schema: Arc::new(Schema::new(fields)),
        }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the cells of a decision about a row.
    pub(super) fn cells<'a>(
        &self,
        row: i64,
        status: Option<u16>,
        decision: &'a Decision,
    ) -> Cells<'a> {
        let cell = |column: &ResultColumn| match column {
            ResultColumn::Row => Cell::Value(Value::Int(row)),
            ResultColumn::Error => Cell::NOTHING,
            ResultColumn::Status => Cell::Value(int(status)),
            ResultColumn::Decision(column) => Cell::Value(column.value(decision)),
        };
        self.columns.iter().map(cell).collect()
    }

    /// Returns the cells of a row without a decision.
    fn error_cells<'a>(
        &self,
        row: i64,
        policy: &'a Policy,
        url: Option<&'a str>,
        error: &RowError,
    ) -> Cells<'a> {
        let text = |text: &'a str| Cell::Value(Value::Text(text.into()));
        let cell = |column: &ResultColumn| match column {
            ResultColumn::Row => Cell::Value(Value::Int(row)),
            ResultColumn::Error => Cell::Value(Value::Text(error.to_string().into())),
            ResultColumn::Status => Cell::NOTHING,
            ResultColumn::Decision(column) => match (column.name(), url) {
                ("agent", _) => text(policy.agent()),
                ("profile", _) => text(policy.profile().name()),
                ("url", Some(url)) => text(url),
                _ => Cell::NOTHING,
            },
        };
        self.columns.iter().map(cell).collect()
    }
}

/// A builder of the results of a batch.
#[derive(Debug)]
pub(super) struct Results<'c> {
    columns: &'c ResultColumns,
    rows: BatchRows,
    /// The maximum size of the texts of a column, in bytes.
    max_bytes: usize,
}

impl<'c> Results<'c> {
    pub(super) fn new(columns: &'c ResultColumns, max_bytes: usize) -> Self {
        let builders = columns.columns.iter().map(|column| column.builder());
        Self {
            rows: BatchRows::new(Arc::clone(&columns.schema), builders),
            columns,
            max_bytes,
        }
    }

    /// Adds the row of a decision, or of an error if its texts do not fit.
    pub(super) fn add(&mut self, row: i64, policy: &Policy, cells: Cells<'_>) {
        if self.rows.have_space(&cells, self.max_bytes) {
            self.rows.add(cells);
        } else {
            self.add_error(row, policy, None, &RowError::TooLong(self.max_bytes));
        }
    }

    /// Adds a row without a decision.
    pub(super) fn add_error(
        &mut self,
        row: i64,
        policy: &Policy,
        url: Option<&str>,
        error: &RowError,
    ) {
        let cells = self.columns.error_cells(row, policy, url, error);
        if self.rows.have_space(&cells, self.max_bytes) || url.is_none() {
            self.rows.add(cells);
        } else {
            self.add_error(row, policy, None, error);
        }
    }

    /// Returns the batch.
    pub(super) fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        self.rows.take()
    }
}
