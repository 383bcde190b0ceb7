import { describe, expect, it } from "vitest";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { showsTools } from "../../../src/model/template/shows-tools.js";
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
