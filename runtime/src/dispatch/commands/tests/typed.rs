//! Input for programs that run what they read.

use super::*;
use crate::call::approval::shell::{InputLanguage, ProgramInput};

/// A tool that passes lines on to a shell: earlier ones, separated by newlines, and the last one.
fn typing(language: InputLanguage) -> DynamicTool {
    let schema = json!({"type": "object", "properties": {"data": {"type": "string"}, "earlier": {"type": "string"}}});
    DynamicTool::sync("typing", "", schema, move |arguments, call| {
        let earlier: Vec<String> =
            arguments["earlier"].as_str().unwrap_or_default().lines().map(str::to_owned).collect();
        let line = arguments["data"].as_str().unwrap_or_default();
        let input = ProgramInput {
            line,
            earlier: &earlier,
            language,
            directory: Some("/w/app"),
            parameter: "data",
            tool: "terminal",
        };
        call.approve_input_blocking(input)?;
        Ok(ToolOutput::text("typed"))
    })
}

fn typed_after(turn: &Turn, earlier: &str, line: &str) -> String {
    call(turn, "typing", &json!({"data": line, "earlier": earlier}))
}

fn shell(config: CommandApproval, set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
    with_tools([typing(InputLanguage::Shell), terminal("terminal")], config, set)
}

#[test]
fn a_line_is_judged_like_a_command() {
    let turn = shell(commands(), |s| s);
    for (line, expected) in
        [(ALLOWED, "typed"), (ASKS, "refused"), (DENIED, "denied"), ("", "typed"), ("rm x", "typed")]
    {
        assert_eq!(typed_after(&turn, "", line), expected, "{line}");
    }
    let off = shell(commands().mode(CommandMode::Off), |s| s);
    assert_eq!([ASKS, DENIED].map(|line| typed_after(&off, "", line)), ["typed", "denied"]);
}

#[test]
fn input_is_not_judged_in_a_session_without_rules() {
    let registry = Registry::new();
    registry.add(typing(InputLanguage::Shell).build().unwrap()).unwrap();
    let turn = registry.session().build().unwrap().turn_blocking(Dialect::OpenAi);
    assert_eq!(typed_after(&turn, "", DENIED), "typed");
}

#[test]
fn a_line_is_judged_after_the_lines_before_it() {
    let turn = shell(commands(), |s| s);
    for (earlier, line, expected) in [
        // What is in the lines before it has been judged before.
        (ASKS, "ls", "typed"),
        ("rm -rf \\", "/etc", "denied"),
        ("rm \\", "-rf x", "refused"),
        // The first command may have failed.
        ("cd /etc", "rm -rf .", "refused"),
        ("alias ls='rm -rf /etc'", "ls", "denied"),
        ("x=/etc", "rm -rf $x", "denied"),
        ("f() {", "rm -rf /etc; }", "denied"),
        ("cd build", "ls", "typed"),
    ] {
        assert_eq!(typed_after(&turn, earlier, line), expected, "{earlier:?}, {line:?}");
    }
}

#[test]
fn lines_that_another_program_may_have_read_hide_nothing() {
    let turn = shell(commands(), |s| s);
    for earlier in
        ["cat\nit's", "cat <<X", "echo 'abc", "cat\n#", "if true; then", "cat\nit's\nrm \\", "cat > x <<'Y'\na"]
    {
        assert_eq!(typed_after(&turn, earlier, DENIED), "denied", "{earlier:?}");
    }
    assert_eq!(typed_after(&turn, "cat\nit's\nrm \\", "-rf /etc"), "denied");
}

#[test]
fn answers_about_commands_count_for_input_and_the_other_way_round() {
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let turn = shell(commands(), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!((typed_after(&turn, "", ASKS), person.asked()), ("typed".to_owned(), 1));
    assert_eq!((typed_after(&turn, "ls", "rm -r other"), person.asked()), ("typed".to_owned(), 0));
    assert_eq!((run(&turn, ASKS), person.asked()), ("ran".to_owned(), 0));
    assert_eq!((typed_after(&turn, "cd /srv", "rm -r other"), person.asked()), ("typed".to_owned(), 1), "elsewhere");
}

#[test]
fn the_question_shows_the_line_and_where_it_is_typed() {
    let person = Person::new([]);
    let log = Arc::new(Log::default());
    let config = commands().store(Arc::new(Store::default())).log(Arc::clone(&log) as _);
    let turn = shell(config, |s| s.approver(Arc::clone(&person) as _));
    assert_eq!(typed_after(&turn, "cd src", "echo; rm -r a"), "typed");
    let asked = std::mem::take(&mut *person.asked.lock().unwrap());
    let [request] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((&*request.tool, &request.arguments), ("typing", &json!({"data": "echo; rm -r a"})));
    let [ApprovalReason::Command(reason)] = &request.reasons[..] else { panic!("{request:?}") };
    assert_eq!((&*reason.line, &*reason.parameter), ("echo; rm -r a", "data"));
    assert!(reason.line[reason.findings[0].span.range()].starts_with("-r"), "{reason:?}");
    assert!(!reason.offers(Always), "{reason:?}");
    assert_eq!(log.take(), ["echo; rm -r a: ask [\"deletion\"] allowed by person"]);
}

#[test]
fn other_languages_need_a_person() {
    let person = Person::new([ApprovalDecision::AllowOnce, ApprovalDecision::AllowForSession]);
    let turn = with_tools([typing(InputLanguage::Other)], commands(), |s| s.approver(Arc::clone(&person) as _));
    for questions in [1, 1, 0] {
        assert_eq!((typed_after(&turn, "", "print(1)"), person.asked()), ("typed".to_owned(), questions));
    }
    let alone = with_tools([typing(InputLanguage::Other)], commands(), |s| s);
    assert_eq!(typed_after(&alone, "", "print(1)"), "refused");
}
