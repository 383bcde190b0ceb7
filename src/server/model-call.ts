import { randomUUID } from "node:crypto";
import type { Conversation, Message } from "../conversation/message.js";
import type { ChatModel } from "../conversation/model.js";
import type { Finish, GenerateResult, SamplingParams } from "../engine/engine.js";
import { native } from "../native/addon.js";
import type { NativeGeneration, NativePrompt, ParentMatch } from "../native/contract.js";
import type { GenerationAnswer, RecordedTokens } from "../protocols/generation.js";
import type { RequestSampling } from "../protocols/sampling.js";
import type { Call } from "../session/calls.js";
import { SessionError } from "../session/errors.js";
import { type Api, inputLength } from "../session/interaction.js";
import type { PreparedMessages, Session } from "../session/session.js";
import type { ServerContext } from "./context.js";
import { contextLimit } from "./context-limit.js";
import { ApiError } from "./errors.js";
import { outputText } from "./output-text.js";

/** One model call, whatever its protocol. */
export interface ModelCall {
  readonly session: Session;
  readonly api: Api;
  readonly idPrefix: string;
  readonly conversation: Conversation;
  readonly sampling: RequestSampling;
  /** Whether the answer carries the recorded tokens. */
  readonly wantsTokens: boolean;
  /** How often the client's SDK has sent this request before. */
  readonly retryCount: number;
  /** Aborts when the agent's connection drops. */
  readonly disconnected: AbortSignal;
}

interface BuiltPrompt {
  readonly prompt: NativePrompt;
  /** The parent that the prompt continues token by token. */
  readonly parent?: ParentMatch;
}

/**
 * Runs a model call: prompt, engine, record. It is recorded once the generation is complete and the agent still listens;
 * a call that fails anywhere leaves no trace in the session.
 */
export async function runModelCall(context: ServerContext, request: ModelCall): Promise<GenerationAnswer> {
  const { session } = request;
  if (context.draining) throw new ApiError("server_draining", "The server is shutting down.");
  if (session.state !== "active") {
    throw new SessionError("session_ended", `Session ${session.id} is ${session.state} and takes no more model calls.`);
  }
  const prepared = session.prepare(request.conversation.messages, request.conversation.tools);
  const call = session.calls.begin(requestKey(prepared), request.retryCount);
  let outcome = "failed";
  try {
    const { answer, index } = await generateAndRecord(context, request, prepared, call);
    outcome = "recorded";
    request.disconnected.addEventListener("abort", () => session.calls.undelivered(call, index));
    return answer;
  } catch (error) {
    if (call.controller.signal.aborted) outcome = "aborted";
    throw error;
  } finally {
    session.calls.end(call, outcome === "recorded");
    session.touch();
    context.metrics.calls.inc({ api: request.api, outcome });
  }
}

async function generateAndRecord(
  context: ServerContext,
  request: ModelCall,
  prepared: PreparedMessages,
  call: Call,
): Promise<{ answer: GenerationAnswer; index: number }> {
  const { session, api, conversation } = request;
  const signal = AbortSignal.any([request.disconnected, call.controller.signal]);
  const built = buildPrompt(context, session, conversation, prepared);
  const sampling = await completeSampling(context, request.sampling, built.prompt.length);
  const generation = new native.Generation();
  const result = await generate(context, session, built.prompt, generation, sampling, signal);
  signal.throwIfAborted();

  const tokens = request.wantsTokens ? recordedTokens(generation, context.model) : undefined;
  const completionTokens = generation.length;
  const message = toMessage(context.model, generation, result.finish, sampling);
  const interaction = session.record({
    prepared,
    output: [message],
    prompt: built.prompt,
    generation,
    finishReason: result.finish.reason,
    api,
    id: `${request.idPrefix}${randomUUID().replaceAll("-", "")}`,
    parent: built.parent,
    replaces: call.replaces,
  });
  countTokens(context, built.prompt.length, completionTokens, result);
  context.metrics.parents.inc({
    link: interaction.parent < 0 ? "root" : interaction.tokenExact ? "token_exact" : "not_exact",
  });
  const answer: GenerationAnswer = {
    interactionId: interaction.id,
    model: context.settings.modelName,
    createdAt: interaction.createdAt,
    message,
    finishReason: result.finish.reason,
    usage: { promptTokens: built.prompt.length, completionTokens, cachedTokens: result.cachedTokens ?? 0 },
    tokens,
  };
  return { answer, index: interaction.index };
}

