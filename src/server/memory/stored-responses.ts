import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import { measurePartLogprobs } from "../../protocols/output-parts.js";
import type { InputItem } from "../../protocols/responses/input.js";
import { readNamespacedNames } from "../../protocols/responses/namespaces.js";
import { listItemParts, parseItemId, toItem } from "../../protocols/responses/output-items.js";
import type { EarlierResponses } from "../../protocols/responses/request.js";
import { type RequestEcho, type ResponseBody, toResponseBody } from "../../protocols/responses/response.js";
import type { TokenJson } from "../../protocols/token-json.js";
import type { RecordedInteraction } from "../../session/recorded-interaction.js";
import type { Session } from "../../session/session.js";
import { measureJson, measureMessages } from "../../session/session-size.js";
import { eventLoop } from "../../support/async/event-loop.js";
import { runInIterations } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import { decodeResponse, encodeResponse, type StoredResponse } from "./response-record.js";
import { signedReasoning } from "./signed-reasoning.js";

/**
 * Responses that a client can retrieve or continue later, because their request had `store`. The session's tree has the
 * conversation. This class keeps the fields that the tree does not have, as long as the interaction exists.
 */
export class StoredResponses {
  readonly #tokenJsonOf: (interaction: RecordedInteraction) => TokenJson;
  readonly #stored = new WeakMap<RecordedInteraction, StoredResponse>();
  readonly #loading = new WeakMap<Session, Promise<void>>();
  /** The tools that were stored last for a session, and the index of their interaction. */
  readonly #tools = new WeakMap<Session, { readonly tools: string; readonly index: number }>();

  /** @param tokenJsonOf returns what writes log probabilities of the tokens of the model that answered an interaction */
  constructor(tokenJsonOf: (interaction: RecordedInteraction) => TokenJson) {
    this.#tokenJsonOf = tokenJsonOf;
  }

  /**
   * Keeps a response if its request had `store`.
   *
   * @returns resolves when a long response was written to storage; undefined if there is nothing to wait for
   * @param echoBytes see {@link measureEcho}
   */
  keep(
    session: Session,
    interaction: RecordedInteraction,
    { answer: sent, echo }: Pick<StoredResponse, "answer" | "echo">,
    echoBytes: number,
  ): Promise<void> | undefined {
    if (!echo.store) return undefined;
    const stored = toStored(sent, echo);
    this.#stored.set(interaction, stored);
    session.data.size.addObjects(echoBytes + measureAnswer(stored.answer));
    return this.#save(session, interaction.index, stored);
  }

  /**
   * Reads responses from disk that are not in memory. Call this before the other methods look for them. Unknown ids are ignored.
   *
   * Each step runs in a separate iteration of the event loop, because a long response takes some hundred milliseconds to read. A
   * session reads one response at a time: until it is decoded, a response takes more than twice the memory that is counted for it.
   */
  async load(session: Session, ids: readonly string[]): Promise<void> {
    if (this.#listUnread(session, ids).length === 0) return;
    const earlier = this.#loading.get(session)?.catch(() => undefined);
    const loading = (earlier ?? Promise.resolve()).then(() => this.#loadUnread(session, ids));
    this.#loading.set(session, loading);
    await loading;
  }

  /**
   * Returns the response as it was sent; undefined if the session has no stored response with this id.
   *
   * @param admit called before the response is written, with the memory in bytes that it needs until it is sent. Throws to refuse it
   */
  get(session: Session, id: string, admit: (bytes: number) => void): ResponseBody | undefined {
    const found = this.#find(session, id);
    if (!found) return undefined;
    const { answer, echo, hasTokenIds } = found.stored;
    const tokenBytes = hasTokenIds ? measureRecorded(answer) : 0;
    admit(measureEcho(echo) + measureAnswer(answer) + tokenBytes);
    return toResponseBody(hasTokenIds ? withTokenIds(answer, session, found.interaction.index) : answer, echo);
  }

  /** @param maxCharacters see {@link signedReasoning} */
  forSession(session: Session, maxCharacters: number): EarlierResponses {
    return {
      findMessages: (id) => {
        const found = this.#find(session, id);
        if (!found) return undefined;
        const { interaction, stored } = found;
        const input = session.data.log.readMessages(interaction);
        return [...(stored.echo.instructions ? input.slice(1) : input), ...interaction.output];
      },
      countPlaceholders: (id) => this.#find(session, id)?.interaction.placeholders ?? 0,
      findItem: (id) => this.#item(session, id),
      readReasoning: signedReasoning(session, maxCharacters),
    };
  }

  /** Finds a response in memory; {@link load} puts it there. */
  #find(session: Session, id: string): { interaction: RecordedInteraction; stored: StoredResponse } | undefined {
    const interaction = session.find(id);
    const stored = interaction && this.#stored.get(interaction);
    if (!interaction || !stored) return undefined;
    // A client that names a response has received it.
    session.delivery.referTo(interaction.index);
    return { interaction, stored };
  }

  #save(session: Session, index: number, response: StoredResponse): Promise<void> | undefined {
    const { journal, size } = session.data;
    if (!journal || size.isFreed) return undefined;
    const earlier = this.#tools.get(session);
    const { text, tools } = encodeResponse(response, earlier);
    const pieces = typeof text === "string" ? text : text.pieces();
    const saving = journal.saveResponse(index, pieces, () => !size.isFreed);
    if (tools === earlier?.tools) return saving;
    // A response that refers to these tools must not be on disk before them.
    const remember = () => void this.#tools.set(session, { tools, index });
    if (saving) return saving.then(remember);
    remember();
    return undefined;
  }

