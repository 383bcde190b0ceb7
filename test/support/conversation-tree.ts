import * as fc from "fast-check";
import type { ChatMessage } from "../../src/conversation/chat-message.js";
import type { StoredSession } from "../../src/session/trajectory-store.js";

export const user = (content: string): ChatMessage => ({ role: "user", content });
export const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

/** A turn: messages so far, a prompt of these ids, an output of those. */
export function turn(
  messages: readonly ChatMessage[],
  prompt: readonly number[],
  output: readonly number[],
  answer = "ok",
) {
  return {
    messages,
    output: assistant(answer),
    promptIds: Int32Array.from(prompt),
    outputIds: Int32Array.from(output),
    logprobs: Float32Array.from(output, (id) => -id / 1024),
    versions: 2,
    finishReason: "stop",
  };
}

/** A random conversation tree and what its export must be, from whole sequences kept per interaction. */
export interface Made {
  readonly messages: readonly ChatMessage[];
  readonly prompt: readonly number[];
  readonly output: readonly number[];
  readonly parent: number;
  readonly reward: number | undefined;
}

const step = fc.record({
  parent: fc.nat(),
  isRoot: fc.boolean(),
  exact: fc.boolean(),
  tail: fc.array(fc.nat(50), { minLength: 1, maxLength: 4 }),
  output: fc.array(fc.nat(50), { maxLength: 4 }),
  reward: fc.option(fc.integer({ min: -4, max: 4 }), { nil: undefined }),
});

function make(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): Made[] {
  const made: Made[] = [];
  steps.forEach(({ parent, isRoot, exact, tail, output, reward }, i) => {
    const from = made.length > 0 && !isRoot ? parent % made.length : -1;
    const base = made[from];
    const history = base ? [...base.messages, assistant(`answer ${from}`)] : [];
    const before = base ? [...base.prompt, ...base.output] : [];
    const prompt = exact ? [...before, ...tail] : [99, ...before.slice(1), ...tail];
    made.push({ messages: [...history, user(`question ${i}`)], prompt, output, parent: from, reward });
  });
  return made;
}

/** Random trees with branches, children that are not token-exact, empty outputs and rewards here and there. */
export const conversationTree = fc.array(step, { minLength: 1, maxLength: 12 }).map(make);

export function recordTree(session: StoredSession, made: readonly Made[]): void {
  made.forEach((each, i) => {
    const input = turn(each.messages, each.prompt, each.output, `answer ${i}`);
    const id = session.record({ ...input, interactionId: `i${i}` });
    if (each.reward !== undefined) session.setReward(each.reward, id);
  });
}
