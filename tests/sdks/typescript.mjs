// Checks programs of TypeScript. Reads JSON from the file that is named on the command line: a list of programs, each an object of
// files. Prints JSON: for each program its errors, and what its declarations consist of.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [, , packages, input] = process.argv;
const ts = createRequire(path.join(packages, "index.js"))("typescript");

const options = {
    strict: true,
    noEmit: true,
    types: [],
    lib: ["lib.es2020.d.ts"],
    target: ts.ScriptTarget.ES2020,
    module: ts.ModuleKind.ES2020,
};
const base = ts.createCompilerHost(options);
const libraries = new Map();

function check(files) {
    const sources = new Map();
    for (const [name, text] of Object.entries(files)) {
        sources.set(name, ts.createSourceFile(name, text, options.target, true));
    }
    const library = (name, ...rest) => {
        if (!libraries.has(name)) libraries.set(name, base.getSourceFile(name, ...rest));
        return libraries.get(name);
    };
    const host = {
        ...base,
        getSourceFile: (name, ...rest) => sources.get(name) ?? library(name, ...rest),
        fileExists: (name) => sources.has(name) || base.fileExists(name),
        getCurrentDirectory: () => "/",
    };
    const program = ts.createProgram([...sources.keys()], options, host);
    const errors = ts.getPreEmitDiagnostics(program).map((found) => ({
        file: found.file?.fileName ?? "",
        line: found.file ? found.file.getLineAndCharacterOfPosition(found.start).line : 0,
        message: ts.flattenDiagnosticMessageText(found.messageText, " "),
    }));
    const declared = [...sources.values()].filter((file) => file.isDeclarationFile).map(contents);
    return { errors, declared };
}

// Returns what a file of declarations consists of.
function contents(file) {
    const out = { statements: [], members: [], strings: [], directives: (file.commentDirectives ?? []).length };
    for (const statement of file.statements) {
        out.statements.push(ts.isModuleDeclaration(statement) ? `namespace ${statement.name.text}` : ts.SyntaxKind[statement.kind]);
        for (const member of statement.body?.statements ?? []) {
            const kind = ts.isFunctionDeclaration(member) ? "function" : ts.isTypeAliasDeclaration(member) ? "type" : ts.SyntaxKind[member.kind];
            out.members.push(`${kind} ${member.name?.text}`);
        }
    }
    const visit = (node) => {
        if (ts.isPropertySignature(node) || ts.isStringLiteral(node)) out.strings.push(ts.isStringLiteral(node) ? node.text : node.name.text);
        ts.forEachChild(node, (child) => {
            if (!(ts.isPropertySignature(node) && child === node.name)) visit(child);
        });
    };
    visit(file);
    return out;
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(input, "utf8")).map(check)));
