//! Lines of a kernel's text and the words in them. In: text. Out: ids, numbers and types, one word after the other, or
//! an error with the line's number and what was expected.

use super::ParseError;
use crate::body::{ColumnId, ListId, ParamId, TableId, ValueId};
use crate::types::{DType, Type};
use std::str::FromStr;

/// Characters that are words of their own.
const MARKS: &str = "(){},:=?.";

/// The lines that are not empty, one after the other.
pub(super) struct Lines<'a> {
    lines: std::iter::Peekable<std::vec::IntoIter<Line<'a>>>,
    last: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Result<Lines<'a>, ParseError> {
        let mut lines = Vec::new();
        let mut last = 1;
        for (i, text) in text.lines().enumerate() {
            last = i + 1;
            let line = Line { number: last, words: words(last, text)?, at: 0 };
            if !line.words.is_empty() {
                lines.push(line);
            }
        }
        Ok(Lines { lines: lines.into_iter().peekable(), last })
    }

    /// The first word of the next line.
    pub(super) fn first_word(&mut self) -> Option<&'a str> {
        self.lines.peek().and_then(|line| line.words.first().copied())
    }

    /// The next line, whatever it is.
    pub(super) fn any(&mut self) -> Option<Line<'a>> {
        self.lines.next()
    }

    /// The rest of the next line if it starts with this word.
    pub(super) fn optional(&mut self, word: &str) -> Option<Line<'a>> {
        let mut line = self.lines.next_if(|line| line.next_is(word))?;
        line.at = 1;
        Some(line)
    }

    /// The rest of the next line, which must start with this word.
    pub(super) fn required(&mut self, word: &str) -> Result<Line<'a>, ParseError> {
        let found = self.first_word().map_or_else(|| "the end".to_string(), |word| format!("`{word}`"));
        let line = self.here();
        let error = ParseError { line, message: format!("expected `{word}`, not {found}") };
        self.optional(word).ok_or(error)
    }

    /// Nothing may follow.
    pub(super) fn end(&mut self) -> Result<(), ParseError> {
        match self.any() {
            None => Ok(()),
            Some(line) => line.fail("expected nothing behind the sink".to_string()),
        }
    }

    /// The number of the next line, or of the last one.
    pub(super) fn here(&mut self) -> usize {
        self.lines.peek().map_or(self.last, |line| line.number)
    }
}

