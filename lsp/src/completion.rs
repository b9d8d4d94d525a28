//! Completion: keys of the table at the cursor, words, and names.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind, TextEdit,
};
use toolc_codegen::Sources;
use toolc_codegen::lint::all_codes;
use toolc_codegen::manifest::keys::{Key, KeyType};
use toolc_codegen::source::{Kind, Source};

use crate::names::{declared, own_names};
use crate::scan::{Role, Scan, Slot, scan};
use crate::text::{self, Encoding};
use crate::vocabulary::{Target, key, keys, target};

/// The names of the JSON types.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// The words of conditions.
const CONDITION: [&str; 5] = ["tools.", "facts.", "and", "or", "not"];

/// The maximum number of items of a list.
const MAX_ITEMS: usize = 1_000;

/// Where completion was asked for.
struct Place<'s> {
    sources: &'s Sources,
    kind: Kind,
    text: &'s str,
    offset: usize,
    whole: Scan,
    encoding: Encoding,
}

/// Something that can be written.
struct Item {
    label: String,
    insert: String,
    kind: CompletionItemKind,
    detail: Option<String>,
    doc: String,
}

impl Item {
    fn name(target: Target, name: String) -> Self {
        Self {
            insert: name.clone(),
            label: name,
            kind: CompletionItemKind::REFERENCE,
            detail: Some(target.noun().to_owned()),
            doc: String::new(),
        }
    }

    fn word(word: &str, doc: &str) -> Self {
        Self {
            label: word.to_owned(),
            insert: word.to_owned(),
            kind: CompletionItemKind::ENUM_MEMBER,
            detail: None,
            doc: doc.to_owned(),
        }
    }
}

/// Returns what can be written at a byte of a file, and whether the list is not complete.
pub(crate) fn complete(
    sources: &Sources,
    source: &Source,
    offset: usize,
    encoding: Encoding,
) -> (Vec<CompletionItem>, bool) {
    let (Some(kind), Some(before)) = (source.kind, source.text.get(..offset)) else { return (Vec::new(), false) };
    let place = Place { sources, kind, text: &source.text, offset, whole: scan(&source.text), encoding };
    let (items, start) = match scan(before).slot {
        Slot::None => return (Vec::new(), false),
        Slot::Header { path, start } => (place.tables(&path), start),
        Slot::Key { path, start } => (place.keys(&path), start),
        Slot::Value { path, start, quoted } => place.values(&path, start, quoted),
    };
    let typed = place.text.get(start..offset).unwrap_or_default().to_lowercase();
    let mut items: Vec<Item> = items.into_iter().filter(|item| item.label.to_lowercase().contains(&typed)).collect();
    let is_cut = items.len() > MAX_ITEMS;
    items.truncate(MAX_ITEMS);
    (items.into_iter().map(|item| place.shown(item, start)).collect(), is_cut)
}

