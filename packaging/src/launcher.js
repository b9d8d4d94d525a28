#!/usr/bin/env node
// Runs `{{ program }}`. The program is in a package of its own for each platform, which npm installs as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");

const place = `${process.platform}-${process.arch}`;
const name = `@toolc/{{ program }}-${place}`;

function fail(message) {
  console.error(`{{ program }}: ${message}`);
  process.exit(1);
}

function find() {
  const file = process.platform === "win32" ? "{{ program }}.exe" : "{{ program }}";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    const known = Object.keys(require("../package.json").optionalDependencies);
    fail(
      known.includes(name)
        ? `the package ${name} is missing: install {{ program }} again, without \`--omit=optional\``
        : `no package has the program for ${place}: compile it with cargo`,
    );
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit" });

// A terminal sends these to both processes: the program decides what they mean.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => {});
}
// These are sent to this process only.
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

child.on("error", (error) => fail(`failed to run ${child.spawnfile}: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  // Ends as the program did.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