/// Splits a line into words and marks.
fn words(number: usize, text: &str) -> Result<Vec<&str>, ParseError> {
    let text = text.split('#').next().unwrap_or_default();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if MARKS.contains(first) {
            1
        } else {
            let message = format!("expected words and the marks {MARKS}, not {first:?}");
            return Err(ParseError { line: number, message });
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

/// A line, read from left to right.
pub(super) struct Line<'a> {
    pub(super) number: usize,
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Line<'a> {
    pub(super) fn fail<T>(&self, message: String) -> Result<T, ParseError> {
        Err(ParseError { line: self.number, message })
    }

    fn expected<T>(&self, what: &str) -> Result<T, ParseError> {
        match self.words.get(self.at) {
            None => self.fail(format!("expected {what} at the end of the line")),
            Some(word) => self.fail(format!("expected {what}, not `{word}`")),
        }
    }

    /// Whether the next word is this one.
    pub(super) fn next_is(&self, word: &str) -> bool {
        self.words.get(self.at) == Some(&word)
    }

    /// Takes the next word if it is this one.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let found = self.next_is(word);
        self.at += usize::from(found);
        found
    }

    /// The next word must be this one.
    pub(super) fn expect(&mut self, word: &str) -> Result<(), ParseError> {
        if self.take(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// The next word.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, ParseError> {
        let Some(&word) = self.words.get(self.at) else { return self.expected(what) };
        self.at += 1;
        Ok(word)
    }

    /// Whether all words are taken.
    pub(super) fn at_end(&self) -> bool {
        self.at == self.words.len()
    }

    /// All words must be taken.
    pub(super) fn end(&self) -> Result<(), ParseError> {
        if self.at_end() { Ok(()) } else { self.expected("the end of the line") }
    }

    /// A number of this type.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, ParseError> {
        let number = self.words.get(self.at).and_then(|word| word.parse().ok());
        let Some(number) = number else { return self.expected(what) };
        self.at += 1;
        Ok(number)
    }

    /// One of some words, each with its meaning.
    pub(super) fn one_of<T, const N: usize>(&mut self, all: [(&str, T); N]) -> Result<T, ParseError> {
        let words: Vec<String> = all.iter().map(|(word, _)| format!("`{word}`")).collect();
        for (word, meaning) in all {
            if self.take(word) {
                return Ok(meaning);
            }
        }
        self.expected(&words.join(" or "))
    }

    fn id(&mut self, letter: char, what: &str) -> Result<u32, ParseError> {
        let number = self.words.get(self.at).and_then(|word| word.strip_prefix(letter)).and_then(|n| n.parse().ok());
        let Some(number) = number else { return self.expected(&format!("{what} (such as `{letter}0`)")) };
        self.at += 1;
        Ok(number)
    }

    pub(super) fn value(&mut self) -> Result<ValueId, ParseError> {
        self.id('v', "a value").map(ValueId)
    }

    pub(super) fn column(&mut self) -> Result<ColumnId, ParseError> {
        self.id('c', "a column").map(ColumnId)
    }

    pub(super) fn param(&mut self) -> Result<ParamId, ParseError> {
        self.id('p', "a parameter").map(ParamId)
    }

    pub(super) fn list(&mut self) -> Result<ListId, ParseError> {
        self.id('l', "a captured table").map(ListId)
    }

    pub(super) fn table(&mut self) -> Result<TableId, ParseError> {
        self.id('t', "another table").map(TableId)
    }

    /// `(item, item)`.
    pub(super) fn parens<T>(
        &mut self,
        item: impl Fn(&mut Line<'a>) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut all = Vec::new();
        self.expect("(")?;
        if self.take(")") {
            return Ok(all);
        }
        loop {
            all.push(item(self)?);
            if !self.take(",") {
                self.expect(")")?;
                return Ok(all);
            }
        }
    }

    /// Items with commas between them up to the end of the line, or none at all.
    pub(super) fn bare<T>(
        &mut self,
        item: impl Fn(&mut Line<'a>) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut all = Vec::new();
        while !self.at_end() {
            if !all.is_empty() {
                self.expect(",")?;
            }
            all.push(item(self)?);
        }
        Ok(all)
    }

    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        let dtype = self.dtype()?;
        Ok(Type { dtype, nullable: self.take("?") })
    }

    pub(super) fn dtype(&mut self) -> Result<DType, ParseError> {
        const PLAIN: [DType; 14] = [
            DType::Bool,
            DType::I8,
            DType::I16,
            DType::I32,
            DType::I64,
            DType::U8,
            DType::U16,
            DType::U32,
            DType::U64,
            DType::F32,
            DType::F64,
            DType::Date32,
            DType::Timestamp,
            DType::Opaque,
        ];
        let what = "a type (such as `i64`)";
        let Some(&word) = self.words.get(self.at) else { return self.expected(what) };
        if let Some(dtype) = PLAIN.into_iter().find(|dtype| dtype.to_string() == word) {
            self.at += 1;
            return Ok(dtype);
        }
        let parameterised = ["decimal", "dict"].contains(&word);
        if !parameterised {
            return self.expected(what);
        }
        self.at += 1;
        self.expect("(")?;
        let dtype = if word == "dict" {
            DType::Dict(self.number("a dictionary's number")?)
        } else {
            let precision = self.number("a number of digits")?;
            self.expect(",")?;
            DType::Decimal { precision, scale: self.number("a number of digits")? }
        };
        self.expect(")")?;
        Ok(dtype)
    }
}
