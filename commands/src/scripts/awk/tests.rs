//! What scripts of awk do.

use crate::scripts::name::shown;
use crate::scripts::{Effects, Name, ScriptLanguage, placeholder};

fn effects(script: &str) -> Effects {
    ScriptLanguage::Awk.read(&script.replace('~', &placeholder(0).to_string()))
}

#[test]
fn scripts_that_run_commands() {
    for script in [
        "BEGIN{system(\"id\")}",
        "BEGIN { system (\"id\") }",
        "BEGIN{print \"id\" | s}",
        "{ print | \"sh\" }",
        "BEGIN{\"date\" | getline x}",
        "BEGIN{\"id\"|getline}",
        "BEGIN{print |& \"sh\"}",
        "BEGIN{x = \"\\\"\"; system(\"id\")}",
        "/\"/{system(\"id\")}",
        "{ if (x) /\"/; system(\"id\") # \"/\n}",
        "$1/2{system(\"id\")} # /",
        "/[/]/{system(\"id\")}",
        "# \"\n{system(\"id\")}",
        "@load \"x\"\nBEGIN{x()}",
        "BEGIN{f = \"system\"; @f(\"id\")}",
        "function g(a) { return a / 2 } BEGIN { system(\"/x/\") }",
    ] {
        assert!(effects(script).runs, "{script}");
    }
}

#[test]
fn scripts_that_do_not() {
    for script in [
        "{print $1 \"|\" $2}",
        "{printf \"%s|%s\\n\", $1, $2}",
        "/system\\(/ {print}",
        "/a|b/ {n++} END {print n}",
        "$1 > 5 || $2 < 3",
        "{print (a > b)}",
        "{if ($1 > 2) print $1}",
        "BEGIN{print \"system(x)\"}",
        "NR==~",
        "NR>=~ && NR<=~{print}",
        "~ {print}",
        "{system = 1}",
        "{a[$1]++} END {for (k in a) print a[k] / n \"/\" k}",
        "{gsub(/[|\\/]/, \"_\"); print}",
        "@include \"lib.awk\"",
    ] {
        assert_eq!(effects(script), Effects::default(), "{script}");
    }
}

fn names(names: &[Name]) -> String {
    names.iter().map(shown).collect::<Vec<_>>().join(" ")
}

#[test]
fn files_that_a_script_writes() {
    for (script, files) in [
        ("BEGIN{print \"x\" > \"/etc/cron.d/y\"}", "/etc/cron.d/y"),
        ("{print>>\"a_b\"}", "a_b"),
        ("{printf \"x\", 1 > \"/etc/\" \"x\"; next}", "/etc/x"),
        ("{print > $1 \".txt\"}", "^.txt"),
        ("{print > $(NF - 1) \".txt\"}", "^.txt"),
        ("BEGIN{f = \"/etc/x\"; print 1 > f}", "/etc/x =f"),
        ("{print > (\"/etc/\" $1)}", "/etc/^"),
        ("{print > f \"/x\"}", "%f/x"),
        ("{print > ENVIRON[\"X\"] \"/y\"}", "$X/y"),
        ("{print > ENVIRON[k]}", "?"),
        ("{print > FILENAME \".new\"}", "&.new"),
        ("{print > ARGV[1]}", "&"),
        ("BEGIN{d = \"/etc\"; f = d \"/x\"; print > f}", "/etc/x =d/x =f"),
        ("BEGIN{f = \"/etc\"; f = f \"/x\"; print > f}", "/etc /etc/x =f"),
        ("{print > (n > 1 ? \"a\" : \"b\")}", "a b"),
        ("{print > sprintf(\"%s/x%03d\", \"/etc\", NR)}", "/etc/x#"),
        ("{print > sprintf(\"%cetc\", 47)}", "?etc"),
        ("{print > \"part\" ++n \".txt\"}", "part#.txt"),
        ("{print > \"part\" n + 1 \".txt\"}", "part#.txt"),
        ("{print > substr(\"x/etc\", 2)}", "?"),
        ("{print > substr($1, 2) \".txt\"}", "^.txt"),
        ("BEGIN{split(\"/etc /x\", a); print > a[1] a[2]}", "## #? ?# ??"),
        ("BEGIN{split($0, a); print > a[1] \"/x\"}", "#/x ^/x"),
        ("{f = $1; gsub(/a/, \"/etc\", f); print > f}", "^ ? =f"),
        ("{a[\"x\"] = \"/etc\"; print > a[$1]}", "/etc #"),
        ("BEGIN{a[\"/etc/x\"]; for (k in a) print > k}", "/etc/x # =k"),
        ("function w(f) { print > f } BEGIN{w(\"/etc/x\")}", "/etc/x =f"),
        ("function p() { return \"/etc/x\" } BEGIN{print > p()}", "/etc/x #"),
        ("{$1 = \"/etc/x\"; print > $1}", "/etc/x ^"),
        ("{print > \"\\057etc\\x2fx\"}", "/etc/x"),
        ("{print > (f = \"/etc/x\")}", "/etc/x"),
        ("{if (x) print > \"a\"; else print > \"b\"}", "a b"),
        ("{n += $1 > 2; print n > \"a\"}", "a"),
    ] {
        assert_eq!(names(&effects(script).writes), files, "{script}");
    }
}

#[test]
fn files_that_a_script_reads() {
    for (script, files) in [
        ("BEGIN { while ((getline line < \"/etc/x\") > 0) n++ }", "/etc/x"),
        ("BEGIN{getline<\"/etc/x\"; print}", "/etc/x"),
        ("BEGIN{f = \"/etc/x\"; getline l < f}", "/etc/x =f"),
        ("BEGIN{getline l < (\"/etc/\" $1)}", "/etc/ /etc/^"),
        ("BEGIN{while ((getline l < (ENVIRON[\"HOME\"] \"/x\")) > 0) n++}", "$HOME $HOME/x"),
        ("BEGIN{while (getline l < \"x\" > 0) n++}", "x"),
        ("BEGIN{ARGV[1] = \"/etc/x\"; ARGC = 2} {print}", "/etc/x"),
    ] {
        assert_eq!(names(&effects(script).reads), files, "{script}");
    }
    for script in ["{getline; if ($1 < \"x\") print}", "BEGIN{while ((getline) > 0) n++; print n < \"x\"}"] {
        assert!(effects(script).reads.is_empty(), "{script}");
    }
}

#[test]
fn scripts_with_unknown_statements() {
    for script in ["~", "{print}~", "BEGIN{~}", "{x = 1; ~}"] {
        assert!(effects(script).unknown, "{script}");
    }
}
