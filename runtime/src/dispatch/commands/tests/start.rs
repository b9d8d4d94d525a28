//! Where a command starts: its handlers get the directory in which it was judged.

use super::*;
use crate::args::Slots;
use crate::call::Call;
use crate::call::found_directory::FoundDirectory;
use crate::data::catalog::{Definition, Tool, Toolset};
use crate::provider::{HandlerReply, StartDirectory, ToolProvider, start_directory};
use crate::result::error::ToolError;

/// Returns a tool whose result is the directory in which the command was judged.
fn showing() -> DynamicTool {
    let schema =
        json!({"type": "object", "properties": {"command": {"type": "string"}, "workdir": {"type": "string"}}});
    let shown = |call: &Call<'_>| Ok(ToolOutput::text(format!("{:?}", call.start_directory())));
    DynamicTool::sync("terminal", "", schema, move |_, call| shown(call)).shell("command")
}

type Find = fn(&Call<'_>) -> Result<FoundDirectory, ToolError>;

/// A provider whose handlers find the directory.
struct Finding(Box<dyn ToolProvider>, Find);

impl ToolProvider for Finding {
    fn tools(&self) -> &[Tool] {
        self.0.tools()
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.0.definitions(dialect)
    }

    fn toolsets(&self) -> &[Toolset] {
        self.0.toolsets()
    }

    fn start_directory<'a>(&'a self, _: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> Option<StartDirectory<'a>> {
        let _ = args;
        let find = self.1;
        Some(start_directory(call, find))
    }

    fn call<'a>(&'a self, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        self.0.call(index, args, call)
    }
}

fn finding(find: Find, person: &Arc<Person>) -> Turn {
    let registry = Registry::new();
    registry.add(Box::new(Finding(showing().build().unwrap(), find))).unwrap();
    let session = registry.session().commands(commands()).approver(Arc::clone(person) as _);
    session.build().unwrap().turn_blocking(Dialect::OpenAi)
}

#[test]
fn a_handler_gets_the_directory_in_which_its_command_was_judged() {
    let person = Person::new([]);
    let turn = with_tools([showing()], commands(), |s| s.approver(Arc::clone(&person) as _));
    for (workdir, expected) in
        [(json!("/srv/./x"), "Some(\"/srv/x\")"), (Value::Null, "Some(\"/w/app\")"), (json!("~me"), "None")]
    {
        assert_eq!(call(&turn, "terminal", &json!({"command": ASKS, "workdir": workdir})), expected);
        assert_eq!(format!("{:?}", person.reason().directory), expected);
    }
}

#[test]
fn a_command_is_judged_in_the_directory_that_its_handlers_find() {
    let person = Person::new([]);
    let turn = finding(|_| Ok("/usr".into()), &person);
    let arguments = json!({"command": ASKS, "workdir": "/srv"});
    assert_eq!(call(&turn, "terminal", &arguments), "Some(\"/usr\")");
    assert_eq!(person.reason().directory.as_deref(), Some("/usr"));
    assert_eq!(call(&turn, "terminal", &json!({"command": "rm -r ."})), "denied");
    let uncertain = finding(|_| Ok("/srv/../usr".into()), &person);
    call(&uncertain, "terminal", &arguments);
    assert_eq!(person.reason().directory, None);
}

#[test]
fn without_a_directory_nothing_is_asked_and_nothing_runs() {
    let person = Person::new([]);
    let missing: Find = |_| Err(ToolError::with_kind(crate::ErrorKind::NotFound, "no such folder"));
    for (find, expected) in [(missing, "not_found"), ((|_| panic!("broken")) as Find, "panicked")] {
        let turn = finding(find, &person);
        assert_eq!((&*call(&turn, "terminal", &json!({"command": ASKS})), person.asked()), (expected, 0));
    }
}

#[test]
fn the_search_for_a_directory_ends_with_the_call() {
    let person = Person::new([]);
    let hanging: Find = |call| {
        while !call.is_cancelled() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok("/usr".into())
    };
    let registry = Registry::new();
    registry.add(Box::new(Finding(showing().build().unwrap(), hanging))).unwrap();
    let session = registry.session().commands(commands()).approver(Arc::clone(&person) as _);
    let session = session.timeout(std::time::Duration::from_millis(20)).build().unwrap();
    let turn = session.turn_blocking(Dialect::OpenAi);
    assert_eq!((&*call(&turn, "terminal", &json!({"command": ASKS})), person.asked()), ("timeout", 0));
}
