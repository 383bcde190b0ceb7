import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { Agent } from "../../../src/rollout/contract.js";
import { loadAgent } from "../../../src/rollout/subproc/load-agent.js";

let directory = "";

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-agents-"));
  writeFileSync(
    join(directory, "agents.mjs"),
    `export const solve = { run: () => 7 };
     export class Solver {
       constructor(given) { this.given = given; }
       run() { return this.given.depth; }
     }
     export const name = "./agents.mjs#solve";
     export const itself = "./agents.mjs#itself";
     export const nothing = null;
     export const number = 5;
     export function helper() {}
     export class Helper {}`,
  );
  return () => rmSync(directory, { recursive: true });
});

const load = (name: string, keywordArguments = {}) =>
  loadAgent({ kind: "import", specifier: `./agents.mjs#${name}`, directory, keywordArguments });
const run = async (agent: Promise<Agent>) => (await agent).run(undefined, {} as never);
const instance = (className: string, state = {}) =>
  loadAgent({ kind: "instance", module: pathToFileURL(join(directory, "agents.mjs")).href, className, state });

describe("an agent that is loaded in another process", () => {
  it("is an agent, a class of agents, or the name of one", async () => {
    expect(await run(load("solve"))).toBe(7);
    expect(await run(load("name"))).toBe(7);
    expect(await run(load("Solver", { depth: 3 }))).toBe(3);
    expect(await load("Solver")).not.toBe(await load("Solver"));
  });

  it.each([
    ["nothing", "received null"],
    ["number", "received the number 5"],
    ["helper", "received the function helper"],
    ["Helper", "received the class Helper"],
  ])("is nothing else: %s", async (name, received) => {
    await expect(load(name)).rejects.toMatchObject({
      name: "WorkflowError",
      code: "invalid_workflow",
      message:
        "Expected an agent (with run) or a class of agents, because workflows run in the rollout worker's own process; " +
        `${received} from "./agents.mjs#${name}".`,
    });
  });

  it("has no name that leads back to itself", async () => {
    await expect(load("itself")).rejects.toMatchObject({
      code: "invalid_import",
      message: "The import string must not lead back to itself: ./agents.mjs#itself → ./agents.mjs#itself.",
    });
  });

  it("may be an instance, which gets its state without its constructor", async () => {
    const agent = await instance("Solver", { given: { depth: 4 } });
    expect(agent.run(undefined, {} as never)).toBe(4);
    expect(agent.constructor.name).toBe("Solver");
  });

  it.each([
    ["helper", "received the function helper"],
    ["Helper", "received the class Helper"],
    ["solve", "received an object with run"],
  ])("is no instance of %s", async (name, received) => {
    await expect(instance(name)).rejects.toMatchObject({
      code: "invalid_workflow",
      message: expect.stringMatching(new RegExp(`must export ${name} as a class of agents; ${received}\\.$`)) as string,
    });
  });
});
