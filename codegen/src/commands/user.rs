//! Reads a user's own rules, which are added to those of the host.

use toolc_commands::rules::RuleSet;

use super::check::{Scope, Trust, check};
use super::compile::{Arena, added};
use crate::diagnostic::{InvalidFile, Sink};
use crate::manifest;
use crate::source::Sources;

/// The path of a manifest as which a user's file is read.
pub(crate) const PLACE: &str = "manifests/commands/rules.toml";

/// Adds what a user's file declares to the rules of the host. The result borrows from the arena.
///
/// The file is a manifest of command rules; `name` and `description` are optional. Only the user can describe programs and what they
/// need, and only programs that the host does not know. The examples of the rules
/// are tested, as in a project. `path` is only shown in messages.
///
/// ```
/// use toolc_codegen::commands::{Arena, Trust, with_user_rules};
/// use toolc_commands::rules::{RuleSet, Verdict};
/// use toolc_commands::{ProgramTable, Surroundings, judge};
///
/// let text = r#"
///     [[rules]]
///     name = "deploy"
///     description = "Publishes the site."
///     verdict = "ask"
///     programs = ["make"]
///     subcommands = ["deploy"]
///     matches = ["make deploy"]
///     ignores = ["make"]
/// "#;
/// let host = RuleSet::new(&[], &[], ProgramTable::EMPTY);
/// let arena = Arena::new();
/// let rules = with_user_rules(&host, ".toolc/rules.toml", text, Trust::Project, &arena).expect("the file is valid");
/// assert_eq!(judge("cd site && make deploy", &rules, &Surroundings::default()).verdict, Verdict::Ask);
/// ```
///
/// # Errors
/// Returns the findings if the file has any. None of its rules is used then.
pub fn with_user_rules<'b>(
    base: &RuleSet<'b>,
    path: &str,
    text: &str,
    trust: Trust,
    arena: &'b Arena,
) -> Result<RuleSet<'b>, InvalidFile> {
    let sources = Sources::files_at(PLACE, [(path, text)]);
    let sink = Sink::default();
    let manifests = manifest::user_rules(&sources, &sink);
    check(&Scope { manifests: &manifests, user: Some((base, trust)), is_incomplete: manifests.is_empty() }, &sink);
    sink.drop_consequences(|_| false);
    sink.into_result(&sources)?;
    Ok(added(base, &manifests, arena))
}

#[cfg(test)]
mod tests {
    use toolc_commands::programs::USUAL;
    use toolc_commands::rules::{Conditions, Place, Rule, Verdict};
    use toolc_commands::{Surroundings, judge};

    use super::*;

