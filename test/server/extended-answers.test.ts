import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { readAddedText } from "../../src/server/call/extended-answer.js";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type ProxyOptions, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";

/** A client adds text to a recorded answer, in the same message. The prompt keeps the recorded tokens. */

let proxy: Proxy;
afterEach(() => proxy.close());

async function start(chatTemplateType: "hf" | "concat", options: ProxyOptions<ScriptedEngine> = {}) {
  proxy = await Proxy.start({ ...options, settings: { chatTemplateType, ...options.settings } });
}

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const TASK = user("How many?");
const RESULT = user("Observation: 3");

/** Returns one token for each byte, so that text has other tokens than the tokenizer gives it. */
function inBytes(text: string): number[] {
  const { model } = proxy.context;
  const byBytes = new Map<number, number>();
  for (let id = 0; id < 300; id++) {
    const bytes = model.tokenBytes(id);
    const [byte] = bytes;
    if (bytes.length === 1 && byte !== undefined) byBytes.set(byte, id);
  }
  return [...Buffer.from(text)].map((byte) => byBytes.get(byte) ?? 0);
}

const decode = (ids: Int32Array) => proxy.context.model.decode(ids, { skipSpecialTokens: false });

async function render(messages: readonly { role: string; content: string }[]): Promise<string> {
  const { parts } = await proxy.context.model.prompt({ messages: messages as never });
  return parts.join("");
}

/** Makes a call whose answer has this text in single bytes, and no end-of-turn token. */
async function answer(
  session: StartedSession,
  messages: readonly object[],
  text: string,
  extra: object = {},
  end: readonly number[] = [],
): Promise<string> {
  proxy.engine.replies.push({ ids: [...inBytes(text), ...end], finish: { reason: "stop" } });
  const reply = await proxy.chat(session, messages, extra);
  expect(reply.refusal).toBe("200");
  return reply.json<{ choices: [{ message: { content: string } }] }>().choices[0].message.content;
}

const promptOf = (call: number) => proxy.engine.calls[call]?.prompt.tokens() ?? new Int32Array();

async function interactions(session: StartedSession) {
  await proxy.end(session);
  return Object.values((await proxy.export(session)).json<WireExport>().interactions);
}

describe.each(["hf", "concat"] as const)("text added to an answer with %s", (type) => {
  it("follows the recorded tokens, after the stop string that the client puts back", async () => {
    await start(type);
    const session = await proxy.session();
    const stop = { stop: ["Observation:", "</code>"] };
    const said = await answer(session, [TASK], "I look.\n<code>\nlook()\n</code>", stop);
    expect(said).toBe("I look.\n<code>\nlook()\n");
    const history = [TASK, assistant(`${said}</code>\nCalling tools:\n[look]`), RESULT];
    const second = await answer(session, history, "3 it is.</code>", stop);
    const ids = [...promptOf(0), ...inBytes("I look.\n<code>\nlook()\n</code>")];
    expect([...promptOf(1).subarray(0, ids.length)]).toEqual(ids);
    expect(decode(promptOf(1))).toBe(await render(history));
    await answer(session, [...history, assistant(`${second}</code>\nCalling tools:\n[]`), RESULT], "Done.");
    await proxy.end(session);
    const body = { session_ids: [session.id], style: "concat", turns: true };
    const reply = await proxy.post("/export_batch", body);
    const { tensors } = readSafetensors(reply.raw);
    expect(tensors["turn_extended"]?.data).toEqual([0, 1, 1]);
    expect(tensors["row_extended"]?.data).toEqual([1]);
  });

  it("is named by the call that has it in its prompt", async () => {
    await start(type);
    const session = await proxy.session();
    const said = await answer(session, [TASK], "one two");
    await answer(session, [TASK, assistant(`${said}, three`), RESULT], "four");
    const [first, second] = await interactions(session);
    expect(first).toMatchObject({ extended: false });
    expect(second).toMatchObject({ extended: true, token_exact: true, cause: null, parent_id: first?.interaction_id });
    const mask = numbers(second as never, "loss_mask");
    expect(mask.filter((trained) => trained === 1)).toHaveLength("four".length);
  });

  it("is in the recorded messages of every later call", async () => {
    await start(type);
    const session = await proxy.session();
    const history: { role: string; content: string }[] = [TASK];
    const requests: object[] = [];
    for (const text of ["one", "two", "three"]) {
      requests.push([...history]);
      history.push(assistant(`${await answer(session, history, text)} and more`), RESULT);
    }
    await proxy.end(session);
    const { interactions: all } = (await proxy.export(session, { include: ["messages"] })).json<WireExport>();
    expect(Object.values(all).map(({ messages }) => messages)).toEqual(requests);
    expect(Object.values(all).map(({ token_exact }) => token_exact)).toEqual([false, true, true]);
  });

  it("is not named if the client only puts the stop string back", async () => {
    await start(type);
    const session = await proxy.session();
    const said = await answer(session, [TASK], "one END", { stop: ["END"] });
    const history = [TASK, assistant(`${said}END`), RESULT];
    await answer(session, history, "two");
    expect(decode(promptOf(1))).toBe(await render(history));
    expect((await interactions(session))[1]).toMatchObject({ extended: false, token_exact: true, cause: null });
  });

  it("rewrites the history if the model had ended its turn", async () => {
    await start(type);
    const session = await proxy.session();
    const said = await answer(session, [TASK], "one two", {}, [proxy.context.model.stopTokenIds[0] ?? 0]);
    const history = [TASK, assistant(`${said}, three`), RESULT];
    await answer(session, history, "four");
    expect(decode(promptOf(1))).toBe(await render(history));
    const [, second] = await interactions(session);
    expect(second).toMatchObject({ extended: false, token_exact: false, cause: "history_rewritten" });
  });

  it.each([
    ["the beginning of the message is other text", [TASK, assistant("One two, three"), RESULT]],
    ["an earlier message differs", [user("How few?"), assistant("one two, three"), RESULT]],
    ["it has a tool call", [TASK, { ...assistant("one two, three"), tool_calls: [call("a")] }, result("a")]],
    ["another answer follows", [TASK, assistant("one two, three"), RESULT, assistant("mine"), RESULT]],
  ])("rewrites the history if %s", async (_, messages) => {
    await start(type);
    const session = await proxy.session();
    await answer(session, [TASK], "one two");
    await answer(session, messages, "four");
    expect((await interactions(session))[1]).toMatchObject({ extended: false, token_exact: false });
  });

  it("does not extend an answer with the same text in another conversation", async () => {
    await start(type);
    const session = await proxy.session();
    const said = await answer(session, [TASK], "one");
    await answer(session, [user("How few?"), assistant("two"), RESULT], "one");
    await answer(session, [TASK, assistant(said), RESULT, assistant("one, three"), RESULT], "four");
    expect((await interactions(session))[2]).toMatchObject({ extended: false });
  });

  it("does not extend a recorded answer without text", async () => {
    await start(type);
    const session = await proxy.session();
    await answer(session, [TASK], "END", { stop: ["END"] });
    await answer(session, [TASK, assistant("END, three"), RESULT], "four");
    expect((await interactions(session))[1]).toMatchObject({ extended: false });
  });

  it("continues the longest recorded answer with which the message begins", async () => {
    await start(type);
    const session = await proxy.session();
    for (const text of ["one two", "one", "one two"]) await answer(session, [TASK], text);
    await answer(session, [TASK, assistant("one two, three"), RESULT], "four");
    const all = await interactions(session);
    expect(all[3]).toMatchObject({ extended: true, parent_id: all[2]?.interaction_id });
  });

  it("is found again after a restart", async () => {
    const { mkdtempSync, rmSync } = await import("node:fs");
    const directory = mkdtempSync("/tmp/rolltape-extended-");
    await start(type, { storage: { directory } });
    const session = await proxy.session();
    const said = await answer(session, [TASK], "one two END", { stop: ["END"] });
    await proxy.close();
    await start(type, { storage: { directory } });
    const history = [TASK, assistant(`${said}END, three`), RESULT];
    await answer(session, history, "four");
    expect(decode(promptOf(0))).toBe(await render(history));
    expect((await interactions(session))[1]).toMatchObject({ extended: true, token_exact: true });
    rmSync(directory, { recursive: true });
  });

  it("keeps the tokens of any answer, and shows what the template shows", async () => {
    await start(type);
    // No white space at the ends, which messages are compared without.
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((s) => s.trim() === s && !/[<|\uFFFD]/u.test(s));
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom("", " ", "\n", "\n\n"), async (recorded, added, space) => {
        proxy.engine.calls.length = 0;
        const session = await proxy.session();
        const said = await answer(session, [TASK], recorded);
        expect(said).toBe(recorded);
        const history = [TASK, assistant(said + space + added), RESULT];
        await answer(session, history, "done");
        const ids = [...promptOf(0), ...inBytes(recorded)];
        expect([...promptOf(1).subarray(0, ids.length)]).toEqual(ids);
        expect(decode(promptOf(1))).toBe(await render(history));
        await proxy.request({ method: "DELETE", url: `/sessions/${session.id}` });
      }),
      { numRuns: 100 },
    );
  });
});