impl Place<'_> {
    fn shown(&self, item: Item, start: usize) -> CompletionItem {
        let range = text::range(self.text, &(start..self.offset), self.encoding);
        let documentation = MarkupContent { kind: MarkupKind::Markdown, value: item.doc };
        CompletionItem {
            filter_text: Some(item.label.clone()),
            label: item.label,
            kind: Some(item.kind),
            detail: item.detail,
            documentation: (!documentation.value.is_empty()).then_some(Documentation::MarkupContent(documentation)),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, item.insert))),
            ..CompletionItem::default()
        }
    }

    /// Returns the names that are keys of the table at a path.
    fn named_keys(&self, path: &[String]) -> Vec<Item> {
        let any = [path, &["*".to_owned()]].concat();
        if let Some(target) = target(self.kind, &any, true).filter(|target| *target != Target::Parameter) {
            return self.names(target);
        }
        let is_levels = self.kind == Kind::Settings && path == ["lint"];
        let codes = is_levels.then(|| all_codes().filter(|code| !code.is_fixed()));
        codes.into_iter().flatten().map(|code| Item::word(code.name, &code.docs().what)).collect()
    }

    fn is_written(&self, table: &[String], name: &str) -> bool {
        let nodes = self.whole.nodes.iter().filter(|node| matches!(node.role, Role::Header | Role::Key));
        let mut same = nodes.filter(|node| node.path.len() == table.len() + 1 && node.path.starts_with(table));
        same.any(|node| {
            node.path.last().is_some_and(|last| last == name)
                && !(node.range.start..=node.range.end).contains(&self.offset)
        })
    }

    fn keys(&self, path: &[String]) -> Vec<Item> {
        // The items of an array of tables have the same path.
        let is_list = key(self.kind, path)
            .is_some_and(|key| matches!(key.key_type, KeyType::List(_) | KeyType::Choices | KeyType::Schemas));
        let is_missing = |key: &&&Key| is_list || !self.is_written(path, key.name);
        let follows = self
            .text
            .get(self.offset..)
            .unwrap_or_default()
            .trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        let has_value = follows.trim_start_matches(' ').starts_with('=');
        let keys = keys(self.kind, path);
        let item = |key: &&Key| Item {
            label: key.name.to_owned(),
            insert: if has_value { key.name.to_owned() } else { format!("{} = ", key.name) },
            kind: CompletionItemKind::PROPERTY,
            detail: Some(format!("{}{}", key.key_type.expected(), if key.required { ", required" } else { "" })),
            doc: key.documentation(),
        };
        keys.iter().filter(is_missing).map(item).chain(self.named_keys(path)).collect()
    }

    /// Returns the keys whose values are tables, for a header.
    fn tables(&self, path: &[String]) -> Vec<Item> {
        let is_table = |key: &&&Key| {
            matches!(
                key.key_type,
                KeyType::Table(_)
                    | KeyType::Tables(_)
                    | KeyType::List(_)
                    | KeyType::WordsByName(_)
                    | KeyType::Percents
                    | KeyType::Schema
                    | KeyType::Properties
                    | KeyType::FlagOrSchema
                    | KeyType::TextsByName
                    | KeyType::FactValues
            )
        };
        let item = |key: &&Key| Item {
            label: key.name.to_owned(),
            insert: key.name.to_owned(),
            kind: CompletionItemKind::STRUCT,
            detail: Some(key.key_type.expected().to_owned()),
            doc: key.documentation(),
        };
        keys(self.kind, path).iter().filter(is_table).map(item).chain(self.named_keys(path)).collect()
    }

    /// Returns the values of the key at a path, and where what they replace starts.
    fn values(&self, path: &[String], start: usize, quoted: bool) -> (Vec<Item>, usize) {
        let quote = |mut item: Item| {
            if !quoted {
                item.insert = format!("\"{}\"", item.insert);
            }
            item
        };
        if let Some(target) = target(self.kind, path, false) {
            return (self.names(target).into_iter().map(quote).collect(), start);
        }
        let of_name = path.split_last().and_then(|(_, table)| key(self.kind, table)).map(|key| key.key_type);
        let key_type = key(self.kind, path).map(|key| key.key_type);
        let words = |words: &[(&str, &str)]| words.iter().map(|(word, doc)| quote(Item::word(word, doc))).collect();
        match (key_type, of_name) {
            (Some(KeyType::Word(list) | KeyType::Words(list)), _) | (None, Some(KeyType::WordsByName(list))) => {
                (words(list), start)
            }
            (Some(KeyType::Types), _) => (TYPES.iter().map(|word| quote(Item::word(word, ""))).collect(), start),
            (Some(KeyType::Flag | KeyType::FlagOrSchema), _) if !quoted => {
                (["true", "false"].iter().map(|word| Item::word(word, "")).collect(), start)
            }
            (Some(KeyType::Reference), _) => (self.definitions().into_iter().map(quote).collect(), start),
            (Some(KeyType::Condition), _) if quoted => self.condition(start),
            (Some(KeyType::Template | KeyType::Text), _) if quoted => self.in_text(start),
            _ => (Vec::new(), start),
        }
    }

    fn names(&self, target: Target) -> Vec<Item> {
        let names = match target {
            Target::Parameter => own_names(self.kind, &self.whole, self.text, target),
            target => declared(self.sources, target),
        };
        names.into_iter().map(|name| Item::name(target, name)).collect()
    }

    fn definitions(&self) -> Vec<Item> {
        let nodes =
            self.whole.nodes.iter().filter(|node| {
                node.path.len() == 3 && node.path.starts_with(&["schema".to_owned(), "$defs".to_owned()])
            });
        let mut names: Vec<&str> =
            nodes.filter(|node| node.role != Role::Other).map(|node| node.path[2].as_str()).collect();
        names.dedup();
        names.into_iter().map(|name| Item::word(&format!("#/$defs/{name}"), "")).collect()
    }

    /// Returns what a condition can continue with.
    fn condition(&self, start: usize) -> (Vec<Item>, usize) {
        let before = &self.text[start..self.offset];
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let word = self.offset - (before.len() - before.trim_end_matches(is_letter).len());
        let lead = &self.text[start..word];
        for (prefix, target) in [("tools.", Target::Tool), ("facts.", Target::Fact)] {
            if lead.ends_with(prefix) {
                return (self.names(target), word);
            }
        }
        (CONDITION.iter().map(|word| Item::word(word, "")).collect(), word)
    }

    /// Returns what a text can continue with: within braces a condition, within backticks a name.
    fn in_text(&self, start: usize) -> (Vec<Item>, usize) {
        let before = &self.text[start..self.offset];
        let opened = ["{%", "{{"].into_iter().filter_map(|mark| before.rfind(mark)).max();
        let closed = ["%}", "}}"].into_iter().filter_map(|mark| before.rfind(mark)).max();
        if let Some(opened) = opened.filter(|opened| closed.is_none_or(|closed| closed < *opened)) {
            return self.condition(start + opened);
        }
        let line = before.rsplit('\n').next().unwrap_or_default();
        if line.matches('`').count().is_multiple_of(2) {
            return (Vec::new(), start);
        }
        let word = start + before.rfind('`').map_or(0, |at| at + 1);
        let names = [Target::Parameter, Target::Tool].into_iter().flat_map(|target| self.names(target));
        (names.collect(), word)
    }
}
