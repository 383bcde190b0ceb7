import { showAsText } from "../../conversation/media.js";
import { isSystem, type Message } from "../../conversation/message.js";
import type { InteractionLog } from "../interaction-log.js";
import type { RecordedInteraction } from "../recorded-interaction.js";
import { TextWindows } from "./text-windows.js";

/** Minimum length of a summary in characters, each run of white space counted as one. Shorter texts recur by chance. */
const MIN_SUMMARY = 200;
/** Maximum length of a summary, in characters. */
const MAX_SUMMARY = 1 << 16;
/** Number of characters at the start of a new conversation that are searched. Summaries are at the start. */
const MAX_SEARCHED = 1 << 17;
/**
 * Maximum number of interactions since the last new conversation that are read, newest first. A conversation is compacted soon
 * after its summary.
 */
const MAX_ANSWERS = 256;
/** Maximum number of answers that are compared completely. Only answers whose beginning occurs in the conversation are. */
const MAX_COMPARED = 8;

/** Maximum number of positions in the conversation at which answers are compared. */
const MAX_PLACES = 64;

/** Claude Code keeps only the part of a summary between these tags. */
const SUMMARY_TAGS = ["<summary>", "</summary>"] as const;

/**
 * Finds the interaction that a new conversation was compacted from.
 *
 * An agent program that compacts a conversation asks for a summary and then starts a new conversation with the summary in
 * it. The new conversation has its own tree, or begins with the same messages as the earlier one and then leaves its answers out. It is
 * recognized in either of these cases:
 *
 * - A message contains the whole text of an earlier answer, or the part of it between `<summary>` tags. The conversation of
 *   that answer must have earlier answers; otherwise there was nothing to summarize. White space may differ.
 * - The new conversation has its own tree, and an assistant message has a tool call with the id of an earlier answer's call. A
 *   request for a summary that has its own system prompt is recognized like this, because it repeats the conversation that it
 *   summarizes. So is a resumed conversation whose first message has changed. The link names the last answer that it repeats.
 *
 * Answers are only read if a session has a second root, or a call that leaves out an earlier answer.
 */
export class Compactions {
  readonly #log: InteractionLog;
  readonly #summaries = new TextWindows();
  /** Interactions by the ids of their tool calls. */
  readonly #byCallId = new Map<string, number>();
  /** Interactions before this index were read. */
  #next = 0;

  constructor(log: InteractionLog) {
    this.#log = log;
  }

