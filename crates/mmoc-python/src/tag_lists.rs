//! Columns of lists of words, which become cells of tags.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use mmoc_io::Tags;

use crate::table::{has_words, words};

/// The column of tags of a table, in which each cell is a list of words.
pub(crate) struct TagLists {
    place: usize,
    separator: String,
    schema: SchemaRef,
}

impl TagLists {
    /// The column of tags, if its cells are lists of words.
    pub(crate) fn of(schema: &Schema, tags: &Tags) -> Option<Self> {
        let (place, field) = schema.column_with_name(&tags.column)?;
        if !has_lists_of_words(field.data_type()) {
            return None;
        }
        let mut fields = schema.fields().to_vec();
        fields[place] = Arc::new(Field::new(field.name(), DataType::Utf8, true));
        Some(Self {
            place,
            separator: tags.separator.clone(),
            schema: Arc::new(Schema::new(fields)),
        })
    }

    /// The columns of the table with cells of tags.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The same rows with the tags of each as one text.
    pub(crate) fn joined(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut columns = batch.columns().to_vec();
        let lists = lists(&columns[self.place]);
        let cells = lists.iter().map(|list| self.cell(list.as_ref()));
        let cells: StringArray = cells.collect::<Result<_, _>>()?;
        columns[self.place] = Arc::new(cells);
        RecordBatch::try_new(self.schema(), columns)
    }

    /// The tags of a row with separators between them. Nothing, if the list is missing.
    fn cell(&self, list: Option<&ArrayRef>) -> Result<Option<String>, ArrowError> {
        let Some(list) = list else {
            return Ok(None);
        };
        let tags: Vec<&str> = words(list).into_iter().flatten().collect();
        let with_separator = tags.iter().find(|tag| tag.contains(&self.separator));
        match with_separator {
            Some(tag) => Err(ArrowError::InvalidArgumentError(format!(
                "the tag '{tag}' contains the separator '{}'; choose another tag_separator",
                self.separator
            ))),
            None => Ok(Some(tags.join(&self.separator))),
        }
    }
}

fn has_lists_of_words(data: &DataType) -> bool {
    match data {
        DataType::List(item) | DataType::LargeList(item) => has_words(item.data_type()),
        _ => false,
    }
}

/// The list of each row.
fn lists(column: &dyn Array) -> Vec<Option<ArrayRef>> {
    match column.data_type() {
        DataType::LargeList(_) => column.as_list::<i64>().iter().collect(),
        _ => column.as_list::<i32>().iter().collect(),
    }
}
