import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolFamily } from "../../src/model/output/family-lookup.js";
import { Proxy } from "../helpers/proxy.js";
import { GrammarEngine, ScriptedEngine } from "../helpers/scripted-engine.js";
import { publishedTemplate } from "../model/support/golden.js";
import { writeModelFolder } from "../model/support/model-folder.js";

/** What a server says about tool calls that it cannot read or enforce. */

const TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}";
const OPENING = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const UNKNOWN_CALLS =
  "{% for t in tools or [] %}<<tool {{ t.function.name }}>>{% endfor %}" +
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}" +
  "{% for c in m.tool_calls or [] %}<<call {{ c.function.name }}>>{% endfor %}<|im_end|>\n{% endfor %}";

const messages = [{ role: "user", content: "x" }];
const parameters = { type: "object", properties: {} };
const tools = [{ type: "function", function: { name: "add", parameters } }];

async function start(
  template: string | undefined,
  toolCallParser: ToolFamily | "auto" | "none" = "auto",
  engine = true,
  chatTemplateType: "hf" | "concat" = "hf",
) {
  const folder = template === undefined ? {} : { folder: writeModelFolder(template, ["<|im_end|>"]) };
  const proxy = await Proxy.start({
    engine: engine ? new GrammarEngine() : new ScriptedEngine(),
    model: { toolCallParser },
    settings: { chatTemplateType },
    ...folder,
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

const readWarnings = async (proxy: Proxy<ScriptedEngine>) =>
  (await proxy.request({ url: "/health" }, null)).json<{ warnings?: { key: string; message: string }[] }>().warnings;

describe("GET /health", () => {
  it("warns that calls are not read if the template shows tools and no family is detected", async () => {
    const [warning, ...more] = (await readWarnings(await start(`${UNKNOWN_CALLS}${OPENING}`))) ?? [];
    expect(more).toEqual([]);
    expect(warning?.key).toBe("rollout.agent.tool_call_parser");
    expect(warning?.message).toContain("The chat template shows tools, but no family of tool calls is detected");
  });

  it("does not warn of a family `none` that the configuration sets", async () => {
    expect(await readWarnings(await start(`${UNKNOWN_CALLS}${OPENING}`, "none"))).toBeUndefined();
    expect(await readWarnings(await start(undefined, "none"))).toBeUndefined();
  });

  it("has the warnings while the server is not ready, too", async () => {
    const proxy = await start(`${UNKNOWN_CALLS}${OPENING}`);
    proxy.context.draining = true;
    const reply = await proxy.request({ url: "/health" }, null);
    expect([reply.status, reply.json<{ warnings: unknown[] }>().warnings.length]).toEqual([503, 1]);
  });

  // Two of the three published templates of LFM2 write no calls.
  it.each(["LFM2-8B-A1B", "LFM2.5-Instruct", "LFM2.5-8B-A1B"])(
    "warns that earlier calls are not shown if the template omits them: %s",
    async (name) => {
      const omits = name !== "LFM2.5-8B-A1B";
      const source = publishedTemplate(name);
      const inHf = (await readWarnings(await start(source))) ?? [];
      expect(inHf.map(({ key }) => key)).toEqual(omits ? ["rollout.agent.chat_template_type"] : []);
      expect(inHf.every(({ message }) => message.includes("leaves out the tool calls of earlier turns"))).toBe(true);
      expect(await readWarnings(await start(source, "auto", true, "concat"))).toBeUndefined();
      expect(await readWarnings(await start(source, "none"))).toBeUndefined();
    },
  );

  it("has no warnings if the template knows no tools, or if its calls are read and enforced", async () => {
    expect(await readWarnings(await start(`${TURNS}${OPENING}`))).toBeUndefined();
    expect(await readWarnings(await start(undefined))).toBeUndefined();
  });

  it("warns of what a grammar cannot enforce, only if the engine has grammars", async () => {
    const [warning] = (await readWarnings(await start(undefined, "llama3_json"))) ?? [];
    expect(warning?.message).toContain("Unless a request requires a call");
    expect(await readWarnings(await start(undefined, "llama3_json", false))).toBeUndefined();
  });
});

describe("a call that must be made, without a family of calls", () => {
  const requests = [
    ["/v1/chat/completions", { messages, tools, tool_choice: "required" }, "tool_choice"],
    [
      "/v1/chat/completions",
      { messages, tools, tool_choice: { type: "function", function: { name: "add" } } },
      "tool_choice",
    ],
    [
      "/v1/responses",
      { input: "x", tools: [{ type: "function", name: "add", parameters, strict: false }], tool_choice: "required" },
      "tool_choice",
    ],
    [
      "/v1/messages",
      { messages, max_tokens: 9, tools: [{ name: "add", input_schema: parameters }], tool_choice: { type: "any" } },
      "tool_choice",
    ],
  ] as const;

  const settings = [true, false].flatMap((engine) => (["auto", "none"] as const).map((parser) => ({ engine, parser })));

  it.each(settings)("is refused with a 400 that says why ($parser, grammars: $engine)", async ({ engine, parser }) => {
    const proxy = await start(`${UNKNOWN_CALLS}${OPENING}`, parser, engine);
    const session = await proxy.session();
    for (const [url, body, param] of requests) {
      const reply = await proxy.post(url, body, session.key);
      expect(reply.refusal).toBe("400 unsupported_parameter");
      expect([reply.error.param ?? param, reply.error.message]).toEqual([
        param,
        expect.stringContaining(
          "requires a tool call, which is not supported: no family of tool calls is configured or detected for this model",
        ),
      ]);
    }
    expect(proxy.engine.calls).toEqual([]);
  });

  it("is answered if tools are only offered", async () => {
    const proxy = await start(`${UNKNOWN_CALLS}${OPENING}`);
    proxy.engine.fallback = { ids: [70, 71] };
    expect((await proxy.chat(await proxy.session(), messages, { tools })).refusal).toBe("200");
  });

  it("is refused with an error of Google's form in Gemini's API", async () => {
    const proxy = await start(`${UNKNOWN_CALLS}${OPENING}`);
    const session = await proxy.session();
    const contents = [{ role: "user", parts: [{ text: "x" }] }];
    const functionDeclarations = [{ name: "add", description: "Adds." }];
    for (const functionCallingConfig of [{ mode: "ANY" }, { mode: "ANY", allowedFunctionNames: ["add"] }]) {
      for (const path of ["generateContent", "streamGenerateContent?alt=sse"]) {
        const body = { contents, tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } };
        const reply = await proxy.post(`/v1beta/models/tiny:${path}`, body, session.key);
        expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
        expect([reply.status, reply.json()]).toMatchObject([
          400,
          {
            error: {
              code: 400,
              status: "INVALID_ARGUMENT",
              message: expect.stringContaining("requires a tool call, which is not supported: no family of tool calls"),
              details: [{ reason: "UNSUPPORTED_PARAMETER" }],
            },
          },
        ]);
      }
    }
    expect(proxy.engine.calls).toEqual([]);
  });
});
