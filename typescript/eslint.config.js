// @ts-check
import { defineConfig } from "eslint/config";
import { existsSync } from "node:fs";
import tseslint from "typescript-eslint";

const PROJECTS = ["tsconfig.json", "tsconfig.test.json"];

/** Whether the libraries are installed and the examples are copied. Without their types, nothing that uses them can be checked. */
const hasLibraries = existsSync("test/libraries/dist");

export default defineConfig(
  { ignores: ["dist/", "bench/", "examples/", "**/node_modules/", "test/libraries/dist/", ...(hasLibraries ? [] : ["test/libraries/**/*.ts"])] },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  { languageOptions: { parserOptions: { project: [...PROJECTS, ...(hasLibraries ? ["test/libraries/tsconfig.json"] : [])] } } },
  {
    rules: {
      "@typescript-eslint/consistent-indexed-object-style": "off",
      "max-lines": ["error", 600],
      "max-lines-per-function": ["error", 60],
      "no-console": "off",
    },
  },
  // The functions of `node:test` return promises that it awaits itself.
  { files: ["test/**"], rules: { "@typescript-eslint/no-floating-promises": "off" } },
  {
    files: ["**/*.js"],
    rules: {
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