/** In `concat` the parent's tokens as generated and the new messages behind them; else what the template renders. */
function buildPrompt(
  { settings, model }: ServerContext,
  session: Session,
  conversation: Conversation,
  prepared: PreparedMessages,
): BuiltPrompt {
  if (settings.chatTemplateType === "concat") {
    const parent = session.findParent(prepared);
    const pieces = parent ? continuationOf(model, session, conversation, prepared, parent) : undefined;
    if (parent && pieces) return { prompt: session.prompt(pieces, parent.index), parent };
  }
  return { prompt: session.prompt(model.prompt(conversation)) };
}

function continuationOf(
  model: ChatModel,
  session: Session,
  conversation: Conversation,
  prepared: PreparedMessages,
  parent: ParentMatch,
): Int32Array[] | undefined {
  if (parent.rule !== "continuation") return undefined;
  const interaction = session.interaction(parent.index);
  const { output, lastTokenId, toolsKey } = interaction;
  const [answer] = output;
  if (!answer || toolsKey !== prepared.toolsKey) return undefined;
  const messageCount = inputLength(interaction) + output.length;
  return model.continuation(conversation, { messageCount, output: answer, lastTokenId });
}

/** Fills in what the request left open and checks the prompt against the context. */
async function completeSampling(
  context: ServerContext,
  request: RequestSampling,
  promptTokens: number,
): Promise<SamplingParams> {
  const limit = await contextLimit(context);
  const left = limit - promptTokens;
  if (left < 1) {
    throw new ApiError(
      "context_length_exceeded",
      `The prompt has ${promptTokens} tokens; prompt and output together may have ${limit}.`,
      { param: "messages" },
    );
  }
  return {
    ...request,
    maxTokens: Math.min(request.maxTokens ?? left, left),
    stopTokenIds: [...new Set([...context.model.stopTokenIds, ...request.stopTokenIds])],
  };
}

async function generate(
  context: ServerContext,
  session: Session,
  prompt: NativePrompt,
  generation: NativeGeneration,
  sampling: SamplingParams,
  signal: AbortSignal,
): Promise<GenerateResult> {
  const stopTimer = context.metrics.engineSeconds.startTimer();
  try {
    return await context.engine.generate({
      prompt,
      generation,
      sampling,
      affinityKey: session.id,
      currentVersion: () => context.weightVersion,
      signal,
    });
  } finally {
    stopTimer();
  }
}

function toMessage(model: ChatModel, generation: NativeGeneration, finish: Finish, sampling: SamplingParams): Message {
  return { role: "assistant", content: outputText(model, generation.ids(), finish, sampling) };
}

function recordedTokens(generation: NativeGeneration, model: ChatModel): RecordedTokens {
  return {
    ids: generation.ids(),
    logprobs: generation.logprobs(),
    top: generation.top(),
    textOf: (id) => model.decode(Int32Array.of(id), { skipSpecialTokens: false }),
  };
}

function countTokens({ metrics }: ServerContext, prompt: number, completion: number, result: GenerateResult): void {
  metrics.tokens.inc({ direction: "prompt" }, prompt);
  metrics.tokens.inc({ direction: "cached" }, result.cachedTokens ?? 0);
  metrics.tokens.inc({ direction: "completion" }, completion);
  metrics.resumes.inc(result.resumes);
}

/** The chain digest of the last message covers them all. */
function requestKey({ digests }: PreparedMessages): string {
  return Buffer.from(digests.subarray(-16)).toString("base64url");
}
