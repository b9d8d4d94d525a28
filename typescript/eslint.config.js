// @ts-check
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist/", "bench/", "node_modules/"] },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: ["tsconfig.json", "tsconfig.test.json"] } },
    rules: {
      "@typescript-eslint/consistent-indexed-object-style": "off",
      "max-lines": ["error", 600],
      "max-lines-per-function": ["error", 60],
      "no-console": "off",
    },
  },
  {
    files: ["**/*.js"],
    rules: {
      // The functions of `node:test` return promises that it awaits itself.
      "@typescript-eslint/no-floating-promises": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
