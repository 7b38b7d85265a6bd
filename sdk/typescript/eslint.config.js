import js from "@eslint/js";
import tseslint from "typescript-eslint";

const GLOBALS = ["AbortController", "Buffer", "TextEncoder", "URL", "console", "crypto", "fetch", "process", "setTimeout"];

export default tseslint.config(
  { ignores: ["dist/", "src/schema.ts", "test/runtimes/"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // The strings of the API stay comparable when a newer server adds one.
      "@typescript-eslint/no-unnecessary-condition": "off",
    },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: Object.fromEntries(GLOBALS.map((name) => [name, "readonly"])) },
  },
);
