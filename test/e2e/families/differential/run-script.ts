import { numbers, type WireExport } from "../../../helpers/export-json.js";
import type { FamilyModel } from "../../../helpers/family-model.js";
import type { Proxy, StartedSession } from "../../../helpers/proxy.js";
import { readData } from "../../../helpers/sse.js";
import type { Random } from "./random.js";
import type { Script, ScriptedTurn } from "./scripts.js";

/** What a run found. */
export interface Findings {
  turns: number;
  tokens: number;
  continued: number;
  rendered: number;
  unwritten: number;
  readonly differences: string[];
}

export const noFindings = (): Findings => ({
  turns: 0,
  tokens: 0,
  continued: 0,
  rendered: 0,
  unwritten: 0,
  differences: [],
});

interface Call {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

interface ReadAnswer {
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly Call[];
}

/**
 * Lets an agent have one conversation with the proxy in `concat`: the engine samples the written texts in tokens that no tokenizer
 * chooses. Compares prompts with the template's renderings, answers with what was meant, and the export with the engine's log.
 */
export async function runScript(
  proxy: Proxy,
  model: FamilyModel,
  { plan, turns, unwritten }: Script,
  random: Random,
  findings: Findings,
): Promise<void> {
  findings.unwritten += unwritten;
  if (turns.length === 0) return;
  const session = await proxy.session();
  const messages: object[] = plan.opening.map(({ role, content }) => ({ role, content }));
  const rows: { prompt: number[]; output: number[] }[] = [];
  const differ = (what: string, got: unknown, wanted: unknown): void => {
    const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
    if (a !== b) findings.differences.push(`${what}: ${a} instead of ${b}`);
  };
  let expected: { ids: number[]; next: string; planned: Map<string, string> } | undefined;
  for (const turn of turns) {
    const output = await oddTokens(model, turn.written, random);
    proxy.engine.replies.push({ ids: output, perFrame: 1 });
    const answer = await ask(proxy, session, { messages, tools: plan.tools }, random.below(2) === 0);
    if (typeof answer === "string") {
      findings.differences.push(`the call failed: ${answer}`);
      return;
    }
    const prompt = [...(proxy.engine.calls.at(-1)?.prompt.tokens() ?? [])];
    rows.push({ prompt, output });
    findings.turns++;
    findings.tokens += output.length;
    if (expected === undefined) {
      differ("the first prompt", model.decode(prompt), turn.prompt);
      findings.rendered++;
    } else if (JSON.stringify(prompt.slice(0, expected.ids.length)) === JSON.stringify(expected.ids)) {
      findings.continued++;
      let rest = model.decode(prompt.slice(expected.ids.length));
      for (const [id, planned] of expected.planned) rest = rest.replaceAll(id, planned);
      if (!expected.next.endsWith(rest)) differ("the continuation", rest, expected.next.slice(-rest.length));
    } else differ("a continued prompt", model.decode(prompt), expected.next);
    compareAnswer(answer, turn, differ);
    const ids = new Map(turn.answer.calls.map(({ id }, i) => [id, answer.tool_calls?.[i]?.id ?? id]));
    messages.push({ role: "assistant", ...answer });
    for (const { role, content, toolCallId } of turn.following) {
      messages.push({ role, content, ...(toolCallId === undefined ? {} : { tool_call_id: ids.get(toolCallId) }) });
    }
    if (turn.next === undefined) break;
    const planned = new Map([...ids].map(([id, received]) => [received, id]));
    expected = { ids: [...prompt, ...output], next: turn.next, planned };
  }
  await proxy.end(session);
  const { interactions } = (await proxy.export(session)).json<WireExport>();
  const exported = Object.values(interactions).map((row) => [numbers(row, "input_ids"), numbers(row, "loss_mask")]);
  const logged = rows.map(({ prompt, output }) => [
    [...prompt, ...output],
    [...prompt.map(() => 0), ...output.map(() => 1)],
  ]);
  differ("the export", exported, logged);
}

type Differ = (what: string, got: unknown, wanted: unknown) => void;

function compareAnswer(answer: ReadAnswer, { answer: meant, isJson }: ScriptedTurn, differ: Differ): void {
  differ("the content", answer.content ?? "", meant.content);
  differ("the reasoning", answer.reasoning_content ?? "", meant.reasoning);
  const read = (args: string): unknown => (isJson ? args : readJson(args));
  const calls = (answer.tool_calls ?? []).map(({ function: { name, arguments: args } }) => [name, read(args)]);
  differ(
    "the calls",
    calls,
    meant.calls.map(({ name, args }) => [name, read(args)]),
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { notJson: text };
  }
}

/** Cuts a text at random places and encodes the parts one by one, so that the tokens are valid but not those of the tokenizer. */
async function oddTokens(model: FamilyModel, text: string, random: Random): Promise<number[]> {
  const ids: number[] = [];
  for (let rest = text; rest !== ""; ) {
    const part = model.addedTokenAt(rest) ?? takePlain(model, rest, 1 + random.below(6));
    ids.push(...(await model.encode(part)));
    rest = rest.slice(part.length);
  }
  return ids;
}

/** Returns some characters before the next added token. */
function takePlain(model: FamilyModel, text: string, most: number): string {
  let part = "";
  for (const character of Array.from(text.slice(0, 2 * most)).slice(0, most)) {
    if (part !== "" && model.addedTokenAt(text.slice(part.length)) !== undefined) break;
    part += character;
  }
  return part;
}

type CallDelta = Partial<Call> & { readonly index: number };

function joinCalls(deltas: readonly CallDelta[]): Call[] {
  const calls: Call[] = [];
  for (const { index, id = "", function: part } of deltas) {
    const known = calls[index] ?? { id, type: "function", function: { name: part?.name ?? "", arguments: "" } };
    const args = known.function.arguments + (part?.arguments ?? "");
    calls[index] = { ...known, function: { ...known.function, arguments: args } };
  }
  return calls;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly CallDelta[];
}

/** Returns the answer, or why there is none. */
async function ask(
  proxy: Proxy,
  session: StartedSession,
  { messages, tools }: { messages: readonly object[]; tools: readonly object[] },
  stream: boolean,
): Promise<ReadAnswer | string> {
  const reply = await proxy.chat(session, messages, { stream, ...(tools.length > 0 ? { tools } : {}) });
  if (reply.status !== 200) return reply.raw.toString();
  if (!stream) return reply.json<{ choices: [{ message: ReadAnswer }] }>().choices[0].message;
  const deltas = readData<{ choices: readonly { delta: Delta }[] }>(reply.raw.toString()).flatMap(({ choices }) =>
    choices.map(({ delta }) => delta),
  );
  const joined = (texts: readonly (string | null | undefined)[]): string => texts.map((text) => text ?? "").join("");
  const calls = joinCalls(deltas.flatMap(({ tool_calls = [] }) => tool_calls));
  const reasoning = joined(deltas.map(({ reasoning_content }) => reasoning_content));
  return {
    content: joined(deltas.map(({ content }) => content)),
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}
