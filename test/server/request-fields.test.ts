import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureTinyModel } from "../../src/engine/index.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { EXPERT_MODEL } from "../helpers/routed-experts.js";
import { GrammarEngine } from "../helpers/scripted-engine.js";
import { CHAT_BASE, CHAT_FIELDS, CHAT_MORE, CHAT_PARTS } from "./request-fields/chat-completions.js";
import type { Field } from "./request-fields/field.js";
import { GENERATE_BASE, GENERATE_FIELDS, GENERATE_MORE, GENERATE_PARTS } from "./request-fields/generate-content.js";
import { MESSAGES_BASE, MESSAGES_FIELDS, MESSAGES_MORE, MESSAGES_PARTS } from "./request-fields/messages.js";
import { RESPONSES_BASE, RESPONSES_FIELDS, RESPONSES_MORE, RESPONSES_PARTS } from "./request-fields/responses.js";

/** Every field of every protocol is honoured, refused, or has no effect, as documented in docs/reference/request-fields.md. */

/** Writes everything that a template can receive into the prompt. */
const TEMPLATE = `{%- for m in messages %}<|im_start|>{{ m.role }} {{ m.name }} {{ m.tool_call_id }} {{ m.reasoning_content }}
{{ m.content }}{{ m.tool_calls | default([]) | tojson }}<|im_end|>
{% endfor %}{{ tools | tojson }} {{ enable_thinking }} {{ thinking_budget }} {{ reasoning_effort }}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

let folder: string;
let proxy: Proxy<GrammarEngine>;
let session: StartedSession;
let earlier: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "request-fields-"));
  cpSync((await ensureTinyModel()).folder, folder, { recursive: true });
  writeFileSync(join(folder, "chat_template.jinja"), TEMPLATE);
  const settings = { enforceStrictTools: true };
  const engine = Object.assign(new GrammarEngine(), { recordedExperts: EXPERT_MODEL });
  proxy = await Proxy.start({ engine, folder, model: { toolCallParser: "hermes" }, settings });
  session = await proxy.session();
  earlier = (await proxy.post("/v1/responses", RESPONSES_BASE, session.key)).json<{ id: string }>().id;
});
afterAll(async () => {
  await proxy.close();
  rmSync(folder, { recursive: true });
});

interface Case {
  readonly name: string;
  readonly without: object;
  readonly with: object;
  readonly field: Field;
}

interface Part {
  readonly in: string;
  readonly without: object;
  readonly fields: Readonly<Record<string, Field>>;
}

function listCases(fields: Readonly<Record<string, Field>>, parts: Readonly<Record<string, Part>>): Case[] {
  const whole = Object.entries(fields).map(([name, field]) => {
    const without = { ...field.beside };
    return { name, without, with: { ...without, [name]: field.value }, field };
  });
  const inParts = Object.entries(parts).flatMap(([prefix, part]) =>
    Object.entries(part.fields).map(([key, field]) => ({
      name: prefix + key,
      without: part.without,
      with: { ...part.without, [part.in]: field.value },
      field,
    })),
  );
  return [...whole, ...inParts];
}

const PROTOCOLS: [string, string, object, Case[]][] = [
  ["Chat completions", "/v1/chat/completions", CHAT_BASE, listCases({ ...CHAT_FIELDS, ...CHAT_MORE }, CHAT_PARTS)],
  [
    "Responses",
    "/v1/responses",
    RESPONSES_BASE,
    listCases({ ...RESPONSES_FIELDS, ...RESPONSES_MORE }, RESPONSES_PARTS),
  ],
  ["Messages", "/v1/messages", MESSAGES_BASE, listCases({ ...MESSAGES_FIELDS, ...MESSAGES_MORE }, MESSAGES_PARTS)],
  [
    "Generate content",
    "/v1beta/models/tiny:generateContent",
    GENERATE_BASE,
    listCases({ ...GENERATE_FIELDS, ...GENERATE_MORE }, GENERATE_PARTS),
  ],
];

/** Ids, what is made of them, and times. */
const VOLATILE = /(chatcmpl-|resp_|msg_|gen_)\w+|"thoughtSignature":"\w+"|"created(_at)?":\d+/g;

/** Sends a request and returns what the engine received, and the answer without ids and times. */
async function trace(url: string, body: object): Promise<{ reply: Reply; engine: string; answer: string }> {
  const fields = Object.entries(body).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "function" ? (value as (id: string) => unknown)(earlier) : value,
  ]);
  const reply = await proxy.post(url, Object.fromEntries(fields) as object, session.key);
  const call = proxy.engine.calls.at(-1);
  const engine = JSON.stringify([[...(call?.prompt.tokens() ?? [])], call?.sampling]);
  const answer = reply.raw.toString().replace(VOLATILE, "");
  return { reply, engine, answer };
}

describe.each(PROTOCOLS)("%s", (title, url, base, cases) => {
  it.each(cases)("$name: $field.is", async ({ name, without, with: body, field }) => {
    const before = await trace(url, { ...base, ...without });
    expect(before.reply.refusal).toBe("200");
    const after = await trace(url, { ...base, ...body });
    const seen = {
      status: after.reply.status,
      changesEngine: after.engine !== before.engine,
      changesAnswer: after.answer !== before.answer,
    };
    const last = name.split(".").at(-1) ?? name;
    const expected = {
      "400": () => [after.reply.status, `${after.reply.error.param} ${after.reply.error.message}`.includes(last)],
      honoured: () => [seen.status, seen.changesEngine || seen.changesAnswer],
      "no effect": () => [seen.status, !seen.changesEngine],
    };
    expect(expected[field.is]()).toEqual([field.is === "400" ? 400 : 200, true]);
  });

  it("has the same fields as docs/reference/request-fields.md", () => {
    const page = readFileSync("docs/reference/request-fields.md", "utf8");
    const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
    const rows = [...section.matchAll(/^\| `([^|]+)` \| (honoured|400|no effect) \|/gm)].flatMap(([, names = "", is]) =>
      names.split("`, `").map((name) => [name, is]),
    );
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(cases.map(({ name, field }) => [name, field.is])));
    expect(rows).toHaveLength(cases.length);
  });
});
