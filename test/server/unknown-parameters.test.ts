import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
});
afterAll(() => proxy.close());

const messages = [{ role: "user", content: "hello" }];

const TYPOS = [
  ["/v1/chat/completions", { messages, max_token: 5 }, "max_token", "max_tokens"],
  ["/v1/chat/completions", { mesages: messages }, "mesages", "messages"],
  [
    "/v1/chat/completions",
    { messages, stream: true, stream_options: { include_usge: true } },
    "stream_options.include_usge",
    "stream_options.include_usage",
  ],
  ["/v1/messages", { messages, max_tokens: 5, temprature: 0 }, "temprature", "temperature"],
  [
    "/v1/messages",
    { messages, max_tokens: 5, output_config: { efort: "low" } },
    "output_config.efort",
    "output_config.effort",
  ],
  ["/v1/messages/count_tokens", { messages, sytem: "s" }, "sytem", "system"],
  ["/v1/responses", { input: "hello", max_output_token: 5 }, "max_output_token", "max_output_tokens"],
  ["/v1/responses", { input: "hello", reasoning: { efort: "low" } }, "reasoning.efort", "reasoning.effort"],
] as const;

describe("an unknown parameter of a model call", () => {
  it.each(TYPOS)("%s %j is refused with the nearest known name", async (path, body, param, nearest) => {
    const { status, error } = await proxy.post(path, body, session.key);
    expect(status).toBe(400);
    // Anthropic's errors have no field for the parameter.
    const named = path.startsWith("/v1/messages") ? {} : { param, code: "unknown_parameter" };
    const message = `Unrecognized request argument: \`${param}\`. Did you mean \`${nearest}\`?`;
    expect(error).toMatchObject({ message, ...named });
  });

  it.each([
    ["/v1/responses", { input: "hello", n: 2 }, "n"],
    ["/v1/chat/completions", { messages, zzz: 1 }, "zzz"],
  ])("%s %j is refused without a suggestion, because no known name is similar", async (path, body, param) => {
    const { status, error } = await proxy.post(path, body, session.key);
    expect([status, error.message]).toEqual([400, `Unrecognized request argument: \`${param}\`.`]);
  });
});
