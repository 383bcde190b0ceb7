import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Agent, EpisodeResult, RolloutWorkflow } from "../../src/rollout/contract.js";
import { GroupedWorkflow } from "../../src/rollout/grouped-workflow.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { resolveWorkflow, type WorkflowInput } from "../../src/rollout/resolve-workflow.js";
import { WorkflowError } from "../../src/rollout/workflow-error.js";

const NOTHING: EpisodeResult = { accepted: [], rejected: [] };

class OwnWorkflow implements RolloutWorkflow {
  readonly options: object;

  constructor(options: object) {
    this.options = options;
  }

  async arunEpisode(): Promise<EpisodeResult> {
    return NOTHING;
  }
}

class OwnAgent implements Agent {
  readonly options: object;

  constructor(options: object) {
    this.options = options;
  }

  async run(): Promise<number> {
    return 1;
  }
}

/** Creates a directory with these files, and removes it after the test. */
function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), "workflow-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

const AGENT = `export class Agent { constructor(options) { this.options = options; } async run() { return 1; } }`;

function agentIn(workflow: RolloutWorkflow): unknown {
  expect(workflow).toBeInstanceOf(ProxyWorkflow);
  return (workflow as ProxyWorkflow).agent;
}

async function refusal(input: unknown, options: object = {}): Promise<WorkflowError> {
  const error: unknown = await resolveWorkflow(input as WorkflowInput, options).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(WorkflowError);
  return error as WorkflowError;
}

describe("resolveWorkflow", () => {
  it("returns a workflow as it is", async () => {
    const own = new OwnWorkflow({});
    expect(await resolveWorkflow(own)).toBe(own);
    const plain = { arunEpisode: async () => NOTHING, run: async () => 1 };
    expect(await resolveWorkflow(plain)).toBe(plain);
  });

  it("constructs a class of workflows with the keyword arguments", async () => {
    const workflow = await resolveWorkflow(OwnWorkflow, { keywordArguments: { depth: 3 } });
    expect(workflow).toBeInstanceOf(OwnWorkflow);
    expect((workflow as OwnWorkflow).options).toEqual({ depth: 3 });
    expect(((await resolveWorkflow(OwnWorkflow)) as OwnWorkflow).options).toEqual({});
  });

  it("wraps anything with run: an object, an instance, a class, a class with a static run", async () => {
    const plain = { run: async () => 1 };
    expect(agentIn(await resolveWorkflow(plain))).toBe(plain);
    const instance = new OwnAgent({});
    expect(agentIn(await resolveWorkflow(instance))).toBe(instance);
    expect(agentIn(await resolveWorkflow(OwnAgent, { keywordArguments: { a: 1 } }))).toMatchObject({
      options: { a: 1 },
    });
    class Static {
      static async run(): Promise<number> {
        return 1;
      }
    }
    expect(agentIn(await resolveWorkflow(Static as unknown as Agent))).toBe(Static);
  });

  it("wraps any of these in a group if groupSize is above 1", async () => {
    for (const input of [new OwnWorkflow({}), OwnWorkflow, new OwnAgent({})]) {
      const grouped = await resolveWorkflow(input, { groupSize: 4 });
      expect(grouped).toBeInstanceOf(GroupedWorkflow);
      expect(grouped).toMatchObject({ groupSize: 4 });
      expect((grouped as GroupedWorkflow).workflow).not.toBeInstanceOf(GroupedWorkflow);
    }
    expect(await resolveWorkflow(OwnWorkflow, { groupSize: 1 })).toBeInstanceOf(OwnWorkflow);
  });
});