  /** Returns the newest interaction whose answer the messages of a new root repeat; undefined if there is none. */
  find(messages: readonly Message[]): number | undefined {
    if (this.#log.count === 0) return undefined;
    this.#readNewAnswers();
    const found = Math.max(this.#findByCallId(messages), this.#findByText(messages));
    return found < 0 ? undefined : found;
  }

  /**
   * Returns the newest interaction whose answer a user message contains; undefined if there is none.
   *
   * @param messages those after the messages of the parent, whose answer the call leaves out. Codex keeps the user's messages when it
   * compacts, so the new conversation can begin like the earlier one.
   */
  findSummary(messages: readonly Message[]): number | undefined {
    const ofUser = messages.filter(({ role }) => role === "user");
    if (ofUser.length === 0) return undefined;
    this.#readNewAnswers();
    const found = this.#findByText(ofUser);
    return found < 0 ? undefined : found;
  }

  /** Forgets all answers. */
  clear(): void {
    this.#summaries.clear();
    this.#byCallId.clear();
    this.#next = 0;
  }

  #readNewAnswers(): void {
    const { count } = this.#log;
    for (let index = Math.max(this.#next, count - MAX_ANSWERS); index < count; index++) {
      const interaction = this.#log.at(index);
      for (const { toolCalls = [] } of interaction.output) {
        for (const { id } of toolCalls) this.#byCallId.set(id, index);
      }
      for (const text of readSummaries(interaction)) this.#summaries.add(text, index);
    }
    this.#next = count;
  }

  /**
   * Returns the newest interaction whose call the messages repeat. If they also repeat texts of the answers after it, returns the last
   * of these.
   */
  #findByCallId(messages: readonly Message[]): number {
    let newest = -1;
    let later = messages;
    for (const [place, { role, toolCalls = [] }] of messages.entries()) {
      if (role !== "assistant") continue;
      const index = Math.max(-1, ...toolCalls.map(({ id }) => this.#byCallId.get(id) ?? -1));
      if (index <= newest) continue;
      newest = index;
      later = messages.slice(place + 1);
    }
    return newest < 0 ? newest : this.#followTexts(newest, later);
  }

  /** Follows the answers after an interaction as far as the messages repeat their texts. Each answer must continue the one before. */
  #followTexts(from: number, messages: readonly Message[]): number {
    const texts = messages.flatMap(({ role, content }) =>
      role === "assistant" ? [joinSpaces(showAsText(content))] : [],
    );
    return texts.filter((text) => text !== "").reduce((index, text) => this.#findChild(index, text) ?? index, from);
  }

  #findChild(parent: number, text: string): number | undefined {
    for (let index = this.#next - 1; index > Math.max(parent, this.#next - MAX_ANSWERS - 1); index--) {
      const child = this.#log.at(index);
      if (child.parent === parent && child.output.some(({ content }) => joinSpaces(showAsText(content)) === text))
        return index;
    }
    return undefined;
  }

  #findByText(messages: readonly Message[]): number {
    if (this.#summaries.isEmpty) return -1;
    const hits = collectTexts(messages).flatMap((text) => this.#summaries.find(text).map((hit) => ({ ...hit, text })));
    const placesByIndex = new Map<number, Place[]>();
    for (const { numbers, ...place } of hits.slice(0, MAX_PLACES)) {
      for (const index of numbers) placesByIndex.set(index, [...(placesByIndex.get(index) ?? []), place]);
    }
    const newestFirst = [...placesByIndex].toSorted(([a], [b]) => b - a).slice(0, MAX_COMPARED);
    const [found] =
      newestFirst.find(([index, places]) => this.#hasHistory(index) && isRepeated(this.#log.at(index), places)) ?? [];
    return found ?? -1;
  }

  /** Returns true if the request of the interaction had an answer in its messages. */
  #hasHistory(index: number): boolean {
    const interaction = this.#log.at(index);
    if (interaction.parent >= 0) return true;
    return interaction.input.added.some(({ role }) => role === "assistant");
  }
}

/** A position in a text of the new conversation at which a summary may begin. */
interface Place {
  readonly text: string;
  readonly at: number;
}

function isRepeated(interaction: RecordedInteraction, places: readonly Place[]): boolean {
  const summaries = readSummaries(interaction).map(joinSpaces);
  return summaries.some(
    (summary) => summary.length >= MIN_SUMMARY && places.some(({ text, at }) => text.startsWith(summary, at)),
  );
}

/** Returns the texts of an answer that a new conversation may begin with. */
function readSummaries({ output }: RecordedInteraction): string[] {
  return output.flatMap(({ content }) => {
    const text = showAsText(content);
    return text.length > MAX_SUMMARY ? [] : [text, ...readTagged(text)].filter(({ length }) => length >= MIN_SUMMARY);
  });
}

function readTagged(text: string): string[] {
  const [open, close] = SUMMARY_TAGS;
  const start = text.indexOf(open);
  const end = text.lastIndexOf(close);
  return start >= 0 && end > start ? [text.slice(start + open.length, end)] : [];
}

/** Returns the texts that are searched. System messages recur in every conversation; tool results are no summaries. */
function collectTexts(messages: readonly Message[]): string[] {
  const texts: string[] = [];
  let left = MAX_SEARCHED;
  for (const message of messages) {
    if (isSystem(message) || message.role === "tool") continue;
    if (left <= 0) break;
    const text = showAsText(message.content);
    texts.push(joinSpaces(text.slice(0, left)));
    left -= text.length;
  }
  return texts;
}

/** Replaces white space by single spaces, because agent programs trim and re-wrap summaries. */
function joinSpaces(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
