import type { Family } from "../src/model/output/family.js";
import { findEnforcement } from "../src/model/output/structure/output-structure.js";

/**
 * What is derived from the files of src/model/output/families. `write-family-tables.ts` writes it, a test compares it.
 */

const COMMAND = "npm run docs:families";

/** `kimi-k2` of kimi-k2.ts exports `kimiK2`. */
const exportName = (file: string): string => file.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Returns the text of src/model/output/family-registry.ts.
 *
 * @param files names of the files in families/, without `.ts`
 */
export function registrySource(files: readonly string[]): string {
  const sorted = files.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const imports = sorted.map((file) => `import { ${exportName(file)} } from "./families/${file}.js";\n`);
  const items = sorted.map((file) => `  ${exportName(file)},\n`);
  return `// Written by \`${COMMAND}\` from the files of families/.\n${imports.join("")}
/** Every family of models, by file name. */
export const FAMILIES = [\n${items.join("")}] as const;\n`;
}

export interface ParserNames {
  readonly calls: readonly string[];
  readonly reasoning: readonly string[];
}

/** Returns the names of the families: those published before in their order, then new ones. */
export function listParserNames(families: readonly Family[], published: ParserNames): ParserNames {
  const order = (names: readonly string[], before: readonly string[]): readonly string[] => [
    ...before.filter((name) => names.includes(name)),
    ...names.filter((name) => !before.includes(name)),
  ];
  const calls = families.filter((family) => family.calls !== undefined).map(({ name }) => name);
  const reasoning = families.filter((family) => family.reasoning !== undefined).map(({ name }) => name);
  return { calls: order(calls, published.calls), reasoning: order(reasoning, published.reasoning) };
}

/** Returns the text of src/config/schema/parser-names.ts. */
export function parserNamesSource({ calls, reasoning }: ParserNames): string {
  const list = (names: readonly string[]): string => `[\n${names.map((name) => `  "${name}",\n`).join("")}] as const`;
  return `// Written by \`${COMMAND}\` from src/model/output/families. Names keep the order in which they were published.

/** Families of tool calls. */
export const TOOL_CALL_PARSERS = ${list(calls)};

/** Families of reasoning. */
export const REASONING_PARSERS = ${list(reasoning)};
`;
}

/** Returns docs/explanation/output-parsing.md with its tables of families written anew. */
export function writeTables(page: string, families: readonly Family[], names: ParserNames): string {
  const byName = new Map(families.map((family) => [family.name, family]));
  const find = (list: readonly string[]): readonly Family[] => list.flatMap((name) => byName.get(name) ?? []);
  const withCalls = replaceTable(page, "tool_call_parser", callTable(find(names.calls)));
  return replaceTable(withCalls, "reasoning_parser", reasoningTable(find(names.reasoning)));
}

function replaceTable(page: string, key: string, table: string): string {
  const pattern = new RegExp(`(<!-- ${key}: .*? -->\n)[^]*?(<!-- end -->)`);
  if (!pattern.test(page))
    throw new Error(`docs/explanation/output-parsing.md has no table between "<!-- ${key}: … -->" and "<!-- end -->"`);
  return page.replace(pattern, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}

function callTable(families: readonly Family[]): string {
  const rows = families.flatMap((family) => {
    if (family.calls === undefined) return [];
    const { models, call, arguments: spelled } = family.calls.docs;
    return [[`\`${family.name}\``, models, call, spelled, describeEnforcement(family)]];
  });
  return markdownTable(["name", "models", "a call", "arguments", "enforced"], rows);
}

const ENFORCED = { always: "yes", "if required": "if a call is required", never: "no" } as const;

/** A structure is asked for any marker here: whether there is one does not depend on the model. */
function describeEnforcement(family: Family): string {
  const structure = "output" in family ? family.structure : family.calls?.structure;
  return ENFORCED[findEnforcement(typeof structure === "function" ? structure(() => false) : structure)];
}

function reasoningTable(families: readonly Family[]): string {
  const rows = families.map(({ name, reasoning }) => [`\`${name}\``, reasoning?.docs ?? ""]);
  return markdownTable(["name", "markers"], rows);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
