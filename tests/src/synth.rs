//! Synthetic projects of any size: realistic manifests made from word lists and a seed, for benchmarks and for tests that need
//! a thousand tools.

mod words;

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::random::Random;
use words::{ADJECTIVES, AREAS, CHOICES, FLAGS, INTEGERS, KINDS, LISTS, NOUNS, OBJECTS, SENTENCES, TEXTS, VERBS};

/// The maximum number of tools in a toolset.
const MAX_TOOLS: usize = 20;

/// Returns a project of `count` tools and their toolsets: path and text of each manifest. The result is the same on every machine.
pub fn project(count: usize, seed: u64) -> Vec<(String, String)> {
    let mut random = Random(seed);
    let mut names = Names::default();
    let first = random.below(AREAS.len());
    let toolsets: Vec<Toolset> = (first..first + count.div_ceil(MAX_TOOLS))
        .map(|index| {
            let (area, kind) = (AREAS[index % AREAS.len()], random.pick(KINDS));
            Toolset { name: names.claim(format!("{area}_{kind}")), area }
        })
        .collect();
    let mut files: Vec<(String, String)> = toolsets.iter().map(Toolset::file).collect();
    for index in 0..count {
        files.push(tool(&toolsets[index % toolsets.len()], &mut names, &mut random));
    }
    files
}

struct Toolset {
    name: String,
    area: &'static str,
}

impl Toolset {
    fn file(&self) -> (String, String) {
        let Self { name, area } = self;
        let text = format!(
            "#:schema ../../generated/manifest/toolset.schema.json\nname = \"{name}\"\n\
             description = \"Everyday work with the {area} service.\"\n"
        );
        (format!("manifests/toolsets/{name}.toml"), text)
    }
}

fn tool(home: &Toolset, names: &mut Names, random: &mut Random) -> (String, String) {
    let (verb, adjective, noun) = (*random.pick(VERBS), *random.pick(ADJECTIVES), *random.pick(NOUNS));
    let name = names.claim(format!("{verb}_{adjective}_{noun}"));
    let (first, rest) = verb.split_at(1);
    let mut description = format!("{}{rest} {adjective} {noun} of the {} service.", first.to_uppercase(), home.area);
    let mut next = random.below(SENTENCES.len());
    while description.len() < 200 || (description.len() < 300 && random.below(3) == 0) {
        description = description + " " + SENTENCES[next % SENTENCES.len()];
        next += 1;
    }
    let mut text = format!(
        "#:schema ../../generated/manifest/tool.schema.json\nname = \"{name}\"\ntoolset = \"{}\"\n\
         description = \"{description}\"\n",
        home.name
    );
    let mut parameters = Parameters { text: &mut text, taken: Vec::new(), noun };
    parameters.text(random, true);
    parameters.integer(random);
    parameters.flag(random);
    for _ in 0..=random.below(3) {
        match random.below(10) {
            0..3 => parameters.text(random, false),
            3..5 => parameters.integer(random),
            5..7 => parameters.choice(random),
            7..9 => parameters.list(random),
            _ => parameters.object(random),
        }
    }
    (format!("manifests/tools/{name}.toml"), text)
}

/// The tables `[params.NAME]` of one tool.
struct Parameters<'t> {
    text: &'t mut String,
    taken: Vec<&'static str>,
    /// The objects that the tool is about, in the plural.
    noun: &'static str,
}

impl Parameters<'_> {
    fn text(&mut self, random: &mut Random, required: bool) {
        let (name, about) = self.draw(random, TEXTS, |entry| entry.0);
        self.open(name, "string", about);
        self.text.push_str(if required { "required = true\nminLength = 1\n" } else { "maxLength = 200\n" });
    }

    fn integer(&mut self, random: &mut Random) {
        let (name, about, least, most) = self.draw(random, INTEGERS, |entry| entry.0);
        self.open(name, "integer", about);
        let default = least + random.below(most - least + 1);
        let _ = writeln!(self.text, "default = {default}\nminimum = {least}\nmaximum = {most}");
    }

    fn flag(&mut self, random: &mut Random) {
        let (name, about) = self.draw(random, FLAGS, |entry| entry.0);
        self.open(name, "boolean", about);
        let _ = writeln!(self.text, "default = {}", random.below(2) == 0);
    }

    fn choice(&mut self, random: &mut Random) {
        let (name, about, values) = self.draw(random, CHOICES, |entry| entry.0);
        self.open(name, "string", about);
        let _ = writeln!(self.text, "enum = {values:?}\ndefault = {:?}", random.pick(values));
    }

    fn list(&mut self, random: &mut Random) {
        let (name, about) = self.draw(random, LISTS, |entry| entry.0);
        self.open(name, "array", about);
        let _ = writeln!(self.text, "items = {{ type = \"string\" }}\nmaxItems = {}", 5 * (1 + random.below(10)));
    }

    /// Adds an object with a required string, an optional integer and an optional flag.
    fn object(&mut self, random: &mut Random) {
        let (name, about) = self.draw(random, OBJECTS, |entry| entry.0);
        self.open(name, "object", about);
        let taken = std::mem::take(&mut self.taken);
        let (text, about) = self.draw(random, TEXTS, |entry| entry.0);
        self.open(&format!("{name}.properties.{text}"), "string", about);
        self.text.push_str("required = true\n");
        let (integer, about, least, most) = self.draw(random, INTEGERS, |entry| entry.0);
        self.open(&format!("{name}.properties.{integer}"), "integer", about);
        let _ = writeln!(self.text, "minimum = {least}\nmaximum = {most}");
        let (flag, about) = self.draw(random, FLAGS, |entry| entry.0);
        self.open(&format!("{name}.properties.{flag}"), "boolean", about);
        self.taken = taken;
    }

    fn open(&mut self, path: &str, kind: &str, about: &str) {
        let about = about.replace("{}", self.noun);
        let _ = writeln!(self.text, "\n[params.{path}]\ntype = \"{kind}\"\ndescription = \"{about}\"");
    }

    /// Returns an entry of `list` whose name is not taken. Every list has more entries than a tool has parameters.
    fn draw<T: Copy>(&mut self, random: &mut Random, list: &[T], name: fn(&T) -> &'static str) -> T {
        loop {
            let entry = *random.pick(list);
            if !self.taken.contains(&name(&entry)) {
                self.taken.push(name(&entry));
                return entry;
            }
        }
    }
}

/// Names in use. The words have no digits, so a number appended to one makes a new name.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    fn claim(&mut self, wanted: String) -> String {
        let count = self.0.entry(wanted.clone()).or_default();
        *count += 1;
        if *count == 1 { wanted } else { format!("{wanted}_{count}") }
    }
}