describe("an import string", () => {
  it("names a file's export: relative to the directory with and without ./, absolute, or by file: URL", async () => {
    const directory = directoryWith({ "agents/math.mjs": AGENT });
    const path = join(directory, "agents/math.mjs");
    for (const module of ["./agents/math.mjs", "agents/math.mjs", path, pathToFileURL(path).href]) {
      const workflow = await resolveWorkflow(`${module}#Agent`, { directory, keywordArguments: { depth: 2 } });
      expect(agentIn(workflow)).toMatchObject({ options: { depth: 2 } });
    }
  });

  it("names the default export, else the module itself, if it has no #", async () => {
    const directory = directoryWith({
      "default.mjs": "export default { name: 'default', run: async () => 1 }; export const run = 1;",
      "module.mjs": "export const name = 'module'; export async function run() { return 1; }",
      "old.cjs": "exports.Agent = class { async run() { return 1; } };",
    });
    expect(agentIn(await resolveWorkflow("./default.mjs", { directory }))).toMatchObject({ name: "default" });
    expect(agentIn(await resolveWorkflow("./module.mjs", { directory }))).toMatchObject({ name: "module" });
    expect(agentIn(await resolveWorkflow("./old.cjs#Agent", { directory }))).toHaveProperty("run");
  });

  it("names a package, also one that is installed only in the directory", async () => {
    const directory = directoryWith({
      "node_modules/agents-of-mine/package.json": '{ "name": "agents-of-mine", "type": "module", "main": "index.js" }',
      "node_modules/agents-of-mine/index.js": AGENT,
      "node_modules/agents-of-mine/sub/more.js": AGENT,
    });
    expect(agentIn(await resolveWorkflow("agents-of-mine#Agent", { directory }))).toHaveProperty("run");
    expect(agentIn(await resolveWorkflow("agents-of-mine/sub/more.js#Agent", { directory }))).toHaveProperty("run");
    expect((await refusal("undici#Agent", { directory })).code).toBe("invalid_workflow");
  });

  it("names a package that only `import` resolves, or a subpath of it", async () => {
    const exports = { ".": { import: "./index.js" }, "./deep": { import: "./deep.js" } };
    const directory = directoryWith({
      "node_modules/esm-agents/package.json": JSON.stringify({ name: "esm-agents", type: "module", exports }),
      "node_modules/esm-agents/index.js": AGENT,
      "node_modules/esm-agents/deep.js": `export { Agent as Deep } from "./index.js";`,
    });
    for (const text of ["esm-agents#Agent", "esm-agents/deep#Deep"]) {
      expect((agentIn(await resolveWorkflow(text, { directory })) as object).constructor.name).toBe("Agent");
    }
    const { message } = await refusal("esm-agents/secret", { directory });
    expect(message).toContain(`Package subpath './secret' is not defined by "exports"`);
  });

  it("names a package rather than a folder of the same name, and a folder by its path", async () => {
    const index = (reward: number) =>
      `module.exports.agent = { name: "agent ${reward}", run() { return ${reward}; } };`;
    const directory = directoryWith({
      "node_modules/agents/index.js": index(1),
      "agents/index.js": index(2),
      "empty/readme": "",
    });
    expect(agentIn(await resolveWorkflow("agents#agent", { directory }))).toMatchObject({ name: "agent 1" });
    expect(agentIn(await resolveWorkflow("./agents#agent", { directory }))).toMatchObject({ name: "agent 2" });
    expect((await refusal("./empty", { directory })).message).toContain("is a folder");
  });

  it("names a property of the exports of a CommonJS module", async () => {
    const directory = directoryWith({
      "agent.cjs": "module.exports = { solver: { name: 's', run() { return 1; } } };",
    });
    expect(agentIn(await resolveWorkflow("./agent.cjs#solver", { directory }))).toMatchObject({ name: "s" });
    expect((await refusal("./agent.cjs#toString", { directory })).code).toBe("export_not_found");
  });

  it("may lead to a class of workflows or to another import string, grouped once", async () => {
    const directory = directoryWith({
      "workflow.mjs": "export class Own { constructor(o) { this.options = o; } async arunEpisode() {} }",
      "chain.mjs": "export const first = './chain.mjs#second'; export const second = './workflow.mjs#Own';",
    });
    const options = { directory, keywordArguments: { a: 1 } };
    expect(await resolveWorkflow("./workflow.mjs#Own", options)).toMatchObject({ options: { a: 1 } });
    const grouped = await resolveWorkflow("./chain.mjs#first", { ...options, groupSize: 2 });
    expect((grouped as GroupedWorkflow).workflow).toMatchObject({ options: { a: 1 } });
  });

  it("may name TypeScript if a loader runs; the error says so otherwise", () => {
    const directory = directoryWith({
      "agent.ts": "export const agent: object = { run: async (): Promise<number> => 1 };",
      "reads.ts": "import './tasks.csv'; export const agent = { run: async (): Promise<number> => 1 };",
      "typed.mjs": "export * from './agent.ts';",
      "tasks.csv": "a,b",
    });
    const program = (file: string) => `
      import { resolveWorkflow } from ${JSON.stringify(pathToFileURL(join(process.cwd(), "dist/rollout/resolve-workflow.js")).href)};
      const workflow = await resolveWorkflow("./${file}#agent").catch((error) => error);
      console.log(workflow.code ?? typeof workflow.agent.run, workflow.message ?? "");`;
    const run = (file: string, ...args: string[]) =>
      spawnSync(process.execPath, [...args, "--input-type=module", "-e", program(file)], {
        cwd: directory,
      }).stdout.toString();
    const tsx = ["--import", import.meta.resolve("tsx")];
    expect(run("agent.ts", ...tsx)).toBe("function \n");
    expect(run("reads.ts", ...tsx)).toMatch(/^import_failed \.\/reads\.ts could not be imported: .*tasks\.csv/);
    const without = process.features as { typescript?: unknown };
    expect(run("agent.ts")).toMatch(
      without.typescript ? /^function/ : /^import_failed \.\/agent\.ts is .*--import tsx/,
    );
    expect(run("typed.mjs")).toMatch(
      without.typescript ? /^function/ : /^import_failed \/\S+\/agent\.ts is TypeScript/,
    );
  });
});

