use super::*;

const BILLING: &[(&str, &str)] = &[
    ("list_invoices", "List the invoices of a customer, newest first. Returns numbers."),
    ("show_invoice", "Show one invoice, with each of its lines and the person who has written it"),
];
const MAIL: &[(&str, &str)] = &[("send_mail", "")];

fn toolsets() -> Vec<ListedToolset<'static>> {
    vec![
        ListedToolset { name: "billing", description: "Invoices and payments. More text.", tools: BILLING.to_vec() },
        ListedToolset { name: "mail", description: "", tools: MAIL.to_vec() },
    ]
}

#[test]
fn a_short_list_has_the_first_sentence_of_each_tool() {
    let expected = "\
billing:
- list_invoices: List the invoices of a customer, newest first.
- show_invoice: Show one invoice, with each of its lines and the person who…
mail:
- send_mail";
    assert_eq!(write(&toolsets(), 1_000), expected);
}

#[test]
fn the_toolset_that_takes_the_most_space_is_shortened_first() {
    let full = write(&toolsets(), 1_000);
    let names = "billing: list_invoices, show_invoice\nmail:\n- send_mail";
    assert_eq!(write(&toolsets(), estimated_tokens(full.len()) - 1), names);
    assert_eq!(write(&toolsets(), 12), "billing: list_invoices, show_invoice\nmail (1)");
    for max in [0, 9, 11] {
        let counts = "billing (2): Invoices and payments.\nfurther toolsets: 1 (tools in them: 1)";
        assert_eq!(write(&toolsets(), max), counts);
    }
}

#[test]
fn every_list_fits_and_shows_as_much_as_it_can() {
    let names: Vec<String> = (0..40).map(|at| format!("toolset_{at:02}")).collect();
    let tools: Vec<Vec<(String, String)>> = (0..40)
        .map(|at| {
            (0..=at)
                .map(|tool| (format!("tool_{at}_{tool}"), format!("Does the thing {tool} of {at}. More.")))
                .collect()
        })
        .collect();
    let toolsets: Vec<ListedToolset<'_>> = names
        .iter()
        .zip(&tools)
        .map(|(name, tools)| ListedToolset {
            name,
            description: "What it is for.",
            tools: tools.iter().map(|(name, description)| (&**name, &**description)).collect(),
        })
        .collect();
    let mut before = 0;
    for max in (400..12_000).step_by(50) {
        let list = write(&toolsets, max);
        assert!(estimated_tokens(list.len()) <= max, "{} of {max}", list.len());
        assert!(names.iter().all(|name| list.contains(&**name)), "each toolset is listed");
        assert!(list.len() + 1 >= before, "a larger list says no less");
        assert_eq!(list, write(&toolsets, max));
        before = list.len() - list.len() / 4;
    }
    assert!(write(&toolsets, 12_000).contains("- tool_39_39: Does the thing 39 of 39."));
}

#[test]
fn the_line_that_counts_further_toolsets_is_within_the_limit() {
    let names: Vec<String> = (0..400).map(|at| format!("set{at:03}")).collect();
    let tools = ["one", "two"].map(|name| (name, "Does it."));
    let listed = |name| ListedToolset { name, description: "", tools: tools.to_vec() };
    let toolsets: Vec<ListedToolset<'_>> = names.iter().map(|name| listed(&**name)).collect();
    for max in 14..1_200 {
        let list = write(&toolsets, max);
        assert!(estimated_tokens(list.len()) <= max, "{} tokens of {max}", estimated_tokens(list.len()));
        let (count, end) = (list.lines().count(), list.lines().last().unwrap());
        if list.contains("further") {
            let left = 401 - count;
            assert_eq!(end, format!("further toolsets: {left} (tools in them: {})", 2 * left));
            assert!(estimated_tokens(list.len() + "set000 (2)\n".len()) > max, "one more fits into {max}");
        }
    }
}

#[test]
fn sentences_end_where_their_language_ends_them_and_stay_on_one_line() {
    for (text, sentence) in [
        ("Reads a file. Then more.", "Reads a file."),
        ("Reads v1.2 of a\n file!\nMore", "Reads v1.2 of a file!"),
        ("No end\n\nAnother paragraph.", "No end"),
        ("读取文件。然后更多。", "读取文件。"),
        ("  \n ", ""),
        ("Hidden\u{202e} text\u{7}.", r"Hidden\u{202e} text\u{7}."),
    ] {
        assert_eq!(first_sentence(text), sentence, "{text:?}");
    }
    let long = first_sentence(&"ä".repeat(200));
    assert_eq!(long.chars().count(), 60);
    assert!(long.ends_with('…'));
    assert_eq!(first_sentence(&"ä".repeat(60)), "ä".repeat(60));
}
