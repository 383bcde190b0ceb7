import { describe, expect, it, vi } from "vitest";
import { AgentRefusal } from "../../../src/rollout/contract.js";
import { createAgentSource } from "../../../src/rollout/subproc/agent-source.js";
import { createTimeout, isSubprocCode, SubprocError } from "../../../src/rollout/subproc/errors.js";
import { decodeError, encodeError } from "../../../src/rollout/subproc/messages.js";
import {
  addStandardError,
  noteStandardError,
  processError,
  readStandardError,
} from "../../../src/rollout/subproc/standard-error.js";
import { createBareEnvironment, createTaskEnvironment } from "../../../src/rollout/subproc/task-environment.js";

const send = (error: unknown): Error => decodeError(structuredClone(encodeError(error)));

describe("an error of an agent in another process", () => {
  it("keeps its class, message, code and stack", () => {
    const thrown = Object.assign(new TypeError("x is undefined"), { code: "E_X" });
    expect(send(thrown)).toMatchObject({
      name: "TypeError",
      message: "x is undefined",
      code: "E_X",
      stack: thrown.stack,
    });
    expect(send(new AgentRefusal("no")).name).toBe("AgentRefusal");
    expect(send(new Error("a"))).not.toHaveProperty("code");
  });

  it("keeps an error of the process", () => {
    const thrown = new SubprocError("not_serializable", "the reward is a function");
    expect(send(thrown)).toBeInstanceOf(SubprocError);
    expect(send(thrown)).toMatchObject({ code: "not_serializable", stack: thrown.stack });
    expect(send(Object.assign(new Error("a"), { name: "SubprocError", code: "x" }))).not.toBeInstanceOf(SubprocError);
    expect(send(Object.assign(new Error("a"), { code: "pool_closed" }))).not.toBeInstanceOf(SubprocError);
  });

  it("may have properties of any type, and be no error", () => {
    expect(encodeError(Object.assign(new Error("a"), { code: 5, stack: 6, message: 7 }))).toEqual({
      name: "Error",
      message: "7",
      stack: undefined,
      code: undefined,
    });
    expect(encodeError("no luck")).toEqual({ name: "Error", message: "no luck", stack: undefined, code: undefined });
    expect(encodeError(Object.create(null))).toEqual({
      name: "Error",
      message: "The agent threw a value that cannot be described.",
      stack: undefined,
      code: undefined,
    });
  });
});

it.each<[string, boolean]>([
  ["not_serializable", true],
  ["worker_start_failed", true],
  ["worker_exited", true],
  ["program_not_started", true],
  ["program_failed", true],
  ["invalid_program_output", true],
  ["agent_timeout", true],
  ["pool_closed", true],
  ["", false],
  ["no_such_code", false],
])("an error of a process may have the code %j: %s", (code, isKnown) => {
  expect(isSubprocCode(code)).toBe(isKnown);
});

describe("an agent for another process", () => {
  class Solver {
    static readonly module: string = import.meta.url;
    readonly depth: unknown = 2;
  }

  it("is a name, or an instance of a class that names its module", () => {
    expect(createAgentSource("./agent.js", { directory: "/d", keywordArguments: { a: 1 } })).toEqual({
      kind: "import",
      specifier: "./agent.js",
      directory: "/d",
      keywordArguments: { a: 1 },
    });
    expect(createAgentSource("a")).toMatchObject({ directory: process.cwd(), keywordArguments: {} });
    const source = { kind: "instance", module: import.meta.url, className: "Solver", state: { depth: 2 } };
    expect(createAgentSource(new Solver())).toEqual(source);
  });

  it.each<[unknown, string]>([
    [{ run: () => 1 }, "received an object with run"],
    [undefined, "received undefined"],
    [new (class extends Solver {})(), "received an instance of"],
    [
      new (class Other extends Solver {
        static override readonly module = 5 as unknown as string;
      })(),
      "received an instance of Other",
    ],
  ])("is nothing else: %o", (agent, problem) => {
    expect(() => createAgentSource(agent)).toThrow(problem);
  });

  it("may not have what cannot be sent", () => {
    const refused = (name: string) => `${name} is a function, which cannot be sent to another process.`;
    expect(() => createAgentSource("a", { keywordArguments: { f: () => 1 } })).toThrow(refused("keywordArguments.f"));
    expect(() => createAgentSource(Object.assign(new Solver(), { depth: () => 1 }))).toThrow(refused("agent.depth"));
  });
});

describe("the standard error of a process", () => {
  it("ends the message, and is remembered", () => {
    const error = processError("program_failed", "It failed.", "oops");
    expect(error).toMatchObject({ code: "program_failed", message: "It failed. Its standard error ends with:\noops" });
    expect(readStandardError(error)).toBe("oops");
    expect([readStandardError(new Error("a")), readStandardError("a"), readStandardError(null)]).toEqual(["", "", ""]);
  });

  it("stays known if nothing more is read", () => {
    const error = new Error("a");
    noteStandardError(error, "oops");
    noteStandardError(error, "");
    expect(readStandardError(error)).toBe("oops");
  });

  it("is added to time-outs only", () => {
    const added = addStandardError(createTimeout(3), "oops");
    expect(added).toMatchObject({
      code: "agent_timeout",
      message: expect.stringMatching(/killed .* 3 seconds\..*\noops$/s),
    });
    for (const other of [new SubprocError("program_failed", "a"), new Error("a")]) {
      expect(addStandardError(other, "oops")).toBe(other);
    }
    expect(createTimeout(3, true).message).toMatch(/^The agent was cancelled/);
  });
});

describe("the environment of an agent", () => {
  const names = [
    "COMPAT_BASE_URL",
    "COMPAT_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "GEMINI_API_KEY",
  ];

  it("has the session under the names that SDKs read", () => {
    const environment = createTaskEnvironment({ base_url: "http://p", api_key: "k" });
    const values = ["http://p", "k", "http://p/v1", "k", "http://p", "k", "http://p", "k"];
    expect(environment).toEqual(Object.fromEntries(names.map((name, index) => [name, values[index]])));
  });

  it.each([
    ...names,
    "ROLLTAPE_ADMIN_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GOOGLE_API_KEY",
    "GOOGLE_GENAI_USE_ENTERPRISE",
    "GOOGLE_GENAI_USE_VERTEXAI",
  ])("has no %s of this process", (name) => {
    vi.stubEnv(name, "secret");
    vi.stubEnv("ANOTHER_NAME", "kept");
    expect(createBareEnvironment()).toMatchObject({ ANOTHER_NAME: "kept" });
    expect(createBareEnvironment()).not.toHaveProperty(name);
    vi.unstubAllEnvs();
  });
});
