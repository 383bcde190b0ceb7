import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tableRows } from "../helpers/page.js";
import { isInRepository, listFolders, readRepositoryFile } from "./repository.js";

const rule = z.object({
  "no-restricted-imports": z.tuple([
    z.literal("error"),
    z.object({ patterns: z.tuple([z.object({ message: z.string() })]) }),
  ]),
});
const lintConfig = z.object({ overrides: z.array(z.object({ rules: z.record(z.string(), z.unknown()) })) });

const NONE = "no other room";
const EVERY = "every room";

/** What the linter lets each room import, as its messages say: `src/config may import support (…)`. */
function lintedImports(): Record<string, string> {
  const { overrides } = lintConfig.parse(JSON.parse(readRepositoryFile(".oxlintrc.json")));
  const messages = overrides
    .filter(({ rules }) => "no-restricted-imports" in rules)
    .map(({ rules }) => rule.parse(rules)["no-restricted-imports"][1].patterns[0].message);
  // Skips rules about folders inside a room, such as src/model/jinja.
  const rooms = messages.flatMap((message) => {
    const [, room = "", imports = ""] = /^src\/([\w/]+) may import (.+) \(/.exec(message) ?? [];
    return room.includes("/") ? [] : [[room, imports]];
  });
  return { ...(Object.fromEntries(rooms) as Record<string, string>), cli: EVERY };
}

const plain = (text: string) => text.replaceAll("`", "");

/** The table of architecture.md: what each room may import. */
function tabledImports(): Record<string, string> {
  const page = readRepositoryFile("docs/explanation/architecture.md");
  const rows = tableRows(page, "| room | what it is for | may import |").map((row) => {
    const [room = "", , imports = ""] = row.slice(2, -2).split(" | ");
    return [plain(room), imports === "–" ? NONE : plain(imports)];
  });
  return Object.fromEntries(rows) as Record<string, string>;
}

const ROOMS = listFolders("src");

describe("docs/explanation/architecture.md", () => {
  it("lists the same imports for each room as the linter", () => {
    expect(tabledImports()).toEqual(lintedImports());
  });
});

describe("the README of a room", () => {
  it.each(ROOMS)("src/%s lists the same imports as the linter", (room) => {
    const [, imports = ""] = /^- May import: (.+?)\.(?: |$)/m.exec(readRepositoryFile(`src/${room}/README.md`)) ?? [];
    expect(plain(imports)).toBe(lintedImports()[room]);
  });

  it.each(ROOMS)("src/%s names files and folders that exist", (room) => {
    const [, , start = ""] = readRepositoryFile(`src/${room}/README.md`).split(/^- (?:May import|Start reading): /m);
    const paths = [...start.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !isInRepository(`src/${room}/${path}`))).toEqual([]);
    expect(paths.length > 0 || room === "support").toBe(true);
  });
});