describe("text added to an answer with concat", () => {
  it("follows the stop string that the client leaves out", async () => {
    await start("concat");
    const session = await proxy.session();
    const said = await answer(session, [TASK], "one END", { stop: ["END"] });
    await answer(session, [TASK, assistant(`${said}two`), RESULT], "three");
    expect(decode(promptOf(1))).toContain("one ENDtwo<|im_end|>");
  });

  it("rewrites the history if the tools differ", async () => {
    await start("concat");
    const session = await proxy.session();
    const tools = [{ type: "function", function: { name: "look" } }];
    const said = await answer(session, [TASK], "one", { tools });
    await answer(session, [TASK, assistant(`${said} two`), RESULT], "three");
    expect((await interactions(session))[1]).toMatchObject({ extended: false, token_exact: false });
  });
});

const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: "{}" } });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "3" });

describe("the text of a message after its sampled text", () => {
  it.each([
    ["code</code>", "code", "</code>", "code</code>\nCalling", "\nCalling"],
    ["code</code>\n", "code", "</code>", "code</code>\nCalling", "Calling"],
    ["code</code>\n\n", "code", "</code>", "code</code>\nCalling", "Calling"],
    ["code</code>", "code", "</code>", "code\nCalling", "\nCalling"],
    ["<think>a</think>code</code>", "code", "</code>", "code</code>.", "."],
    ["code", "code", undefined, "code.", "."],
    ["of the answer.", "Begin of the answer.", undefined, "Begin of the answer. More.", " More."],
  ])("of %j, shown as %j", (sampled, shown, stopString, message, added) => {
    expect(readAddedText(sampled, { answer: shown, stopString, message })).toBe(added);
  });

  it.each([
    ["has a part of the stop string", "code</code>", "code", "</code>", "code</b>"],
    ["has no text that the stop string's last token has", "code</code>)", "code", "</code>", "code</code>.more"],
    ["follows an answer that is not the sampled text", "other", "code", undefined, "code."],
    ["follows a stop string that was not sampled", "code", "code", "</code>", "code</code>"],
  ])("is undefined if it %s", (_, sampled, shown, stopString, message) => {
    expect(readAddedText(sampled, { answer: shown, stopString, message })).toBeUndefined();
  });
});