    /// Returns rules of a host: one to which exceptions are possible, and one to which they are not.
    fn host() -> RuleSet<'static> {
        let rule = |name, flag, verdict, can_be_exempted| Rule {
            name,
            description: "Deletes.",
            check: "",
            verdict,
            can_be_exempted,
            low_risk: false,
            optional: None,
            exempts: &[],
            conditions: Conditions { programs: &["rm"], flags: flag, ..Conditions::EMPTY },
        };
        let rules = [
            rule("recursive", &["-r"], Verdict::Ask, true),
            rule("no-root", &["--no-preserve-root"], Verdict::Deny, false),
        ];
        let place = Place { name: "system", description: "Files.", paths: &["/etc", "/etc/**"], except: &[] };
        RuleSet::new(&rules, &[place], USUAL)
    }

    fn verdict(rules: &RuleSet<'_>, line: &str) -> Verdict {
        judge(line, rules, &Surroundings::default()).verdict
    }

    /// Returns the codes and the text of the findings about a file.
    fn refused(text: &str, trust: Trust) -> (Vec<&'static str>, String) {
        let arena = Arena::new();
        let error = with_user_rules(&host(), "/home/a/rules.toml", text, trust, &arena).expect_err("it is invalid");
        (error.diagnostics().iter().map(|found| found.code.name).collect(), error.to_string())
    }

    const EXCEPTION: &str = r#"
        [[rules]]
        name = "scratch"
        description = "Deletes what I can make again."
        verdict = "allow"
        exempts = ["recursive"]
        programs = ["rm"]
        arguments = ["scratch"]
        matches = ["rm -r scratch", "sudo rm -r scratch"]
        ignores = ["rm -r other"]
    "#;

    const STRICTER: &str = r#"
        [[places]]
        name = "fixtures"
        description = "Test data that cannot be made again."
        paths = ["./fixtures/**"]

        [[rules]]
        name = "fixtures"
        description = "Changes test data."
        verdict = "deny"
        writes = ["fixtures", "system"]
        matches = ["echo x > fixtures/a", "echo x > /etc/hosts"]
    "#;

    #[test]
    fn an_exception_of_the_home_exempts_from_what_the_host_allows_it_to() {
        let arena = Arena::new();
        let rules = with_user_rules(&host(), "rules.toml", EXCEPTION, Trust::Home, &arena).expect("it is valid");
        assert_eq!(verdict(&rules, "rm -r scratch"), Verdict::Allow);
        assert_eq!(verdict(&rules, "rm -r scratch && rm -r other"), Verdict::Ask);
        assert_eq!(verdict(&rules, "rm -r --no-preserve-root scratch"), Verdict::Deny);
        assert_eq!(verdict(&host(), "rm -r scratch"), Verdict::Ask);
    }

    #[test]
    fn an_exception_is_about_everything_that_the_command_has() {
        let exception = |conditions: &str| {
            format!(
                "[[rules]]\nname = \"own\"\ndescription = \"D.\"\nverdict = \"allow\"\nexempts = [\"recursive\"]\n\
                 programs = [\"rm\"]\n{conditions}\n\n\
                 [[places]]\nname = \"builds\"\ndescription = \"B.\"\npaths = [\"./out\", \"./out/**\", \"./target/**\"]\n"
            )
        };
        let one_operand = "arguments = [\"scratch*\", \"more\"]\nmatches = [\"rm -r scratch\"]";
        let some_options =
            "flags = [\"-r\", \"-f\", \"--one-file-system\", \"--mode=safe*\"]\nmatches = [\"rm -rf x\"]";
        let inside = "operands_in = [\"builds\"]\nmatches = [\"rm -r out\"]";
        let outside = "operands_outside = [\"system\"]\nmatches = [\"rm -r out\"]";
        let subcommand = "subcommands = [\"a b\"]\narguments = [\"c\"]\nmatches = [\"rm -r a b c\"]";
        let sources = "sources_in = [\"builds\"]\nmatches = [\"rm -r out x\"]";
        let mentioned = "mentions = [\"builds\"]\nmatches = [\"rm -r out\"]";
        let closed = "only_flags = [\"-r\", \"-f\", \"--mode=safe*\", \"-[0-9]\"]\nmatches = [\"rm -rf x\"]";
        let file_input = "input_in = [\"builds\"]\nmatches = [\"rm -r x < out/a\"]";
        let variable = "variables = [\"MODE\"]\nmatches = [\"MODE=x rm -r x\"]";
        for (conditions, allowed, asked) in [
            (
                one_operand,
                &[
                    "rm -r scratch-1 more",
                    "rm -r -- scratch",
                    "rm -rf 'scratch' > log",
                    "for d in scratch more; do rm -r $d; done",
                ][..],
                &[
                    "for d in scratch src; do rm -r $d; done",
                    "rm -r scratch src",
                    "rm -r src scratch",
                    "rm -r scratch /",
                    "rm -r scratch $X",
                    "rm -r scratch \"$@\"",
                    "rm -r scratch *",
                    "rm -r scratch $(cat list)",
                    "xargs rm -r scratch",
                    "rm -r scratch -- -x",
                    "ls | xargs rm -r scratch",
                ][..],
            ),
            (
                some_options,
                &["rm -fr x", "rm --one-file-system -r x y", "rm -r --mode=safely x", "rm --mode=safe -r -- -x"],
                &["rm -rv x", "rm -r --mode=fast x", "rm -r --mode x", "rm -r --one x", "rm -rf $X", "xargs rm -r"],
            ),
            (
                inside,
                &["rm -r out target/debug ./out"],
                &["rm -r out src", "rm -r out ../out", "rm -r out $X", "rm -r out/..", "rm -r out *", "rm -r ./*/x"],
            ),
            (outside, &["rm -r out src"], &["rm -r out /etc", "rm -r out /etc/x", "rm -r out $X/y"]),
            (subcommand, &["rm -r a b c c"], &["rm -r a b", "rm -r a b c d", "rm -r b a c", "rm -r a b c a"]),
            (sources, &["rm -r out target/a src"], &["rm -r src out", "rm -r out src x", "rm -r out $X src"]),
            (mentioned, &["rm -r out ./target/x"], &["rm -r out src", "rm -r out $X", "ls out | xargs rm -r out"]),
            (
                closed,
                &[
                    "rm -r x",
                    "rm -fr $HOME/x",
                    "rm -r --mode=safest -- -x",
                    "rm -r -5 x",
                    "rm -r \"$(pwd)/x\"",
                    "rm -r ./*",
                ],
                &[
                    "rm -rv x",
                    "rm -r --mode=fast x",
                    "rm -r --mo=safe x",
                    "rm -r --mode -v",
                    "rm -r $(cat list)",
                    "rm -r *",
                    "read x; rm -r a$x",
                    "ls | xargs rm -r",
                    "rm -r \"$@\"",
                ],
            ),
            (file_input, &["rm -r x < out/a"], &["rm -r x < out/a < y", "rm -r x < $X", "rm -r out"]),
            (variable, &["MODE=1 rm -r x"], &["MODE=1 PATH=/x rm -r x", "rm -r x"]),
        ] {
            let arena = Arena::new();
            let rules = with_user_rules(&host(), "rules.toml", &exception(conditions), Trust::Home, &arena)
                .unwrap_or_else(|error| panic!("{conditions}: {error}"));
            for line in allowed {
                assert_eq!(verdict(&rules, line), Verdict::Allow, "{conditions}: {line}");
            }
            for line in asked {
                assert_eq!(verdict(&rules, line), Verdict::Ask, "{conditions}: {line}");
            }
        }
    }

    #[test]
    fn an_exception_that_names_no_written_files_does_not_lift_what_a_redirection_writes() {
        let writing = |extra: &str| {
            format!(
                "[[rules]]\nname = \"hosts\"\ndescription = \"D.\"\nverdict = \"ask\"\ncan_be_exempted = true\n\
                 writes = [\"system\"]\nmatches = [\"cat > /etc/hosts\"]\n\n\
                 [[rules]]\nname = \"echo\"\ndescription = \"D.\"\nverdict = \"allow\"\nexempts = [\"hosts\"]\n\
                 programs = [\"echo\"]\narguments = [\"x\"]\n{extra}\nmatches = [\"echo x > /etc/hosts\"]\n"
            )
        };
        let arena = Arena::new();
        with_user_rules(&host(), "rules.toml", &writing("writes = [\"system\"]"), Trust::Home, &arena)
            .expect("it is valid");
        assert_eq!(refused(&writing(""), Trust::Home).0, ["failing-example"]);
    }

    #[test]
    fn stricter_rules_and_new_places_come_from_anywhere() {
        for trust in [Trust::Home, Trust::Project] {
            let arena = Arena::new();
            let rules = with_user_rules(&host(), "rules.toml", STRICTER, trust, &arena).expect("it is valid");
            assert_eq!(verdict(&rules, "echo x > fixtures/a"), Verdict::Deny);
            assert_eq!(verdict(&rules, "rm -r x"), Verdict::Ask);
            assert_eq!(verdict(&rules, "ls"), Verdict::Allow);
        }
    }

    #[test]
    fn files_can_be_added_one_after_the_other() {
        let arena = Arena::new();
        let home = with_user_rules(&host(), "home.toml", EXCEPTION, Trust::Home, &arena).expect("it is valid");
        let both = with_user_rules(&home, "project.toml", STRICTER, Trust::Project, &arena).expect("it is valid");
        assert_eq!(verdict(&both, "rm -r scratch"), Verdict::Allow);
        assert_eq!(verdict(&both, "echo x > fixtures/a"), Verdict::Deny);
        let again = with_user_rules(&home, "project.toml", EXCEPTION, Trust::Home, &arena);
        assert_eq!(again.expect_err("the name is taken").diagnostics()[0].code.name, "duplicate-name");
    }

    #[test]
    fn a_project_allows_nothing() {
        let (codes, text) = refused(EXCEPTION, Trust::Project);
        assert_eq!(codes, ["invalid-value"], "{text}");
        assert!(text.contains("the rules of a project cannot allow anything"), "{text}");
        assert!(text.contains("--> /home/a/rules.toml:5:19"), "{text}");
    }

    #[test]
    fn exceptions_are_possible_only_to_what_the_host_names() {
        let to = |name: &str| refused(&EXCEPTION.replace("\"recursive\"", &format!("\"{name}\"")), Trust::Home);
        for (name, code, part) in [
            ("no-root", "invalid-value", "exceptions are possible to `recursive`"),
            ("built-code", "invalid-value", "an exception to `built-code` is not possible"),
            ("recursiv", "unknown-rule", "did you mean `recursive`?"),
            ("scratch", "invalid-value", "`scratch` is itself an exception"),
        ] {
            let (codes, text) = to(name);
            assert_eq!(codes, [code], "{name}: {text}");
            assert!(text.contains(part), "{name}: {text}");
        }
    }

    #[test]
    fn programs_and_places_of_the_host_stay_as_they_are() {
        let program = "[[programs]]\nname = \"sudo\"\nvalue_flags = [\"-x\"]\n";
        let (codes, text) = refused(program, Trust::Home);
        assert_eq!(codes, ["duplicate-name"], "{text}");
        assert!(text.contains("the host already uses this name"), "{text}");
        let (codes, text) = refused(&program.replace("sudo", "with-rights"), Trust::Project);
        assert_eq!(codes, ["invalid-value"], "{text}");
        assert!(text.contains("the rules of a project cannot describe programs"), "{text}");
        let (codes, text) = refused(&STRICTER.replace("name = \"fixtures\"", "name = \"system\""), Trust::Home);
        assert!(codes.contains(&"duplicate-name"), "{text}");
        let (codes, text) = refused(&STRICTER.replace("name = \"fixtures\"", "name = \"no-root\""), Trust::Home);
        assert!(codes.contains(&"duplicate-name"), "{text}");
    }

    #[test]
    fn only_a_user_says_what_programs_need() {
        let text = "[[programs]]\nname = \"with-rights\"\nvalue_flags = [\"-u\"]\nruns = [{ kind = \"operands\" }]\n\n\
                    [[access]]\nprograms = [\"with-rights\"]\nrights = \"user\"\nruns_apart = true\n";
        let arena = Arena::new();
        let rules = with_user_rules(&host(), "rules.toml", text, Trust::Home, &arena).expect("it is valid");
        assert_eq!(verdict(&rules, "with-rights -u x rm -r y"), Verdict::Ask);
        assert_eq!(verdict(&rules, "sudo rm -r y"), Verdict::Ask, "the programs of the host are still known");
        assert!(rules.rights_of("with-rights").is_some_and(|access| access.runs_apart));
        let again = with_user_rules(&rules, "more.toml", text, Trust::Home, &arena).expect_err("it is known");
        assert!(again.to_string().contains("the program with rights `with-rights` needs another name"), "{again}");

        let access = &text[text.find("[[access]]").expect("it is there")..];
        let (codes, text) = refused(access, Trust::Project);
        assert_eq!(codes, ["invalid-value"], "{text}");
        assert!(text.contains("cannot say what programs need") && text.contains("/home/a/rules.toml:2:"), "{text}");
        for (wrong, code, part) in [
            (access.replace("\"user\"", "\"all\""), "unknown-word", "rules.toml:3:"),
            (
                access.replace("rights = \"user\"\nruns_apart = true", ""),
                "missing-key",
                "does not say what the programs need",
            ),
            (access.replace("with-rights", "/bin/ping"), "invalid-value", "`programs` cannot contain `/bin/ping`"),
            (access.replace("with-rights", "npm publish"), "invalid-value", "`programs` cannot contain `npm publish`"),
            (
                access.replace("rights = \"user\"", "reads = [\".ssh\"]"),
                "invalid-value",
                "`reads` cannot contain `.ssh`",
            ),
            (access.replace("rights = \"user\"", "reads = [\"~/.ssh/id_*\"]"), "invalid-value", "without a pattern"),
        ] {
            let (codes, text) = refused(&wrong, Trust::Home);
            assert_eq!(codes, [code], "{text}");
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn rules_of_a_user_are_always_active() {
        let optional = STRICTER.replace("verdict = \"deny\"", "verdict = \"deny\"\n        optional = \"careful\"");
        let (codes, text) = refused(&optional, Trust::Home);
        assert_eq!(codes, ["invalid-value"], "{text}");
        assert!(text.contains("a user's rules cannot be optional"), "{text}");
    }

    #[test]
    fn an_exception_to_an_optional_rule_counts_once_its_set_is_active() {
        let unknown = Rule {
            name: "unknown",
            description: "Runs a program.",
            check: "",
            verdict: Verdict::Ask,
            can_be_exempted: true,
            low_risk: false,
            optional: Some("strict"),
            exempts: &[],
            conditions: Conditions { programs: &["*"], ..Conditions::EMPTY },
        };
        let host = RuleSet::new(&[unknown], &[], USUAL);
        let arena = Arena::new();
        let own = EXCEPTION
            .replace("recursive", "unknown")
            .replace("\"rm -r scratch\", \"sudo rm -r scratch\"", "\"rm scratch\"");
        let rules = with_user_rules(&host, "rules.toml", &own, Trust::Home, &arena).expect("it is valid");
        assert_eq!(verdict(&rules, "make"), Verdict::Allow);
        let strict = rules.with_optional(&["strict"]);
        for (line, expected) in [
            ("rm scratch", Verdict::Allow),
            ("rm other", Verdict::Ask),
            ("make", Verdict::Ask),
            ("make --help", Verdict::Ask),
            ("x=1", Verdict::Allow),
        ] {
            assert_eq!(verdict(&strict, line), expected, "{line}");
        }
    }

    #[test]
    fn examples_and_syntax_are_checked() {
        let (codes, text) = refused(&EXCEPTION.replace("\"rm -r scratch\", ", "\"rm -r more\", "), Trust::Home);
        assert_eq!(codes, ["failing-example"], "{text}");
        assert_eq!(refused("[[rules]\n", Trust::Home).0, ["syntax"]);
        assert_eq!(refused("", Trust::Home).0, ["missing-key"]);
        assert_eq!(refused("[[rules]]\nname = \"x\"\n", Trust::Home).0[..2], ["missing-key"; 2]);
    }
}
