import { describe, expect, it } from "vitest";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { omitsCalls, showsTools } from "../../../src/model/template/shows-tools.js";
import { loadableModels, publishedTemplate } from "../support/golden.js";

const SPECIAL = new Map(["bos_token", "eos_token", "pad_token", "unk_token"].map((name) => [name, `<${name}>`]));

const create = (source: string): ChatTemplate =>
  new ChatTemplate(source, { specialTokens: SPECIAL, now: () => new Date(), templateArgs: {} });

const TURNS = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}";

describe("showsTools", () => {
  it("is true for a template that shows tools, perhaps only in a system message, or calls", () => {
    expect(showsTools(create(`{% for t in tools or [] %}{{ t.function.name }}{% endfor %}${TURNS}`))).toBe(true);
    const inSystem = "{% if messages[0].role == 'system' and tools %}{{ tools }}{% endif %}";
    expect(showsTools(create(`${inSystem}${TURNS}`))).toBe(true);
    const calls =
      "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}{% endfor %}";
    expect(showsTools(create(`${TURNS}${calls}`))).toBe(true);
  });

  it("is false for a template that ignores or refuses tools", () => {
    expect(showsTools(create(TURNS))).toBe(false);
    const refuse = "{% if tools %}{{ raise_exception('no tools') }}{% endif %}";
    const noCalls = "{% for m in messages %}{% if m.tool_calls %}{{ raise_exception('no') }}{% endif %}{% endfor %}";
    expect(showsTools(create(`${refuse}${noCalls}${TURNS}`))).toBe(false);
  });

  it("is true for all published templates but three", () => {
    const without = loadableModels.filter((name) => !showsTools(create(publishedTemplate(name))));
    expect(without).toEqual(["google-gemma-2-2b-it", "llama-cpp-rwkv-world", "microsoft-Phi-3.5-mini-instruct"]);
  });
});

describe("omitsCalls", () => {
  const calls = "{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}";

  it("is true for a template that renders a turn with calls without them", () => {
    expect(omitsCalls(create(TURNS))).toBe(true);
  });

  it("is false for a template that shows calls, perhaps only with their results", () => {
    expect(omitsCalls(create(`{% for m in messages %}${calls}{% endfor %}`))).toBe(false);
    const withResults = `{% if messages[-1].role == 'tool' %}{% for m in messages %}${calls}{% endfor %}{% endif %}`;
    expect(omitsCalls(create(`${TURNS}${withResults}`))).toBe(false);
  });

  it("is false for a template that refuses calls", () => {
    const refuse = "{% if m.tool_calls %}{{ raise_exception('no') }}{% endif %}";
    expect(omitsCalls(create(`{% for m in messages %}${refuse}{{ m.content }}{% endfor %}`))).toBe(false);
  });

  it("is true for three published templates that show tools", () => {
    const templates = loadableModels.map((name) => [name, create(publishedTemplate(name))] as const);
    const omitting = templates.filter(([, template]) => showsTools(template) && omitsCalls(template));
    expect(omitting.map(([name]) => name)).toEqual([
      "LFM2-8B-A1B",
      "LFM2.5-Instruct",
      "ibm-granite-granite-3.3-2B-Instruct",
    ]);
  });
});
