import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Conversation } from "../../conversation/message.js";
import { estimateCharacters } from "../../conversation/size.js";
import type { Api } from "../../facts/call-facts.js";
import { type Peer, peerOf } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { readTraceContext } from "../../http/trace-context.js";
import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import type { StreamEncoder } from "../../protocols/stream-encoder.js";
import type { InFlightCall } from "../../session/delivery/calls-in-flight.js";
import { SessionError } from "../../session/errors.js";
import type { Session } from "../../session/session.js";
import { TOKEN_BYTES } from "../../session/session-size.js";
import type { SequencePlace, Turn } from "../../session/turn/turn.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { AbortSwitch } from "../../support/async/abort-switch.js";
import { eventLoop, LONG_TEXT } from "../../support/async/event-loop.js";
import { runInIterations } from "../../support/async/run-steps.js";
import { groupDigits } from "../../support/group-digits.js";
import { hashText } from "../../support/hash-text.js";
import { keepSpelling } from "../../support/json/spelled.js";
import type { Trace } from "../../telemetry/trace.js";
import type { AdmittedCall } from "../limits/admission.js";
import { keepPromptText, type PromptTextUse, takePromptText } from "../memory/prompt-texts.js";
import { requireSession } from "../plugins/auth.js";
import type { CallServices } from "../services.js";
import type { RecordedChoice } from "./answer-reader.js";
import { type CallOrigin, readCallOrigin } from "./origin.js";
import { EventStream } from "./sending/event-stream.js";

/** The parts of a model call that depend on its protocol. */
export interface ProtocolCall {
  readonly api: Api;
  readonly idPrefix: string;
  readonly request: ModelRequest;
  /** Absent: answers are never streamed. */
  readonly encoder?: () => StreamEncoder;
  /** @param others the answers of the further choices */
  readonly toResponse: (answer: GenerationAnswer, others: readonly GenerationAnswer[]) => object;
  /** Returns the memory that the call keeps besides its interaction once it is recorded, without its output, in bytes. */
  readonly measureKept?: () => number;
  /** Called for each recorded choice. The end of the answer is sent only after the returned promise has resolved. */
  readonly onRecorded?: (record: RecordedChoice) => Promise<void> | undefined;
}

/** One of the answers that a call asks for, before its prompt is built. Each is a separate attempt, which the same choice of a retry repeats. */
export interface BegunChoice {
  readonly index: number;
  /** Id of the interaction that it becomes. */
  readonly id: string;
  readonly inFlight: InFlightCall;
  readonly admitted: AdmittedCall | null;
}

/** A prompt of token ids, and the messages under which it is recorded. */
export interface GivenTokens {
  readonly place: SequencePlace;
  readonly conversation: Conversation;
}

/** The parts of a call from which its prompt is built. */
export interface Prompted extends Pick<Call, "services" | "session" | "turn" | "isLong"> {
  readonly request: Pick<ModelRequest, "images">;
  readonly abort?: AbortSource;
}

/** Header of calls with several choices: the ids of their interactions. Some SDKs drop the field that each choice has for it. */
export const INTERACTIONS = "x-rolltape-interactions";

/** One model call, from its request until its answer is sent. `runModelCall` runs its steps in order. */
export class Call {
  readonly services: CallServices;
  readonly protocol: ProtocolCall;
  readonly session: Session;
  /** See {@link Session.takeovers}: the number when the call was authenticated. */
  readonly takeovers: number;
  /** Null if the session accepts no calls. */
  readonly admitted: AdmittedCall | null;
  /** Milliseconds since the epoch. */
  readonly startedAt = Date.now();
  readonly origin: CallOrigin;
  /** The span of the call; null if it is not sampled. */
  readonly trace: Trace | null;
  /** The trace headers that the client sent, for the engine. */
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  readonly client: Peer;
  /** Sends the answer while it is generated; undefined if it is not streamed. */
  readonly stream: EventStream | undefined;
  /** Ends the call early: its client has left, or its session is exported or repeats it. */
  readonly abort = new AbortSwitch();
  readonly #reply: FastifyReply;
  #unenforced: readonly string[] = [];
  #turn: Turn | undefined;
  #choices: readonly BegunChoice[] = [];
  #isLong = false;
  #isCold = false;
  #promptText: PromptTextUse | undefined;

