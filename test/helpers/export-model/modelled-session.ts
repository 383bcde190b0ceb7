import type { ChatMessage } from "../../../src/conversation/chat-message.js";
import { assistant, user } from "../turn.js";

/** One recorded model call with its complete content. */
export interface Turn {
  readonly id: string;
  /** The texts of its input messages: user, assistant, user, … */
  readonly texts: readonly string[];
  readonly answer: string;
  readonly finishReason: string;
  readonly prompt: readonly number[];
  readonly output: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
  /** Index in the session; -1 for a root. */
  readonly parent: number;
  /** True if its messages continue its parent's messages and answer, not only the messages. */
  readonly continues: boolean;
  readonly reward: number | undefined;
  /** The model that the request named. */
  readonly model: string | undefined;
  readonly tag: string | undefined;
  /** True if the client's connection closed before the answer was sent. */
  readonly undelivered: boolean;
  /** True if it is left out by default. */
  readonly marked?: boolean;
}

/** The random parameters of one call. The resulting turn depends on the calls before. */
export interface Step {
  /** The call that it continues, modulo the number of calls. */
  readonly from: number;
  readonly history: "root" | "continued" | "rewritten" | "again";
  readonly question: number;
  readonly answer: number;
  readonly prompt: "exact" | "changed" | "shortened" | "unrelated";
  /** Position at which the prompt departs from its parent's tokens, modulo their number. */
  readonly at: number;
  readonly tail: readonly number[];
  readonly output: readonly { readonly id: number; readonly logprob: number; readonly version: number }[];
  readonly reward: number | undefined;
  readonly finishReason: string;
  readonly model: string | undefined;
  readonly tag: string | undefined;
  readonly undelivered: boolean;
}

/** A session as plain arrays of complete sequences, without sharing. */
export interface ModelledSession {
  readonly sessionId: string;
  /** Absent: the default of the store or the server. */
  readonly taskId?: string | undefined;
  readonly groupId?: string | undefined;
  /** The reward of the whole session. */
  readonly sessionReward?: number | undefined;
  readonly turns: readonly Turn[];
}

export const sequenceOf = ({ prompt, output }: Turn): readonly number[] => [...prompt, ...output];

export function modelSession(sessionId: string, steps: readonly Step[], sessionReward?: number): ModelledSession {
  const turns: Turn[] = [];
  for (const step of steps) turns.push(createTurn(step, turns));
  return { sessionId, turns, sessionReward: turns.length > 0 ? sessionReward : undefined };
}

/** Returns the input messages in the form of a request. */
export function messagesOf({ texts }: Turn): ChatMessage[] {
  return texts.map((text, i) => (i % 2 === 0 ? user(text) : assistant(text)));
}

function createTurn(step: Step, before: readonly Turn[]): Turn {
  const texts = collectTexts(step, before[before.length > 0 ? step.from % before.length : -1]);
  const parent = findParent(texts, before);
  return {
    id: `call-${before.length}`,
    texts,
    answer: `answer ${step.answer}`,
    finishReason: step.finishReason,
    prompt: buildPrompt(step, before[parent]),
    output: step.output.map(({ id }) => id),
    logprobs: step.output.map(({ logprob }) => logprob),
    versions: step.output.map(({ version }) => version),
    parent,
    continues: longestPrefix(texts, before, withAnswer) >= 0,
    reward: step.reward,
    model: step.model,
    tag: step.tag,
    undelivered: step.undelivered,
  };
}

function collectTexts({ history, question }: Step, from: Turn | undefined): readonly string[] {
  if (!from || history === "root") return [`question ${question}`];
  if (history === "again") return from.texts;
  return [...from.texts, history === "continued" ? from.answer : "rewritten", `question ${question}`];
}

function buildPrompt({ prompt, at, tail }: Step, parent: Turn | undefined): readonly number[] {
  const base = parent && prompt !== "unrelated" ? sequenceOf(parent) : [];
  const place = base.length > 0 ? at % base.length : 0;
  if (prompt === "shortened") return [...base.slice(0, place), ...tail];
  if (prompt === "changed") return [...base.map((id, i) => (i === place ? id ^ 1 : id)), ...tail];
  return [...base, ...tail];
}

/**
 * By the longest messages and answer that these texts continue, of equals the newest that is not left out; else by the longest
 * messages, of equals the newest.
 */
function findParent(texts: readonly string[], before: readonly Turn[]): number {
  const continued = longestPrefix(texts, before, withAnswer);
  return continued >= 0 ? preferDelivered(continued, before) : longestPrefix(texts, before, (turn) => turn.texts);
}

/** Returns the newest turn with the same messages and answer that is not left out; the turn itself if all are. */
function preferDelivered(index: number, turns: readonly Turn[]): number {
  const found = turns[index];
  if (!found) return index;
  const text = withAnswer(found).join("\n");
  const isTwin = (turn: Turn) => turn.texts.length === found.texts.length && withAnswer(turn).join("\n") === text;
  const delivered = turns.findLastIndex((turn) => isTwin(turn) && !isLeftOut(turn, turns));
  return delivered >= 0 ? delivered : index;
}

const withAnswer = (turn: Turn): readonly string[] => [...turn.texts, turn.answer];

function longestPrefix(
  texts: readonly string[],
  turns: readonly Turn[],
  prefixOf: (turn: Turn) => readonly string[],
): number {
  let found = -1;
  let longest = 0;
  turns.forEach((turn, i) => {
    const prefix = prefixOf(turn);
    const fits = prefix.length < texts.length && prefix.every((text, k) => text === texts[k]);
    if (!fits || prefix.length < longest) return;
    found = i;
    longest = prefix.length;
  });
  return found;
}

/** Returns true if the answer was not delivered and nothing later shows that the client has it. */
export function isLeftOut(turn: Turn, turns: readonly Turn[]): boolean {
  const index = turns.indexOf(turn);
  return turn.undelivered && turn.reward === undefined && turns.every(({ parent }) => parent !== index);
}

/** Returns the sessions with every answer marked as delivered. */
export function allDelivered(sessions: readonly ModelledSession[]): ModelledSession[] {
  return sessions.map((session) => ({
    ...session,
    turns: session.turns.map((turn) => ({ ...turn, undelivered: false, marked: isLeftOut(turn, session.turns) })),
  }));
}
