import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type ConfigSources, isWrittenEmpty, parseConfig, resolveConfig } from "../../src/config/index.js";
import { catchConfigError, readProblems, temporaryFolder, yamlFile } from "./helpers.js";

describe("a key that is written without a value", () => {
  const isEmpty = (sources: ConfigSources) => isWrittenEmpty("storage.directory", sources);

  it.each(["storage.directory=", "storage.directory= "])("is told apart from one that is null: %j", (override) => {
    expect(isEmpty({ overrides: [override] })).toBe(true);
    expect(isEmpty({ overrides: [override, "storage.directory=null"] })).toBe(false);
    expect(isEmpty({ overrides: ["storage.directory=null"] })).toBe(false);
    expect(isEmpty({ overrides: ["server.port=0"] })).toBe(false);
    expect(isEmpty({})).toBe(false);
  });

  it.each([
    ["storage:\n  directory:\n", true],
    ["storage: {directory: }\n", true],
    ["storage:\n  directory: null\n", false],
    ["storage:\n", false],
    ["server: {port: 0}\n", false],
    ["", false],
  ])("is found in a file: %j", (text, expected) => {
    expect(isEmpty({ file: yamlFile(text) })).toBe(expected);
    expect(isEmpty({ file: yamlFile(text), overrides: ["storage.directory=/data"] })).toBe(false);
  });

  it("is refused if it is an empty text in a file", () => {
    const file = yamlFile('storage: {directory: ""}');
    expect(readProblems(() => resolveConfig({ file, env: {} }))).toEqual({
      "storage.directory": 'expected text that is not empty or null, got ""',
    });
  });
});

