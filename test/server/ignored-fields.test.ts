import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IGNORED_FIELDS } from "../../src/protocols/ignored-fields.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

/** Fields of other model servers that ask for nothing. */

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
});
afterAll(() => proxy.close());

const HEADER = "x-rolltape-ignored-fields";
const APIS = [
  ["/v1/chat/completions", { messages: [{ role: "user", content: "hello" }] }],
  ["/v1/responses", { input: "hello" }],
] as const;

/** A value that asks for nothing, by field. */
const ASK_NOTHING = {
  session_id: "sess-1",
  request_id: "r-1",
  rid: "r-1",
  cache_salt: "salt",
  priority: 3,
  skip_special_tokens: false,
  spaces_between_special_tokens: false,
  add_special_tokens: false,
  include_stop_str_in_output: false,
  include_reasoning: true,
  separate_reasoning: true,
  return_sampling_mask: false,
  return_meta_info: false,
} satisfies Record<keyof typeof IGNORED_FIELDS, unknown>;

const REFUSED = {
  add_special_tokens: true,
  include_stop_str_in_output: true,
  include_reasoning: false,
  separate_reasoning: false,
  return_sampling_mask: true,
  return_meta_info: true,
} satisfies Partial<typeof ASK_NOTHING>;

/** Returns what the engine was asked, without the prompt's memory. */
const asked = () => {
  const call = proxy.engine.calls.at(-1);
  return JSON.stringify([[...(call?.prompt.tokens() ?? [])], call?.sampling]);
};

describe.each(APIS)("%s", (url, base) => {
  const send = (extra: object) => proxy.post(url, { ...base, ...extra }, session.key);

  it("accepts fields that ask for nothing, and names them in a header", async () => {
    expect((await send({})).headers).not.toHaveProperty(HEADER);
    const plain = asked();
    const reply = await send(ASK_NOTHING);
    expect([reply.status, reply.headers[HEADER]]).toEqual([200, Object.keys(IGNORED_FIELDS).join(", ")]);
    expect(asked()).toBe(plain);
    const streamed = await send({ stream: true, session_id: "s", priority: 0 });
    expect([streamed.status, streamed.headers[HEADER]]).toEqual([200, "session_id, priority"]);
  });

  it("does not name fields that are null", async () => {
    const { status, headers } = await send({ session_id: null, return_routed_experts: null });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty(HEADER);
  });

  it.each(Object.entries(REFUSED))("refuses %s: %s in the words that clients look for", async (name, value) => {
    const { refusal, error } = await send({ [name]: value });
    const message = `Unrecognized request argument: \`${name}\` can only be ${!value}.`;
    expect([refusal, error.param, error.message]).toEqual(["400 unsupported_parameter", name, message]);
  });

  it("ignores extra_body if its fields are in the request itself, or ask for nothing", async () => {
    const extra_body = { return_token_ids: true, temperature: 0.5, min_p: null, session_id: "s" };
    const reply = await send({ return_token_ids: true, temperature: 0.5, extra_body });
    expect([reply.status, reply.headers[HEADER]]).toEqual([200, "extra_body"]);
  });

  it.each([
    ["top_k", { top_k: 5 }],
    ["return_routed_experts", { return_routed_experts: true }],
  ])("refuses extra_body with %s, which it would not follow", async (name, extra_body) => {
    const { refusal, error } = await send({ extra_body, temperature: 0.5 });
    const param = `extra_body.${name}`;
    const message = `Unrecognized request argument: \`${param}\`. Put the field into the request itself.`;
    expect([refusal, error.param, error.message]).toEqual(["400 unsupported_parameter", param, message]);
  });
});

it("docs/reference/request-fields.md lists the same fields with the same reasons", () => {
  const page = readFileSync("docs/reference/request-fields.md", "utf8");
  const [, section = ""] = page.split("## Fields that ask for nothing\n");
  const rows = [...section.matchAll(/^\| `(\w+)` \| (any|`true`|`false`) \| (.+) \|$/gm)].map((row) => row.slice(1));
  const expected = Object.entries(IGNORED_FIELDS).map(([name, row]) => [
    name,
    "only" in row ? `\`${row.only}\`` : "any",
    row.why,
  ]);
  expect(rows).toEqual(expected);
});
