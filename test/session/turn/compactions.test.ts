import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../src/conversation/chat-message.js";
import { type LocalSession, TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { readSafetensors } from "../../helpers/safetensors.js";

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
const system = (content: string): ChatMessage => ({ role: "system", content });

const SUMMARY = "The parser fails, because a comma is missing in line 12 of the grammar. ".repeat(4).trim();
const ASK = user("Summarize the conversation.");

/** Records a call with token ids that no other call has. Returns its messages with the answer, and its id. */
class Recorder {
  readonly store = new TrajectoryStore();
  readonly session: LocalSession = this.store.createSession({ sessionId: "s" });
  #calls = 0;

  call(messages: readonly ChatMessage[], answer: ChatMessage): readonly ChatMessage[] {
    const first = 100 * this.#calls++;
    this.session.record({
      messages,
      output: answer,
      promptIds: Int32Array.of(first),
      outputIds: Int32Array.of(first + 1),
      logprobs: Float32Array.of(-1),
      versions: 0,
      finishReason: "stop",
      interactionId: `call-${this.#calls - 1}`,
    });
    return [...messages, answer];
  }

  /** Records two turns and the request for a summary: calls 0, 1 and 2. */
  conversation(summary = SUMMARY): readonly ChatMessage[] {
    const first = this.call([user("Fix the tests.")], assistant("I look at the parser."));
    const second = this.call([...first, user("And?")], assistant("A comma is missing."));
    return this.call([...second, ASK], assistant(summary));
  }

  async export(options: object = {}) {
    this.session.end();
    const batch = await this.store.exportBatch(["s"], { release: false, ...options });
    return readSafetensors(batch.bytes).tensors;
  }

  /** Returns for each call the call that its conversation was compacted from; -1 for none. */
  async links(): Promise<unknown> {
    return (await this.export())["row_compacted_from"]?.data;
  }
}

describe("a new conversation with the summary of an earlier one", () => {
  it.each([
    ["unchanged", SUMMARY, [user(SUMMARY)]],
    [
      "within a longer message",
      SUMMARY,
      [system("You code."), user(`This continues a conversation:\n\n${SUMMARY}\n\nGo on.`)],
    ],
    ["after another message", SUMMARY, [user("Hello."), user(SUMMARY)]],
    ["as an answer", SUMMARY, [user("What did we do so far?"), assistant(SUMMARY), user("Go on.")]],
    [
      "with other white space",
      `\n ${SUMMARY.replaceAll(". ", ".\n\n\n")}\n`,
      [user(SUMMARY.replaceAll(". ", ".\n\n"))],
    ],
    [
      "without the tags and the analysis around it",
      `<analysis>${"I think about it. ".repeat(30)}</analysis>\n<summary>\n${SUMMARY}\n</summary>`,
      [user(`Summary:\n${SUMMARY}\nContinue.`)],
    ],
  ])("is linked to it if it contains the summary %s", async (_, summary, messages) => {
    const recorder = new Recorder();
    recorder.conversation(summary);
    const root = recorder.call(messages, assistant("I add the comma."));
    recorder.call([...root, user("Thanks.")], assistant("Done."));
    expect(await recorder.links()).toEqual([-1, -1, -1, 2, -1]);
  });

  it.each([
    [200, 2],
    [199, -1],
  ])("is linked to it if the summary has at least 200 characters, not with %i", async (length, link) => {
    const recorder = new Recorder();
    const summary = "x".repeat(length);
    recorder.conversation(summary);
    recorder.call([user(`Summary: ${summary} Continue.`)], assistant("I add the comma."));
    expect(await recorder.links()).toEqual([-1, -1, -1, link]);
  });

  it("is linked to the newest of several equal summaries", async () => {
    const recorder = new Recorder();
    recorder.conversation();
    recorder.call([user(SUMMARY)], assistant("I add the comma."));
    const next = recorder.call([user("Other work."), assistant("Yes?"), user("Look.")], assistant("I looked."));
    recorder.call([...next, ASK], assistant(SUMMARY));
    recorder.call([user(`Again: ${SUMMARY}`)], assistant("I see."));
    expect(await recorder.links()).toEqual([-1, -1, -1, 2, -1, -1, 5]);
  });

  it("is linked if the request for the summary had its own system prompt", async () => {
    const recorder = new Recorder();
    const tool = { id: "call_7", type: "function" as const, function: { name: "run", arguments: "{}" } };
    const used: ChatMessage = { role: "assistant", content: "", tool_calls: [tool] };
    const first = recorder.call([system("You code."), user("Fix the tests.")], used);
    const history = [...first.slice(1), { role: "tool" as const, content: "ok", tool_call_id: "call_7" }];
    recorder.call([system("You summarize."), ...history, ASK], assistant(SUMMARY));
    recorder.call([system("You code."), user(SUMMARY)], assistant("I go on."));
    expect(await recorder.links()).toEqual([-1, 0, 1]);
  });
});

describe("a conversation that is repeated with another first message", () => {
  const tool = { id: "call_7", type: "function" as const, function: { name: "run", arguments: "{}" } };
  const used: ChatMessage = { role: "assistant", content: "", tool_calls: [tool] };
  const result: ChatMessage = { role: "tool", content: "ok", tool_call_id: "call_7" };

  /** Records a call, and two different answers to its result: calls 0, 1 and 2. Returns the messages of calls 0 and 1. */
  function record(recorder: Recorder): readonly ChatMessage[] {
    const first = recorder.call([user("It is Monday. Fix the tests.")], used);
    const second = recorder.call([...first, result], assistant("They pass."));
    recorder.call([...first, result], assistant("One fails."));
    return second;
  }

  it("is linked to the last answer that it repeats", async () => {
    const recorder = new Recorder();
    const repeated = record(recorder).slice(1);
    recorder.call([user("Fix the tests."), ...repeated, user("And?")], assistant("That is all."));
    expect(await recorder.links()).toEqual([-1, -1, -1, 1]);
  });

  it.each([
    ["unknown", "They crash."],
    ["empty", ""],
  ])("is linked to the call if the text after it is %s", async (_, text) => {
    const recorder = new Recorder();
    const repeated = record(recorder).slice(1, -1);
    recorder.call([user("Fix the tests."), ...repeated, assistant(text), user("And?")], assistant("Yes."));
    expect(await recorder.links()).toEqual([-1, -1, -1, 0]);
  });

  it("is linked to no answer that continues another one", async () => {
    const recorder = new Recorder();
    const repeated = record(recorder).slice(1, -1);
    recorder.call([user("Hello.")], assistant("They work."));
    recorder.call([user("Fix the tests."), ...repeated, assistant("They work."), user("And?")], assistant("Yes."));
    expect(await recorder.links()).toEqual([-1, -1, -1, -1, 0]);
  });
});

describe("a conversation that begins like an earlier one and leaves its answers out", () => {
  const begin = user("Fix the tests.");

  it("is linked to the summary that a message of the user contains, and keeps its parent", async () => {
    const recorder = new Recorder();
    recorder.conversation();
    const next = recorder.call([begin, user(`Summary: ${SUMMARY}`)], assistant("I add the comma."));
    recorder.call([...next, user("Thanks.")], assistant("Done."));
    recorder.session.setSessionReward(16);
    const { row_compacted_from: links, row_parent: parents, rewards } = await recorder.export({ discount: 0.5 });
    expect(links?.data).toEqual([-1, -1, -1, 2, -1]);
    expect(parents?.data).toEqual([-1, 0, 1, 0, 3]);
    expect(rewards?.data).toEqual([1, 2, 4, 8, 16]);
  });

  it("keeps a reward of an interaction in its tree", async () => {
    const recorder = new Recorder();
    recorder.conversation();
    recorder.call([begin, user(SUMMARY)], assistant("I add the comma."));
    recorder.session.setReward(16, "call-3");
    expect((await recorder.export({ discount: 0.5 }))["rewards"]?.data).toEqual([8, 0, 0, 16]);
  });

  it.each([
    ["an answer that it repeats", [begin, assistant("Edited."), user("And?"), assistant(SUMMARY), user("Go on.")]],
    ["a text without a summary", [begin, user("x".repeat(500))]],
  ])("is not linked by %s", async (_, messages) => {
    const recorder = new Recorder();
    recorder.conversation();
    recorder.call(messages, assistant("Yes."));
    expect(await recorder.links()).toEqual([-1, -1, -1, -1]);
  });
});

describe("a new conversation is not linked", () => {
  it.each([
    ["if it contains only a part of the summary", SUMMARY, [user(SUMMARY.slice(0, -20))]],
    ["if the summary is short", "A comma is missing.", [user("A comma is missing.")]],
    ["if the summary is in a system message", SUMMARY, [system(SUMMARY), user("Go on.")]],
    [
      "if the summary is in a tool result",
      SUMMARY,
      [user("Go on."), { role: "tool" as const, content: SUMMARY, tool_call_id: "c" }],
    ],
    ["if the summary begins behind the part that is searched", SUMMARY, [user("x".repeat(1 << 17)), user(SUMMARY)]],
  ])("%s", async (_, summary, messages) => {
    const recorder = new Recorder();
    recorder.conversation(summary);
    recorder.call(messages, assistant("Yes."));
    expect(await recorder.links()).toEqual([-1, -1, -1, -1]);
  });

  it("to an answer without earlier answers in its conversation, such as a draft that another agent reviews", async () => {
    const recorder = new Recorder();
    recorder.call([system("You write."), user("Write a report.")], assistant(SUMMARY));
    recorder.call([system("You review."), user(`Review this: ${SUMMARY}`)], assistant("Good."));
    expect(await recorder.links()).toEqual([-1, -1]);
  });
});

describe("the reward of a session with a compacted conversation", () => {
  /** Calls 0, 1, 2 and, after the compaction, 3 and 4. */
  function compacted(): Recorder {
    const recorder = new Recorder();
    recorder.conversation();
    const root = recorder.call([user(SUMMARY)], assistant("I add the comma."));
    recorder.call([...root, user("Thanks.")], assistant("Done."));
    return recorder;
  }

  it("reaches the turns before it, discounted once over the link", async () => {
    const recorder = compacted();
    recorder.session.setSessionReward(16);
    expect((await recorder.export({ discount: 0.5 }))["rewards"]?.data).toEqual([1, 2, 4, 8, 16]);
  });

  it("counts the link in the return of a concat row", async () => {
    const recorder = compacted();
    recorder.session.setSessionReward(16);
    const options = { style: "concat", concatReward: "return", onMismatch: "split", discount: 0.5 };
    const { rewards } = await recorder.export(options);
    expect(rewards?.data).toEqual([1, 2, 4, 8, 16]);
  });

  it("stays in its tree if it was set for an interaction", async () => {
    const recorder = compacted();
    recorder.session.setReward(16, "call-4");
    expect((await recorder.export({ discount: 0.5 }))["rewards"]?.data).toEqual([0, 0, 0, 8, 16]);
  });

  it("is linked in the rows of every layout", async () => {
    const recorder = compacted();
    for (const layout of ["padded", "packed", "tree"]) {
      expect((await recorder.export({ layout }))["row_compacted_from"]?.data).toEqual([-1, -1, -1, 2, -1]);
    }
  });
});
