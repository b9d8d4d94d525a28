//! `commands.rs`: the command rules as static data, for the judge of the runtime. It has the form in which a person would write it,
//! so that a change of a rule can be reviewed.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use toolc_commands::programs::{CodeShell, Program, Rest, Runs, Session, Writes};
use toolc_commands::rules::{Conditions, ExpansionKind, InputKind, Place, Rule, ScriptEffect, Statement};

use crate::commands::{Arena, compile};
use crate::lower::Lowered;

/// Returns whether the catalog has rules, places or programs.
pub(super) fn exist(catalog: &Lowered<'_>) -> bool {
    !catalog.commands().is_empty()
}

/// Returns the module.
pub(super) fn emit(catalog: &Lowered<'_>) -> TokenStream {
    let arena = Arena::new();
    let set = compile(catalog.commands(), &arena);
    let programs = set.programs().entries().iter().map(|(name, known)| {
        let program = program(known);
        quote!((#name, &#program))
    });
    let places = set.places().iter().map(place);
    let rules = set.rules().iter().map(rule);
    quote! {
        //! The command rules, with the places and programs that they name.

        use ::std::sync::LazyLock;

        use ::toolc::commands::programs::{CodeShell, Program, ProgramTable, Rest, Runs, ScriptLanguage, Session, Writes};
        use ::toolc::commands::rules::{
            Conditions, ExpansionKind, InputKind, Place, Rule, RuleSet, ScriptEffect, Statement, Verdict,
        };

        /// Returns the rules, for the judge.
        pub fn rules() -> &'static RuleSet<'static> {
            static SET: LazyLock<RuleSet<'static>> = LazyLock::new(|| RuleSet::new(RULES, PLACES, PROGRAMS));
            &SET
        }

        /// The programs that run others or write files, by name.
        pub static PROGRAMS: ProgramTable<'static> = ProgramTable::new(&[#(#programs),*]);

        /// The places, in the order of the manifests.
        pub static PLACES: &[Place<'static>] = &[#(#places),*];

        /// The rules, in the order of the manifests.
        pub static RULES: &[Rule<'static>] = &[#(#rules),*];
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// Collects the fields of a struct that differ from those of its constant `EMPTY`.
#[derive(Default)]
struct Fields(Vec<TokenStream>);

impl Fields {
    fn add(&mut self, name: &str, value: Option<TokenStream>) {
        if let Some(value) = value {
            let name = ident(name);
            self.0.push(quote!(#name: #value));
        }
    }

    fn texts(&mut self, name: &str, texts: &[&str]) {
        self.add(name, (!texts.is_empty()).then(|| strings(texts)));
    }

    fn list<T>(&mut self, name: &str, items: &[T], item: impl Fn(&T) -> TokenStream) {
        let items: Vec<TokenStream> = items.iter().map(item).collect();
        self.add(name, (!items.is_empty()).then(|| quote!(&[#(#items),*])));
    }

    fn flag(&mut self, name: &str, flag: bool) {
        self.add(name, flag.then(|| quote!(true)));
    }

    /// Returns the struct. `count` is the number of its fields.
    fn of(self, name: &str, base: &str, count: usize) -> TokenStream {
        let (fields, kind, base) = (&self.0, ident(name), ident(base));
        if fields.is_empty() {
            quote!(#kind::#base)
        } else if fields.len() == count {
            quote!(#kind { #(#fields),* })
        } else {
            quote!(#kind { #(#fields,)* ..#kind::#base })
        }
    }
}

fn strings(texts: &[&str]) -> TokenStream {
    quote!(&[#(#texts),*])
}

fn program(program: &Program<'_>) -> TokenStream {
    let Program {
        name,
        value_options,
        options_first,
        last_options,
        dashless,
        directory_options,
        elsewhere,
        runs: ways,
        writes: written,
        script_language,
    } = program;
    let mut fields = Fields::default();
    fields.add("name", (!name.is_empty()).then(|| quote!(#name)));
    fields.texts("value_options", value_options);
    fields.flag("options_first", *options_first);
    fields.texts("last_options", last_options);
    fields.flag("dashless", *dashless);
    fields.texts("directory_options", directory_options);
    fields.texts("elsewhere", elsewhere);
    fields.list("runs", ways, runs);
    fields.list("writes", written, writes);
    let language = script_language.map(|language| variant("ScriptLanguage", language));
    fields.add("script_language", language.map(|language| quote!(Some(#language))));
    fields.of("Program", "EMPTY", 10)
}

fn runs(runs: &Runs<'_>) -> TokenStream {
    let shell = |shell: CodeShell| variant("CodeShell", shell);
    match *runs {
        Runs::Rest(rest) => {
            let Rest { after, skip, assignments, appends, placeholder, unless, split } = rest;
            let mut fields = Fields::default();
            fields.texts("after", after);
            fields.add("skip", (skip > 0).then(|| number(skip)));
            fields.flag("assignments", assignments);
            fields.flag("appends", appends);
            fields.texts("placeholder", placeholder);
            fields.texts("unless", unless);
            fields.texts("split", split);
            let rest = fields.of("Rest", "PLAIN", 7);
            quote!(Runs::Rest(#rest))
        }
        Runs::Code { options, shell: code, first_operand } => {
            let (options, shell) = (strings(options), shell(code));
            quote!(Runs::Code { options: #options, shell: #shell, first_operand: #first_operand })
        }
        Runs::Joined { after, skip, shell: code, unless } => {
            let (after, skip, shell, unless) = (strings(after), number(skip), shell(code), strings(unless));
            quote!(Runs::Joined { after: #after, skip: #skip, shell: #shell, unless: #unless })
        }
        Runs::Operand { skip, shell: code } => {
            let (skip, shell) = (number(skip), shell(code));
            quote!(Runs::Operand { skip: #skip, shell: #shell })
        }
        Runs::Between { starts, ends, placeholder } => {
            let (starts, ends) = (strings(starts), strings(ends));
            quote!(Runs::Between { starts: #starts, ends: #ends, placeholder: #placeholder })
        }
        Runs::Input { shell: code } => {
            let shell = shell(code);
            quote!(Runs::Input { shell: #shell })
        }
        Runs::Session(session) => {
            let Session { after, skip, with, unless, shell: code } = session;
            let mut fields = Fields::default();
            fields.texts("after", after);
            fields.add("skip", (skip > 0).then(|| number(skip)));
            fields.texts("with", with);
            fields.texts("unless", unless);
            let code = (code != CodeShell::Any).then(|| shell(code));
            fields.add("shell", code);
            let session = fields.of("Session", "PLAIN", 5);
            quote!(Runs::Session(#session))
        }
        Runs::File { after, options, unless } => {
            let (after, options, unless) = (strings(after), strings(options), strings(unless));
            quote!(Runs::File { after: #after, options: #options, unless: #unless })
        }
    }
}

fn number(number: usize) -> TokenStream {
    let literal = Literal::usize_unsuffixed(number);
    quote!(#literal)
}

fn writes(writes: &Writes<'_>) -> TokenStream {
    match *writes {
        Writes::Operands => quote!(Writes::Operands),
        Writes::OperandsUnless(options) => {
            let options = strings(options);
            quote!(Writes::OperandsUnless(#options))
        }
        Writes::LastOperandUnless(options) => {
            let options = strings(options);
            quote!(Writes::LastOperandUnless(#options))
        }
        Writes::FirstOperand => quote!(Writes::FirstOperand),
        Writes::LastOperand => quote!(Writes::LastOperand),
        Writes::LastOperandOf(subcommands) => {
            let subcommands = subcommands.iter().map(|words| strings(words));
            quote!(Writes::LastOperandOf(&[#(#subcommands),*]))
        }
        Writes::OperandsWith(options) => {
            let options = strings(options);
            quote!(Writes::OperandsWith(#options))
        }
        Writes::Values(options) => {
            let options = strings(options);
            quote!(Writes::Values(#options))
        }
        Writes::After(text) => quote!(Writes::After(#text)),
        Writes::UrlNames { with, folder } => {
            let (with, folder) = (strings(with), strings(folder));
            quote!(Writes::UrlNames { with: #with, folder: #folder })
        }
        Writes::Unpacked { with, folder } => {
            let (with, folder) = (strings(with), strings(folder));
            quote!(Writes::Unpacked { with: #with, folder: #folder })
        }
    }
}

fn place(place: &Place<'_>) -> TokenStream {
    let Place { name, description, paths, except } = place;
    let (paths, except) = (strings(paths), strings(except));
    quote!(Place { name: #name, description: #description, paths: #paths, except: #except })
}

fn rule(rule: &Rule<'_>) -> TokenStream {
    let Rule { name, description, check, verdict, can_be_exempted, low_risk, exempts, conditions: met } = rule;
    let (verdict, exempts, conditions) = (variant("Verdict", *verdict), strings(exempts), conditions(met));
    quote! {
        Rule {
            name: #name,
            description: #description,
            check: #check,
            verdict: #verdict,
            can_be_exempted: #can_be_exempted,
            low_risk: #low_risk,
            exempts: #exempts,
            conditions: #conditions
        }
    }
}

fn conditions(conditions: &Conditions<'_>) -> TokenStream {
    let mut fields = Fields::default();
    // Every field is named: a new one must not be forgotten.
    let Conditions {
        programs,
        program_in,
        without_programs,
        subcommands,
        flags,
        without_flags,
        arguments,
        ignore_case,
        certain_only,
        no_operands,
        operands_in,
        sources_in,
        values_in,
        directory_in,
        operands_outside,
        mentions,
        reads,
        input_in,
        writes,
        input,
        input_from,
        file_from,
        input_only_from,
        program_from,
        implicit_files,
        run_by,
        expansions,
        variables,
        without_variables,
        statements,
        script,
        input_lines,
        forks_itself,
    } = conditions;
    fields.texts("programs", programs);
    fields.texts("program_in", program_in);
    fields.texts("without_programs", without_programs);
    fields.list("subcommands", subcommands, |words| strings(words));
    fields.texts("flags", flags);
    fields.texts("without_flags", without_flags);
    fields.texts("arguments", arguments);
    fields.flag("ignore_case", *ignore_case);
    fields.flag("certain_only", *certain_only);
    fields.flag("no_operands", *no_operands);
    fields.texts("operands_in", operands_in);
    fields.texts("sources_in", sources_in);
    fields.texts("values_in", values_in);
    fields.texts("directory_in", directory_in);
    fields.texts("operands_outside", operands_outside);
    fields.texts("mentions", mentions);
    fields.texts("reads", reads);
    fields.texts("input_in", input_in);
    fields.texts("writes", writes);
    fields.list("input", input, |kind: &InputKind| variant("InputKind", *kind));
    fields.texts("input_from", input_from);
    fields.texts("file_from", file_from);
    fields.texts("input_only_from", input_only_from);
    fields.texts("program_from", program_from);
    fields.texts("implicit_files", implicit_files);
    fields.texts("run_by", run_by);
    fields.list("expansions", expansions, |kind: &ExpansionKind| variant("ExpansionKind", *kind));
    fields.texts("variables", variables);
    fields.texts("without_variables", without_variables);
    fields.list("statements", statements, |statement: &Statement| variant("Statement", *statement));
    fields.list("script", script, |effect: &ScriptEffect| variant("ScriptEffect", *effect));
    fields.texts("input_lines", input_lines);
    fields.flag("forks_itself", *forks_itself);
    fields.of("Conditions", "EMPTY", 33)
}

/// Returns the path of a variant without fields, whose `Debug` form is its name.
fn variant(kind: &str, value: impl std::fmt::Debug) -> TokenStream {
    let (kind, variant) = (ident(kind), ident(&format!("{value:?}")));
    quote!(#kind::#variant)
}

#[cfg(test)]
mod tests {
    use toolc_commands::programs::ScriptLanguage;

    use super::*;

    #[test]
    fn only_what_differs_from_nothing_is_written() {
        let text = |tokens: TokenStream| super::super::print(tokens, 0);
        assert_eq!(text(program(&Program::EMPTY)), "Program::EMPTY\n");
        assert_eq!(text(conditions(&Conditions::EMPTY)), "Conditions::EMPTY\n");
        let named = Program { name: "sudo", runs: &[Runs::Rest(Rest::PLAIN)], ..Program::EMPTY };
        assert_eq!(
            text(program(&named)),
            "Program { name: \"sudo\", runs: &[Runs::Rest(Rest::PLAIN)], ..Program::EMPTY }\n"
        );
        let rest = Rest { skip: 1, assignments: true, ..Rest::PLAIN };
        assert_eq!(text(runs(&Runs::Rest(rest))), "Runs::Rest(Rest { skip: 1, assignments: true, ..Rest::PLAIN })\n");
        let full = Program {
            name: "x",
            value_options: &["-a"],
            options_first: true,
            last_options: &["-a"],
            dashless: true,
            directory_options: &["-C"],
            elsewhere: &["run"],
            runs: &[Runs::File { after: &[], options: &["-f"], unless: &[] }, Runs::Session(Session::PLAIN)],
            writes: &[Writes::Operands, Writes::LastOperandOf(&[&["a", "b"]]), Writes::After("of=")],
            script_language: Some(ScriptLanguage::Awk),
        };
        let written = text(program(&full));
        assert!(
            written.contains("&[\"a\", \"b\"]")
                && written.contains("Writes::After(\"of=\")")
                && written.contains("Runs::Session(Session::PLAIN)")
                && !written.contains(".."),
            "{written}"
        );
    }
}