describe("a configuration file", () => {
  it("is read as YAML with nested keys", () => {
    const file = yamlFile(`
# a comment
server:
  port: 0
rollout:
  agent: { mode: subproc, turn_discount: 0.5 }
engine:
`);
    expect(resolveConfig({ file, env: {} })).toEqual(
      parseConfig({ server: { port: 0 }, rollout: { agent: { mode: "subproc", turn_discount: 0.5 } } }),
    );
  });

  it("may be empty", () => {
    expect(resolveConfig({ file: yamlFile("# nothing\n"), env: {} })).toEqual(parseConfig({}));
  });

  it("keeps the spelling of text that looks like a number", () => {
    const file = yamlFile("rollout:\n  compat:\n    admin_api_key: 12345678901234567890\nmodel:\n  name: 1.50\n");
    const config = resolveConfig({ file, env: {} });
    expect(config.rollout.agent.admin_api_key).toBe("12345678901234567890");
    expect(config.model.name).toBe("1.50");
  });

  it("may use anchors", () => {
    const file = yamlFile("rollout:\n  max_staleness: &n 3\n  consumer_batch_size: *n\n");
    expect(resolveConfig({ file, env: {} }).rollout).toMatchObject({ max_staleness: 3, consumer_batch_size: 3 });
  });

  it("is overridden by arguments, in either spelling of a key", () => {
    const file = yamlFile("server: { port: 1, host: 0.0.0.0 }\nrollout: { agent: { mode: inline } }\n");
    const config = resolveConfig({ file, overrides: ["server.port=2", "rollout.compat.mode=subproc"], env: {} });
    expect(config.server).toMatchObject({ port: 2, host: "0.0.0.0" });
    expect(config.rollout.agent.mode).toBe("subproc");
  });

  it("is checked together with the arguments", () => {
    const file = yamlFile("engine: { type: sglang }\nserver: { prot: 1 }\n");
    const overrides = ["group_size=0", "model.path=/m"];
    expect(Object.keys(readProblems(() => resolveConfig({ file, overrides, env: {} }))).toSorted()).toEqual([
      "engine.urls",
      "group_size",
      "server.prot",
    ]);
    overrides.push("engine.urls=http://a");
    expect(readProblems(() => resolveConfig({ file, overrides, env: {} }))).not.toHaveProperty("engine.urls");
  });

  it("fails with config_unreadable and its name if it does not exist", () => {
    const file = join(temporaryFolder(), "missing.yaml");
    expect(catchConfigError(() => resolveConfig({ file, env: {} }))).toMatchObject({
      code: "config_unreadable",
      problems: [{ path: file, message: "cannot be read (ENOENT)" }],
    });
  });

  it.each([
    ["server: {port: 1", /line 1/],
    ["server: 1\nserver: 2\n", /unique.*line 2/],
    ["a: *missing\n", /missing/],
    ["a: 1\n---\nb: 2\n", /multiple documents/i],
  ])("fails with config_syntax if it is not one YAML document: %j", (text, message) => {
    const file = yamlFile(text);
    const error = catchConfigError(() => resolveConfig({ file, env: {} }));
    expect(error.code).toBe("config_syntax");
    expect(error.problems[0]).toMatchObject({ path: file, message: expect.stringMatching(message) as string });
    expect(error.message).not.toContain("\n");
  });

  it.each([
    ["just text\n", "expected a map of keys"],
    ["[1, 2]\n", "expected a map of keys"],
    ["server: &s { port: *s }\n", "an alias must not be inside the value that it refers to"],
  ])("fails with config_syntax if its YAML is not a configuration: %j", (text, message) => {
    const file = yamlFile(text);
    const refused = { code: "config_syntax", problems: [{ path: file, message }] };
    expect(catchConfigError(() => resolveConfig({ file, env: {} }))).toMatchObject(refused);
  });

  it("is refused if it has a value instead of a section, even if an argument sets that section", () => {
    const file = yamlFile("server: 5\nrollout: { agent: inline }\n");
    const overrides = ["server.port=1", "rollout.compat.mode=inline"];
    expect(readProblems(() => resolveConfig({ file, overrides, env: {} }))).toEqual({
      server: "expected a map of keys, got 5",
      "rollout.agent": 'expected a map of keys, got "inline"',
    });
  });

  it("is refused if its aliases expand to too many values", () => {
    const levels = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(12)}]`);
    const file = yamlFile(`a0: &a0 [x]\n${levels.join("\n")}\n`);
    expect(catchConfigError(() => resolveConfig({ file, env: {} })).code).toBe("config_syntax");
  });
});

describe("the environment", () => {
  const env = { ROLLTAPE_ADMIN_API_KEY: "too-short" };

  it("is refused if its admin key is needed and too short", () => {
    expect(readProblems(() => resolveConfig({ env }))).toEqual({
      ROLLTAPE_ADMIN_API_KEY: "expected at least 16 visible ASCII characters without spaces or null, got 9 characters",
    });
  });

  it("is ignored if the configuration has an admin key", () => {
    const overrides = ["rollout.agent.admin_api_key=0123456789abcdef"];
    expect(resolveConfig({ env, overrides }).rollout.agent.admin_api_key).toBe("0123456789abcdef");
  });
});

describe("the ways to write a configuration", () => {
  const text = fc.stringMatching(/^[ -~]{1,12}$/).filter((value) => value.trim() === value);
  const agent = fc.record(
    {
      mode: fc.constantFrom("inline", "subproc"),
      subproc_max_workers: fc.integer({ min: 1, max: 256 }),
      admin_api_key: fc.stringMatching(/^[!-~]{16,24}$/),
      turn_discount: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
      engine_max_tokens: fc.option(fc.integer({ min: 1 })),
      message_filters: fc.array(text.map((value) => value.replaceAll(/[^\w ]/g, "."))),
    },
    { requiredKeys: [] },
  );
  const written = fc.record(
    {
      server: fc.record({ port: fc.integer({ min: 0, max: 65_535 }), host: text }, { requiredKeys: [] }),
      model: fc.record({ name: fc.option(text) }, { requiredKeys: [] }),
      rollout: fc.record({ agent, max_staleness: fc.nat() }, { requiredKeys: [] }),
      group_size: fc.integer({ min: 1 }),
    },
    { requiredKeys: [] },
  );

  it("give the same result: an object, a file, arguments, with agent or compat", () => {
    fc.assert(
      fc.property(written, fc.boolean(), (object, compat) => {
        const rename = (path: string) => (compat ? path.replace("rollout.agent.", "rollout.compat.") : path);
        const overrides = leaves(object).map(([path, value]) => `${rename(path)}=${JSON.stringify(value)}`);
        const expected = parseConfig(object);
        expect(resolveConfig({ file: yamlFile(stringify(object)), env: {} })).toEqual(expected);
        expect(resolveConfig({ overrides, env: {} })).toEqual(expected);
      }),
    );
  });

  function leaves(value: unknown, path: string[] = []): [string, unknown][] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path.join("."), value]];
    return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
  }
});
