// The program of a plugin, for a host in Rust: `executable = "run"` in plugin.toml, where `run` starts `node dist/plugin.js`.
import { serve } from "@toolc/runtime/plugin";

import { Notes } from "./notes.ts";
import { handlers } from "./notes-tools/index.ts";

await serve(handlers({ notes: new Notes() }));