  #listUnread(session: Session, ids: readonly string[]): RecordedInteraction[] {
    const named = [...new Set(ids)].map((id) => session.find(id));
    return named.filter(
      (interaction) => interaction !== undefined && !this.#stored.has(interaction),
    ) as RecordedInteraction[];
  }

  async #loadUnread(session: Session, ids: readonly string[]): Promise<void> {
    for (const interaction of this.#listUnread(session, ids)) {
      await eventLoop.yield();
      const stored = await runInIterations(this.#read(session, interaction));
      // The session may have been freed meanwhile. Its memory is not counted any more.
      if (!stored || session.find(interaction.id) !== interaction) continue;
      this.#stored.set(interaction, stored);
      session.data.size.addObjects(measureEcho(stored.echo) + measureAnswer(stored.answer));
    }
  }

  *#read(session: Session, interaction: RecordedInteraction): Steps<StoredResponse | undefined> {
    const { journal } = session.data;
    const bytes = journal && (yield* journal.readResponse(interaction.index));
    const message = bytes && interaction.output[0];
    if (!message) return undefined;
    return yield* decodeResponse(bytes, message, (each) => journal.readResponse(each), this.#tokenJsonOf(interaction));
  }

  #item(session: Session, id: string): InputItem | undefined {
    const place = parseItemId(id);
    const stored = place && this.#find(session, place.responseId)?.stored;
    const part = place && stored?.answer.parts[place.index];
    if (!stored || !part) return undefined;
    const item = toItem(part, { ...place, status: "completed" }, readNamespacedNames(stored.echo.tools));
    return item.type === "message"
      ? { ...item, content: item.content.map(({ text }) => text).join("") }
      : toInput(item);
  }
}

/** Returns what is stored of an answer: its tokens stay in the session only. */
function toStored(sent: GenerationAnswer, echo: RequestEcho): StoredResponse {
  if (!sent.sampled) return { answer: sent, echo, hasTokenIds: false };
  const answer = { ...sent, parts: listItemParts(sent), promptIds: undefined, sampled: undefined };
  return { answer, echo, hasTokenIds: true };
}

function withTokenIds(answer: GenerationAnswer, { data }: Session, index: number): GenerationAnswer {
  const promptIds = data.readSequence(index).subarray(0, answer.promptTokens);
  return { ...answer, promptIds, sampled: data.tokens.output(index) };
}

/** Returns the memory that {@link withTokenIds} takes, in bytes: the whole sequence, and ids, log probability and version of the output. */
function measureRecorded({ promptTokens, completionTokens }: GenerationAnswer): number {
  return 4 * promptTokens + 16 * completionTokens;
}

/** Returns the memory that a stored response takes besides its answer, in bytes. */
export function measureEcho(echo: RequestEcho): number {
  return echo.store ? measureJson(echo) : 0;
}

function measureAnswer({ message, parts }: GenerationAnswer): number {
  return measurePartLogprobs(parts) + measureMessages([message]);
}

function toInput(item: Exclude<ReturnType<typeof toItem>, { type: "message" }>): InputItem {
  return item.type === "reasoning" ? { type: "reasoning", content: item.content } : item;
}
