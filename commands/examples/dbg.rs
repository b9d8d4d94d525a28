fn main() {
    let line = std::env::args().nth(1).unwrap();
    let r = toolc_commands::read(&line, &toolc_commands::programs::USUAL, &Default::default());
    for c in &r.commands {
        println!("{:?} built via {:?} app {} dir {:?}", c.program, c.via, c.appended, c.directory);
        for w in &c.words {
            println!("    {:?}", w.parts);
        }
        println!("   assign {:?}", c.assignments);
    }
    println!("{:?}", r.doubts);
}
