// Validates texts with ajv and ajv-formats: node ajv.mjs FOLDER_WITH_PACKAGES INPUT. The input is a list of [keyword, value, texts].
// Prints a list of verdicts for each, or null if ajv refuses the schema.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, input] = process.argv.slice(2);
const require = createRequire(`${folder}/node_modules/`);
const Ajv = require("ajv/dist/2020").default;
const addFormats = require("ajv-formats").default;

const ajv = new Ajv({ logger: false });
addFormats(ajv);
const verdicts = JSON.parse(readFileSync(input, "utf8")).map(([keyword, value, texts]) => {
    let validate;
    try {
        validate = ajv.compile({ [keyword]: value });
    } catch {
        return null;
    }
    return texts.map((text) => validate(text));
});
console.log(JSON.stringify(verdicts));
