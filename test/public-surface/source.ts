import { readdirSync, readFileSync } from "node:fs";

const SOURCES = new URL("../../src/", import.meta.url);

function readSource(path: string): string {
  return readFileSync(new URL(path, SOURCES), "utf8");
}

/** Returns the names that a module exports with `export { … } from`, types marked as such, sorted. */
export function reexportedNames(path: string): string[] {
  const lists = readSource(path).matchAll(/export (type )?\{([^}]*)\}/g);
  const names = [...lists].flatMap(([, type = "", list = ""]) =>
    list.split(",").flatMap((name) => (name.trim() === "" ? [] : [`${type}${name.trim()}`])),
  );
  return names.sort();
}

/** Removes comments, which may contain quotes and semicolons. A `//` after a colon is part of an address. */
function stripComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/(?<!:)\/\/.*/g, "");
}

/** Returns the members of every union of error codes that the sources declare, by the name of its type. */
export function errorCodeUnions(): Record<string, string[]> {
  const unions: [string, string[]][] = [];
  for (const path of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts")) continue;
    const source = stripComments(readSource(path));
    for (const [, name = "", body = ""] of source.matchAll(/export type (\w+Code) =([^;]*);/g)) {
      // A union may be derived from a list of its members above it.
      const members = body.includes("typeof CODES") ? (/const CODES = \[([^\]]*)\]/.exec(source)?.[1] ?? "") : body;
      const codes = [...members.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
      if (codes.length > 0) unions.push([name, codes.sort()]);
    }
  }
  return Object.fromEntries(unions);
}