  /**
   * @throws ApiError `invalid_api_key` if the session was taken over since the key was checked, `invalid_value` if the tag is malformed
   */
  constructor(services: CallServices, http: FastifyRequest, reply: FastifyReply, protocol: ProtocolCall) {
    this.services = services;
    this.protocol = protocol;
    const encoder = protocol.request.stream ? protocol.encoder?.() : undefined;
    this.stream = encoder && new EventStream(reply, encoder, services);
    this.session = requireSession(http);
    this.takeovers = http.takeovers;
    this.admitted = http.admitted;
    this.origin = readCallOrigin(http.headers);
    this.traceHeaders = http.clientTrace ?? readTraceContext(http.headers)?.headers;
    this.client = peerOf(reply);
    this.trace = http.trace;
    this.#reply = reply;
  }

  get request(): ModelRequest {
    return this.protocol.request;
  }

  get api(): Api {
    return this.protocol.api;
  }

  /** The turn of the session's conversation that the call is. */
  get turn(): Turn {
    if (!this.#turn) throw new Error("the call has not begun");
    return this.#turn;
  }

  /** See {@link isLongPrompt}. */
  get isLong(): boolean {
    return this.#isLong;
  }

  get choices(): readonly BegunChoice[] {
    return this.#choices;
  }

  /** The text of an earlier prompt, which that of this one continues; undefined if the prompt is short. */
  get promptText(): PromptTextUse | undefined {
    return this.#promptText;
  }

  /**
   * Finds the place of the request in its session's conversations, and begins its choices.
   *
   * @param given the prompt, if the client gave it as token ids
   * @throws ApiError `prompt_too_large`, or if the session has no room for all choices
   * @throws SessionError `session_ended`
   */
  async begin(given?: GivenTokens): Promise<void> {
    const { services, session, request } = this;
    const { conversation } = given ?? request;
    this.#isLong = isLongPrompt(services, conversation);
    if (this.#isLong) await eventLoop.yield();
    requireOpen(services, session);
    this.#turn = await runInIterations(
      session.begin(conversation, request.previousId, given?.place, services.answering?.name),
    );
    // The session may have ended or been taken over between the steps.
    requireOpen(services, session);
    requireSession(this);
    this.#isCold = this.#isLong && session.interactionCount === 0;
    this.#choices = this.#beginChoices();
    if (this.#choices.length > 1) void this.#reply.header(INTERACTIONS, this.#choices.map(({ id }) => id).join(", "));
  }

  #beginChoices(): readonly BegunChoice[] {
    const { session, admitted, origin, protocol } = this;
    const { choices: count = 1 } = this.request;
    const admittedChoices = count > 1 ? [admitted, ...(admitted?.admitChoices(count - 1) ?? [])] : [admitted];
    const key = computeRequestKey(this);
    const { retryCount, idempotencyKey } = origin;
    const begun: BegunChoice[] = [];
    for (let index = 0; index < count; index++) {
      const requestKey = index === 0 ? key : `${key}:${index}`;
      begun.push({
        index,
        id: `${protocol.idPrefix}${randomUUID().replaceAll("-", "")}`,
        inFlight: session.calls.begin({ requestKey, retryCount, idempotencyKey }, this.abort),
        admitted: admittedChoices[index] ?? null,
      });
    }
    return begun;
  }

  /**
   * True if this is the first prompt of its session and long. Nothing of it was compared or sent before, so each step that handles its
   * tokens takes milliseconds, and several sessions may begin at the same time. Each such step then waits for {@link yield}.
   */
  get isCold(): boolean {
    return this.#isCold;
  }

  /** Lets other work run. */
  async yield(): Promise<void> {
    await eventLoop.yield();
    // The client may have left, or the session may have been deleted meanwhile.
    this.abort.throwIfAborted();
  }

  /**
   * Counts the prompt of each choice for its session and the memory budget.
   *
   * @throws ApiError `session_limit` or `store_full`. The call then never reaches the engine
   */
  admitPrompt(): void {
    const { turn, services, session, protocol, request } = this;
    try {
      const { tokens, bytes, parent } = turn.measureGrowth(request.images);
      const channels = tokens * (services.engine.sequenceChannelBytes?.(session.withoutChannels) ?? 0);
      const growth = { tokens, bytes: bytes + channels + (protocol.measureKept?.() ?? 0) };
      const { length } = turn.prompt;
      const copies = request.tokenIds ? 2 : 1;
      for (const { admitted } of this.#choices) admitted?.addPrompt(growth, TOKEN_BYTES * length * copies);
      // With images, a request may have fewer ids than the prompt, so no other request can extend it.
      if (turn.images) return;
      const start = { tokens: length, parent, shared: length - tokens };
      this.#promptText = takePromptText(services.conversations.promptTexts, session, start);
    } catch (error) {
      turn.releasePrompt();
      throw error;
    }
  }

  /** Keeps the text of the prompt for the next call of the conversation. */
  keepPromptText(records: readonly RecordedChoice[]): void {
    if (!this.#promptText) return;
    const indices = records.map(({ interaction }) => interaction.index);
    keepPromptText(this.services.conversations.promptTexts, this.session, this.#promptText, indices);
  }

  /** Lists a field in a header of the answer: the engine ignores it without harm, so it is not refused. */
  noteUnenforced(field: string): void {
    if (this.#unenforced.includes(field)) return;
    this.#unenforced = [...this.#unenforced, field];
    void this.#reply.header("x-rolltape-not-enforced", this.#unenforced.join(", "));
  }

  /** Lists the sampling fields whose value the configuration or the session replaced in a header of the answer. */
  noteOverridden(fields: readonly string[]): void {
    if (fields.length > 0) void this.#reply.header("x-rolltape-sampling-override", fields.join(", "));
  }

  /** Notes that the client left after the call was recorded. */
  noteDisconnect(records: readonly RecordedChoice[]): void {
    const { delivery } = this.session;
    for (const { interaction } of records) {
      if (this.stream?.delivered) delivery.answered(interaction.index);
      else delivery.closedEarly(interaction.index);
    }
  }

  /** Ends the call for its session, and counts its outcome. */
  end(isRecorded: boolean): void {
    const { session, abort, client, services, api } = this;
    // Exports and retries of the client abort calls too. Count before the call ends: an export that waits for its end reads the count.
    const isLeft = client.goneReason !== undefined && abort.reason === client.goneReason;
    if (!isRecorded && isLeft) session.count("abortedCalls");
    for (const { inFlight } of this.#choices) session.calls.end(inFlight);
    session.touch();
    const outcome = isRecorded ? "recorded" : abort.aborted ? "aborted" : "failed";
    services.metrics.calls.inc({ api, outcome }, this.#choices.length);
  }
}

/**
 * Measures a conversation. Call this before any work that takes time for each character.
 *
 * @returns true if hashing or rendering the prompt takes a millisecond or more. Each of these steps then waits for `eventLoop.yield()`
 * @throws ApiError `prompt_too_large`
 */
export function isLongPrompt({ settings }: CallServices, conversation: Conversation): boolean {
  const characters = estimateCharacters(conversation);
  if (characters > settings.maxPromptCharacters) {
    const limit = groupDigits(settings.maxPromptCharacters);
    const counted = groupDigits(characters);
    const message = `The messages and tools count as ${counted} characters; server.max_prompt_characters allows ${limit}.`;
    throw new ApiError("prompt_too_large", message);
  }
  return characters >= LONG_TEXT;
}

/**
 * Checks that a session accepts calls.
 *
 * @throws ApiError `server_draining`
 * @throws SessionError `session_ended`
 */
export function requireOpen({ draining }: Pick<CallServices, "draining">, session: Session): void {
  if (draining) throw new ApiError("server_draining", "The server is shutting down.");
  if (session.state === "active") return;
  const message = `Session ${session.id} is ${session.state} and accepts no more model calls.`;
  throw new SessionError("session_ended", message);
}

/**
 * Returns a digest of everything that decides the answer to a request. A retry by an SDK has the same digest, also if it is streamed
 * and the first attempt was not. A side call with the same messages but other tools or sampling has another one.
 */
function computeRequestKey({ api, request, turn }: Call): string {
  const { conversation, previousId, model, sampling, calls, logprobs, choices = 1, promptIds } = request;
  // The last 16 bytes are the chain digest of the last message, which covers all messages.
  const messages = Buffer.from(turn.digests.subarray(-16)).toString("base64url");
  const context = [previousId, conversation.prefill, turn.toolsKey, calls.mustCall, calls.single, [...calls.strict]];
  const ids =
    promptIds && hashText(Buffer.from(promptIds.buffer, promptIds.byteOffset, promptIds.byteLength).toString("base64"));
  const text = JSON.stringify([messages, ...context, api, model, sampling, logprobs, choices, ids]);
  // Only these may have numbers whose spelling counts. `JSON.stringify` is ten times as slow with a replacer.
  const args = conversation.templateArgs ? JSON.stringify(conversation.templateArgs, keepSpelling) : "";
  return hashText(text + args);
}
