import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { findMutants, insertSwitches } from "../../../scripts/mutation/mutants.js";

const TSC = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

/** What each mutant of a source is called, and the source in its place. */
const mutantsOf = (source: string) =>
  findMutants(source, "source.ts", 0).map(({ name, replacement }) => [name, replacement]);

const namesOf = (source: string) => mutantsOf(source).map(([name]) => name);

describe("the mutants of a source", () => {
  it.each<[string, string, [string, string][]]>([
    [
      "a condition",
      "if (a) b;",
      [
        ["condition to true", "true"],
        ["condition to false", "false"],
        ["statement dropped", "undefined"],
      ],
    ],
    [
      "a conditional value",
      "const x = a ? b : c;",
      [
        ["condition to true", "true"],
        ["condition to false", "false"],
      ],
    ],
    ["a loop, which is not made endless", "while (a) {}", [["condition to false", "false"]]],
    ["a limit", "const x = a < b;", [["< to <=", "(a) <= (b)"]]],
    ["a status that nobody sends", "const x = status < 300;", []],
    ["an equality", "const x = a === b;", [["=== to !==", "(a) !== (b)"]]],
    ["a sum", "const x = a + b;", [["+ to -", "(a) - (b)"]]],
    ["a conjunction", "const x = a && b;", [["&& to ||", "(a) || (b)"]]],
    [
      "a default",
      "const x = a ?? b;",
      [
        ["?? to its right side", "b"],
        ["?? to its left side", "a"],
      ],
    ],
    ["a negation", "const x = !a;", [["! dropped", "a"]]],
    ["a call for its effect", "a.b();", [["statement dropped", "undefined"]]],
    ["an assignment", "a = b;", [["statement dropped", "undefined"]]],
    ["a returned value", "function f() { return a; }", [["return to undefined", "undefined"]]],
    ["no returned value", "function f() { return undefined; }", []],
    ["a returned value of a schema that nobody reads", "function f() { return z.NEVER; }", []],
    ["a returned flag", "function f() { return false; }", [["false to true", "true"]]],
    ["a flag", "const x = true;", [["true to false", "false"]]],
    ["a text", 'const x = "a";', [["text to empty", '""']]],
    ["a list of one", "const x = [a];", [["array to empty", "[]"]]],
    [
      "a list",
      "const x = [a, b];",
      [
        ["element dropped: a", "[b]"],
        ["element dropped: b", "[a]"],
      ],
    ],
    ["a quantifier", "const x = list.some(f);", [["some to every", "list.every(f)"]]],
    ["an extreme", "const x = Math.min(a, b);", [["min to max", "Math.max(a, b)"]]],
  ])("have other forms of %s", (_, source, expected) => {
    expect(mutantsOf(source)).toEqual(expected);
  });

  it("of a pause only remove it", () => {
    const source = (body: string) => `function* f() { if (i % 8 === 0 && a) ${body} }`;
    expect(namesOf(source("yield;"))).toEqual(["condition to false", "statement dropped"]);
    expect(namesOf(source("yield; else b();"))).toContain("condition to true");
    expect(namesOf(source("yield a;"))).toContain("=== to !==");
  });

  it("have promises that are not waited for", () => {
    expect(namesOf("async function f() { const x = await a; }")).toEqual(["await dropped"]);
  });

  it("have try statements without their end", () => {
    expect(namesOf("try { } finally { a(); }")).toEqual(["finally dropped", "statement dropped"]);
  });

  it.each([
    ["types", 'type A = "a" | true; interface B { c: "d" } const x: "a" = y as "a";'],
    ["names of modules and properties", 'import "a"; export * from "b"; const x = { "c": d }, y = d["e"];'],
    ["words of errors, logs and descriptions", 'f(new RangeError(`no ${a}`), log.warn({ b }, "c"), d.describe("e"));'],
    ["calls of a base class", "class A extends B { constructor() { super(); } }"],
  ])("have no faults in %s", (_, source) => {
    expect(namesOf(source).filter((name) => name !== "statement dropped")).toEqual([]);
  });

  it("have faults in values beside a description", () => {
    expect(namesOf('const x = z.enum(["a", "b"]).describe("c");')).toContain("text to empty");
  });

  it("know their line", () => {
    expect(findMutants("\n\na();", "source.ts", 0)).toMatchObject([{ line: 3 }]);
  });
});

describe("a source with switches", () => {
  const SOURCE = `
    const text = "｜é😀";
    function* numbers(n) {
      try {
        if (n > 1 && n !== 3) yield n + 1;
        else yield [text, n ?? 7].length;
      } finally {
        ended.push("end");
      }
    }
    out = [...numbers(input)].concat(ended);`;
  const mutants = findMutants(SOURCE, "source.ts", 100);
  const switched = insertSwitches(SOURCE, mutants);

  function outputOf(source: string, input: number | undefined, on?: number): unknown {
    const context = { input, ended: [], out: undefined, rolltapeMutant: (id: number) => id === on };
    try {
      runInNewContext(source, context);
    } catch (error) {
      return String(error);
    }
    return context.out;
  }

  /** The source with one replacement. */
  const replaced = ({ node, replacement }: (typeof mutants)[number]): string => {
    const inPlace = node.type === "BlockStatement" ? "{}" : `(${replacement})`;
    return SOURCE.slice(0, node.start) + inPlace + SOURCE.slice(node.end);
  };

  it("works as before without a mutant", () => {
    for (const input of [undefined, 0, 1, 2, 3]) expect(outputOf(switched, input)).toEqual(outputOf(SOURCE, input));
  });

  it("works as if it were written with a mutant that is switched on, also where mutants are nested", () => {
    for (const mutant of mutants) {
      for (const input of [undefined, 0, 1, 2, 3]) {
        expect(outputOf(switched, input, mutant.id)).toEqual(outputOf(replaced(mutant), input));
      }
    }
  });

  it("compiles where an object would look like the type that an arrow function returns", () => {
    const typed = `function f(base: object, list?: string[]) {
  return { ...base, ...(list ? { list: list.map((item) => item) } : {}) };
}`;
    const folder = mkdtempSync(join(tmpdir(), "rolltape-mutants-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "source.ts");
    writeFileSync(file, insertSwitches(typed, findMutants(typed, "source.ts", 0)));
    const tsc = spawnSync(process.execPath, [TSC, "--ignoreConfig", "--noCheck", "--outDir", folder, file]);
    expect(tsc.stdout.toString()).toBe("");
    expect(tsc.status).toBe(0);
  });

  it("keeps the first line of a script", () => {
    expect(insertSwitches("#!/usr/bin/env node\na();", []).split("\n")[0]).toBe("#!/usr/bin/env node");
  });
});
