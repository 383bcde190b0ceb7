import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversation, Message } from "../../../src/conversation/message.js";
import { TemplateError } from "../../../src/model/chat-model.js";
import type { KnownRendering } from "../../../src/model/jinja/index.js";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { type History, history } from "../continuation/histories.js";
import { fixtureTemplate, fixtureTemplates, loadableModels, publishedTemplate } from "../support/golden.js";

/** A change of the conversation between two renderings. */
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("append" as const), more: history }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("replace" as const), at: fc.nat(40), content: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("drop" as const), at: fc.nat(40) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("truncate" as const), count: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("arguments" as const), thinks: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("tools" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("first" as const) }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function applyChange(conversation: Conversation, first: Conversation, next: Change): Conversation {
  const { messages } = conversation;
  switch (next.type) {
    case "append":
      return { ...conversation, messages: [...messages, ...next.more.conversation.messages.filter(isNotSystem)] };
    case "replace":
      return {
        ...conversation,
        messages: messages.map((each, i) => (i === next.at ? { ...each, content: next.content } : each)),
      };
    case "drop":
      return { ...conversation, messages: messages.filter((_, i) => i !== next.at || messages.length === 1) };
    case "truncate":
      return { ...conversation, messages: messages.slice(0, next.count) };
    case "arguments":
      return { ...conversation, templateArgs: { enable_thinking: next.thinks } };
    case "tools":
      return { messages, ...(conversation.tools ? {} : { tools: [{ type: "function", function: { name: "f" } }] }) };
    case "first":
      return first;
  }
}

/** Joins conversations into one that has the tools and the system message of the first. */
function join(histories: readonly History[]): Conversation {
  const [first, ...more] = histories.map(({ conversation }) => conversation);
  return {
    ...first,
    messages: [first, ...more].flatMap(
      (each, i) => each?.messages.filter((message) => i === 0 || isNotSystem(message)) ?? [],
    ),
  };
}

const isNotSystem = ({ role }: Message): boolean => role !== "system";

/** Renders a conversation. Returns the message of the error if the template refuses it. */
function render(template: ChatTemplate, conversation: Conversation, known?: readonly KnownRendering[]) {
  try {
    return runAtOnce(template.renderInSteps(conversation, true, known));
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

const shown = (rendering: KnownRendering | string) => (typeof rendering === "string" ? rendering : rendering.parts);

const create = (source: string): ChatTemplate =>
  new ChatTemplate(source, {
    now: () => new Date(2026, 10, 20),
    templateArgs: {},
    specialTokens: new Map([
      ["bos_token", "<BOS>"],
      ["eos_token", "<EOS>"],
    ]),
  });

/** Renders random sessions that know their earlier renderings. Each rendering must equal one that knows none. */
function expectSameRenderings(source: string): void {
  const template = create(source);
  const reference = create(source);
  fc.assert(
    fc.property(
      fc.array(history, { minLength: 2, maxLength: 4 }),
      fc.array(change, { minLength: 3, maxLength: 8 }),
      (begin, changes) => {
        const first = join(begin);
        let known: readonly KnownRendering[] = [];
        let conversation: Conversation = first;
        for (const next of changes) {
          const rendered = render(template, conversation, known);
          const expected = render(reference, conversation);
          expect(shown(rendered)).toEqual(shown(expected));
          if (typeof rendered !== "string") known = [rendered, ...known].slice(0, 4);
          conversation = applyChange(conversation, first, next);
        }
      },
    ),
    { numRuns: 40 },
  );
}

describe("a rendering that takes messages from earlier ones equals a full rendering", () => {
  it.each(fixtureTemplates())("with the template %s", (name) => expectSameRenderings(fixtureTemplate(name)));
  it.each(loadableModels)("with the published template %s", (name) => expectSameRenderings(publishedTemplate(name)));
});
