import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolFamily } from "../../src/model/output/family-lookup.js";
import { Proxy } from "../helpers/proxy.js";
import { GrammarEngine, ScriptedEngine } from "../helpers/scripted-engine.js";
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
) {
  const folder = template === undefined ? {} : { folder: writeModelFolder(template, ["<|im_end|>"]) };
  const proxy = await Proxy.start({
    engine: engine ? new GrammarEngine() : new ScriptedEngine(),
    model: { toolCallParser },
    ...folder,
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

const readWarnings = async (proxy: Proxy<ScriptedEngine>) =>
  (await proxy.request({ url: "/health" }, null)).json<{ warnings?: { key: string; message: string }[] }>().warnings;

describe("GET /health", () => {
  it.each(["auto", "none"] as const)(
    "warns that calls are not read if the template shows tools (%s)",
    async (parser) => {
      const proxy = await start(parser === "auto" ? `${UNKNOWN_CALLS}${OPENING}` : undefined, parser);
      const [warning, ...more] = (await readWarnings(proxy)) ?? [];
      expect(more).toEqual([]);
      expect(warning?.key).toBe("rollout.agent.tool_call_parser");
      expect(warning?.message).toContain(
        "The chat template shows tools, but no family of tool calls is configured or detected",
      );
    },
  );

  it("has the warnings while the server is not ready, too", async () => {
    const proxy = await start(undefined, "none");
    proxy.context.draining = true;
    const reply = await proxy.request({ url: "/health" }, null);
    expect([reply.status, reply.json<{ warnings: unknown[] }>().warnings.length]).toEqual([503, 1]);
  });

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

  it.each([true, false])("is refused with a 400 that says why (engine with grammars: %s)", async (engine) => {
    const proxy = await start(`${UNKNOWN_CALLS}${OPENING}`, "auto", engine);
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
    expect((await proxy.chat(await proxy.session(), messages, { tools })).refusal).toBe("200");
  });
});
