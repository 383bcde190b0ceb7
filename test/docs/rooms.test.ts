import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tableRows } from "../helpers/page.js";
import { isInRepository, listFolders, readRepositoryFile } from "./repository.js";

const ruleSchema = z.object({
  "no-restricted-imports": z.tuple([
    z.literal("error"),
    z.object({ patterns: z.tuple([z.object({ regex: z.string(), message: z.string() })]) }),
  ]),
});
const lintConfig = z.object({
  overrides: z.array(z.object({ files: z.array(z.string()), rules: z.record(z.string(), z.unknown()) })),
});

const NONE = "no other room";
const EVERY = "every room";
const ROOMS = listFolders("src");

/** The rule of one room in .oxlintrc.json. */
interface ImportRule {
  readonly room: string;
  /** Matches forbidden imports. */
  readonly pattern: RegExp;
  readonly message: string;
}

/** Returns the rules for whole rooms. Rules inside a room, such as src/model/jinja, are not about rooms. */
function readImportRules(): ImportRule[] {
  const { overrides } = lintConfig.parse(JSON.parse(readRepositoryFile(".oxlintrc.json")));
  return overrides
    .filter(({ rules }) => "no-restricted-imports" in rules)
    .flatMap(({ files, rules }) => {
      const [{ regex, message }] = ruleSchema.parse(rules)["no-restricted-imports"][1].patterns;
      const rooms = files.flatMap((glob) => /^src\/([\w-]+)\/\*\*$/.exec(glob)?.[1] ?? []);
      return rooms.map((room) => ({ room, pattern: new RegExp(regex), message }));
    });
}

function describeImports(rooms: readonly string[]): string {
  return rooms.length === 0 ? NONE : rooms.toSorted().join(", ");
}

/** Returns what the regular expressions let each room import, from its own folder and from one below. */
function readAllowedImports(): Record<string, string> {
  const allowed = RULES.map(({ room, pattern }) => {
    const rooms = ROOMS.filter(
      (other) => other !== room && !["../", "../../"].every((up) => pattern.test(`${up}${other}/a.js`)),
    );
    return [room, describeImports(rooms)] as const;
  });
  return { ...Object.fromEntries(allowed), cli: EVERY };
}

const RULES = readImportRules();
const ALLOWED = readAllowedImports();

const plain = (text: string) => text.replaceAll("`", "");

/** The table of architecture.md: what each room may import. */
function readTable(): Record<string, string> {
  const page = readRepositoryFile("docs/explanation/architecture.md");
  const rows = tableRows(page, "| room | what it is for | may import |").map((row) => {
    const [room = "", , imports = ""] = row.slice(2, -2).split(" | ");
    return [plain(room), imports === "–" ? NONE : plain(imports)] as const;
  });
  return Object.fromEntries(rows);
}

describe("the import rules of .oxlintrc.json", () => {
  it("cover each room once, except the command line", () => {
    expect(RULES.map(({ room }) => room).toSorted()).toEqual(ROOMS.filter((room) => room !== "cli").toSorted());
  });

  it.each(RULES)("say in the message of src/$room what the rule allows", ({ room, message }) => {
    expect(message).toBe(`src/${room} may import ${ALLOWED[room]} (docs/explanation/architecture.md).`);
  });
});

describe("docs/explanation/architecture.md", () => {
  it("lists the imports for each room that the linter allows", () => {
    expect(readTable()).toEqual(ALLOWED);
  });
});

describe("the README of a room", () => {
  it.each(ROOMS)("src/%s lists the imports that the linter allows", (room) => {
    const [, imports = ""] = /^- May import: (.+?)\.(?: |$)/m.exec(readRepositoryFile(`src/${room}/README.md`)) ?? [];
    expect(plain(imports)).toBe(ALLOWED[room]);
  });

  it.each(ROOMS)("src/%s names files and folders that exist", (room) => {
    const [, , start = ""] = readRepositoryFile(`src/${room}/README.md`).split(/^- (?:May import|Start reading): /m);
    const paths = [...start.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !isInRepository(`src/${room}/${path}`))).toEqual([]);
    expect(paths.length > 0 || room === "support").toBe(true);
  });
});
