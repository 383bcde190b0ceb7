import { expect, it, onTestFinished } from "vitest";
import { Proxy } from "../helpers/proxy.js";
import { byteLevelTokenizer } from "../model/support/bpe.js";
import { writeModelFolder } from "../model/support/model-folder.js";

const TEMPLATE = `{% for message in messages %}
{% if message.role == 'assistant' and 'odd' in message.content %}{{ raise_exception('No odd answers.') }}{% endif %}
{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Makes two turns, of which the template refuses to show the first answer. */
async function askTwice(chatTemplateType: "hf" | "concat", firstAnswer: "kept" | "changed") {
  const folder = writeModelFolder(TEMPLATE, ["<|im_end|>"]);
  const proxy = await Proxy.start({ folder, settings: { chatTemplateType } });
  onTestFinished(() => proxy.close());
  const { vocab } = byteLevelTokenizer([]).model;
  const end = byteLevelTokenizer([{ content: "<|im_end|>" }]).added_tokens[0]?.id ?? 0;
  proxy.engine.fallback = { ids: [...Array.from("odd", (letter) => vocab[letter] ?? 0), end] };
  const session = await proxy.session();
  const { messages } = await proxy.turn(session, [{ role: "user", content: "Hello" }]);
  const sent =
    firstAnswer === "kept" ? messages : [messages[0] ?? {}, { role: "assistant", content: "odd but changed" }];
  return proxy.chat(session, [...sent, { role: "user", content: "And then?" }]);
}

it("says that `concat` continues an answer of the model that its template refuses", async () => {
  const reply = await askTwice("hf", "kept");
  expect(reply.refusal).toBe("400 template_error");
  expect(reply.error.message).toBe(
    "The chat template refused the messages: No odd answers. With `rollout.agent.chat_template_type: concat`, the answer is " +
      "continued as the model wrote it.",
  );
});

it("continues that answer with `concat`", async () => {
  expect((await askTwice("concat", "kept")).status).toBe(200);
});

it("gives no such advice for an answer that the model did not write", async () => {
  const reply = await askTwice("hf", "changed");
  expect(reply.error.message).toBe("The chat template refused the messages: No odd answers.");
});