describe("resolveWorkflow says what was received and what was expected, for", () => {
  it.each<[string, unknown, string]>([
    ["a number", 3, "the number 3"],
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["an object without run", { walk: 1, talk: 2 }, "an object with walk, talk"],
    ["a run that is not a function", { run: 1 }, "an object with run"],
    ["a function", function helper() {}, "the function helper"],
    ["an instance", new Date(0), "an instance of Date"],
    ["an array", [{ run: () => 1 }], "an array"],
  ])("%s", async (_, input, named) => {
    const error = await refusal(input);
    expect(error.code).toBe("invalid_workflow");
    expect(error.message).toContain(`received ${named}.`);
    expect(error.message).toContain("arunEpisode");
    expect(error.message).toContain("module#export");
  });

  it("a class that throws, with its name and the names of the arguments, not their values", async () => {
    class Broken {
      constructor() {
        throw new Error("no model");
      }
      async run(): Promise<number> {
        return 1;
      }
    }
    const error = await refusal(Broken, { keywordArguments: { token: "hf_secret" } });
    expect(error.code).toBe("construction_failed");
    expect(error.message).toBe("The constructor of the class Broken failed with token: no model");
  });

  it("an invalid import string", async () => {
    const directory = directoryWith({
      "agent.mjs": "export const answer = 42; export const other = { run() {} };",
      "broken.mjs": "throw new Error('at import');",
      "chain.mjs": "export const a = './agent.mjs#answer';",
      "loop.mjs": "export const a = './loop.mjs#b'; export const b = './loop.mjs#a';",
      "needs.mjs": "import 'a-package-that-is-not-there';",
      "requires.cjs": "\nrequire('broken-package');",
      "imports.mjs": "import 'broken-package';",
      "node_modules/broken-package/index.js": "\n\nthrow new Error('no licence');",
      "node_modules/needy-package/index.js": "require('a-package-that-is-not-there');",
    });
    const of = async (text: string) => {
      const { code, message } = await refusal(text, { directory });
      return `${code}: ${message}`;
    };
    expect(await of("")).toMatch(/^invalid_import: .*module#export/);
    expect(await of("./agent.mjs#")).toMatch(/^invalid_import/);
    expect(await of("#answer")).toMatch(/^invalid_import/);
    expect(await of("./agent.mjs#missing")).toBe(
      "export_not_found: ./agent.mjs does not export missing. It exports answer, other.",
    );
    expect(await of("./agent.mjs#answer")).toMatch(
      /^invalid_workflow: Expected .*; received the number 42 from ".\/agent.mjs#answer"\.$/,
    );
    expect(await of("./chain.mjs#a")).toMatch(
      /received the number 42 from "\.\/chain\.mjs#a" → "\.\/agent\.mjs#answer"\.$/,
    );
    expect(await of("./none.mjs#a")).toBe(`import_failed: ./none.mjs does not exist in ${directory}.`);
    expect(await of("no-such-package#a")).toMatch(
      /^import_failed: no-such-package is neither a file in .* nor a package/,
    );
    expect(await of("./broken.mjs#a")).toBe(
      `import_failed: ./broken.mjs could not be imported: at import (${join(directory, "broken.mjs")}:1:7)`,
    );
    expect(await of("./needs.mjs")).toMatch(/^import_failed: .*a-package-that-is-not-there/);
    const broken = join(directory, "node_modules/broken-package/index.js");
    expect(await of("./requires.cjs")).toBe(
      `import_failed: ./requires.cjs could not be imported: no licence (${broken}:3:7, called by ${join(directory, "requires.cjs")}:2:1)`,
    );
    expect(await of("./imports.mjs")).toBe(
      `import_failed: ./imports.mjs could not be imported: no licence (${broken}:3:7)`,
    );
    expect(await of("needy-package")).toMatch(
      /^import_failed: needy-package could not be imported: .*a-package-that-is-not-there/,
    );
    expect(await of("./loop.mjs#a")).toMatch(/^invalid_import: .*#a → .*#b → .*#a/);
  });

  it("an invalid group size", async () => {
    for (const groupSize of [0, -2, 1.5, Number.NaN]) {
      expect((await refusal(new OwnAgent({}), { groupSize })).code).toBe("invalid_option");
    }
  });
});
