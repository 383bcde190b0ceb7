// Writes the tables of docs/reference/batch-format.md that are derived from src/facts: `npm run docs:facts`.
import { readFileSync, writeFileSync } from "node:fs";
import { writeFactTables } from "./fact-tables.js";

const page = new URL("../docs/reference/batch-format.md", import.meta.url);
writeFileSync(page, writeFactTables(readFileSync(page, "utf8")));
