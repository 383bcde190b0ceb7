// Writes what is derived from src/model/output/families: registry, configuration values and the tables of docs/explanation/output-parsing.md.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Family } from "../src/model/output/family.js";
import { listParserNames, parserNamesSource, registrySource, writeTables } from "./family-tables.js";

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const FAMILIES_FOLDER = "src/model/output/families";
const PAGE = "docs/explanation/output-parsing.md";

const files = readdirSync(at(FAMILIES_FOLDER)).filter((name) => name.endsWith(".ts"));
writeFileSync(
  at("src/model/output/family-registry.ts"),
  registrySource(files.map((name) => name.slice(0, -".ts".length))),
);

// Only now: the registry that is imported is the one that was written.
const { FAMILIES }: { FAMILIES: readonly Family[] } = await import("../src/model/output/family-registry.js");
const published = await import("../src/config/schema/parser-names.js");
const names = listParserNames(FAMILIES, {
  calls: published.TOOL_CALL_PARSERS,
  reasoning: published.REASONING_PARSERS,
});
writeFileSync(at("src/config/schema/parser-names.ts"), parserNamesSource(names));
writeFileSync(at(PAGE), writeTables(readFileSync(at(PAGE), "utf8"), FAMILIES, names));
