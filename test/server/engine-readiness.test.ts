import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import type { Engine, ReadinessProblem, ServerReadiness, ServerWarning } from "../../src/engine/engine.js";
import { engineReadiness } from "../../src/server/engine-readiness.js";

/** Messages of a start about engine servers that cannot serve calls, and the configuration key that each names. */

const URL_A = "http://a:1/v1";
const ready = (url: string, warnings?: readonly ServerWarning[]): ServerReadiness => {
  return { url, problem: undefined, ...(warnings && { warnings }) };
};
const failing = (about: ReadinessProblem["about"], message = "No.", url = URL_A): ServerReadiness => {
  return { url, problem: { about, message } };
};

function read(answers: readonly ServerReadiness[], engine: object = {}) {
  const servers = { readiness: async () => answers };
  const config = parseConfig({ engine: { type: "vllm", urls: [URL_A], ...engine }, model: { path: "/m" } });
  return engineReadiness({ servers } as unknown as Engine, config);
}

describe("the readiness of an engine", () => {
  it("has no problems without servers", async () => {
    const nothing = { problems: [], warnings: [], none: false };
    expect(await engineReadiness({} as Engine, parseConfig({}))).toEqual(nothing);
    expect(await read([])).toEqual(nothing);
    expect(await read([ready(URL_A)])).toEqual(nothing);
  });

  it("is none if every server has a problem", async () => {
    expect((await read([failing("server"), failing("server")])).none).toBe(true);
    expect((await read([failing("server"), ready("http://b:1")])).none).toBe(false);
    expect((await read([failing("unanswered")])).none).toBe(false);
  });

  it.each([
    ["server", {}, "engine.urls"],
    ["key", {}, "engine.api_key"],
    ["model", {}, "engine.urls"],
    ["model", { served_model: "m" }, "engine.served_model"],
  ] as const)("names the key of a problem with the %s, given %j", async (about, engine, key) => {
    const { problems, warnings } = await read([failing(about)], engine);
    expect([problems, warnings]).toEqual([[{ key, message: "http://a:1: No." }], []]);
  });

  it("names the server once, although the message names it too", async () => {
    const { problems } = await read([failing("server", "http://a:1 is not healthy.")]);
    expect(problems).toEqual([{ key: "engine.urls", message: "http://a:1 is not healthy." }]);
  });

  it("warns of a server that did not answer in time, which may be busy", async () => {
    const { problems, warnings } = await read([failing("unanswered")]);
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      { key: "engine.urls", message: expect.stringMatching(/^http:\/\/a:1: The engine did not report .* 5 s\./) },
    ]);
  });

  it.each([
    ["flag", {}, "engine.urls"],
    ["admin_key", {}, "engine.admin_api_key"],
    ["tokenizer", {}, "model.path"],
    ["context", {}, "rollout.agent.engine_max_tokens"],
    ["context", { context_length: 100 }, "engine.context_length"],
  ] as const)("names the key of a warning about the %s, given %j", async (about, engine, key) => {
    const { problems, warnings, none } = await read([ready(URL_A, [{ about, message: "Less." }])], engine);
    expect(warnings).toEqual([{ key, message: "http://a:1: Less." }]);
    expect([problems, none]).toEqual([[], false]);
  });
});
