import { describe, expect, it } from "vitest";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";

const OPTIONS = { specialTokens: new Map<string, string>(), now: () => new Date(0), templateArgs: {} };
const TOO_MANY = "the template has too many iterations and calls of macros";

describe("a chat template that never ends", () => {
  it.each([
    ["loops in loops", "{% for i in range(100000) %}{% for j in range(100000) %}{{ i }}{% endfor %}{% endfor %}"],
    [
      "a macro that calls itself twice",
      "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    ],
  ])("is refused when it is loaded: %s", (_, source) => {
    expect(() => new ChatTemplate(source, OPTIONS)).toThrow(TOO_MANY);
  });

  it("is not one that looks at all messages for each of 1,500 messages", () => {
    const source =
      "{% for m in messages %}{% for n in messages %}{% if loop.last %}{{ n.content }}{% endif %}{% endfor %}{% endfor %}";
    const messages = Array.from({ length: 1500 }, () => ({ role: "user" as const, content: "a" }));
    expect(new ChatTemplate(source, OPTIONS).render({ messages }, true)).toHaveLength(1500);
  });
});
