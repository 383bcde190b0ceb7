import { randomUUID } from "node:crypto";
import { canonicalMessages } from "../../conversation/canonical.js";
import type { ImageFiles, PlacedImage } from "../../conversation/content.js";
import type { Conversation, Message } from "../../conversation/message.js";
import { sameTemplateArgs } from "../../conversation/template-args.js";
import type { Api, CallFacts } from "../../facts/call-facts.js";
import type { NativeGeneration, NativePrompt, ParentMatch } from "../../native/contract.js";
import type { Steps } from "../../support/async/steps.js";
import { hashText } from "../../support/hash-text.js";
import { keepSpelling } from "../../support/json/spelled.js";
import { encodeFacts, encodeLabels, firstBytes } from "../encode-facts.js";
import { diffMessages, type InputMessages, type RecordedInteraction } from "../recorded-interaction.js";
import type { SessionData } from "../session-data.js";
import { measureImages, measureMessages, measureRequest, type PromptGrowth, TOKEN_BYTES } from "../session-size.js";
import { digestRecordedCallIds } from "./call-ids.js";
import type { ExtendedAnswer } from "./extended-answers.js";
import type { DigestedMessages } from "./known-messages.js";
import type { SearchedRequest } from "./parent-search.js";
import { requirePlaces, shareImages, shareTokens } from "./prompt-images.js";
import { restoreReasoning } from "./restore-reasoning.js";
import { listUndeclaredCalls } from "./undeclared-calls.js";

/** The tokens of a prompt, and how they relate to recorded ones. */
export interface PromptTokens {
  /** The tokens that follow those of `continues`; without it, all tokens of the prompt. */
  readonly pieces: readonly Int32Array[];
  /** The interaction whose tokens, input and output, the prompt begins with. Absent: the whole prompt was rendered. */
  readonly continues?: ParentMatch | undefined;
  /** Why `concat` did not continue the parent's tokens. Absent: the turn finds the cause if the prompt does not begin with them. */
  readonly fallback?: string | undefined;
  /** The prompt adds text to the answer that it continues. */
  readonly extended?: boolean | undefined;
  /** All images of the prompt in their order, those of `continues` included. Absent: it has none. */
  readonly images?: readonly PlacedImage[] | undefined;
}

/** The answer of a model to a turn. */
export interface Answer extends Omit<CallFacts, "extended"> {
  readonly output: readonly Message[];
  /** Recording releases it. */
  readonly generation: NativeGeneration;
  readonly finishReason: string;
  readonly api: Api;
  /** Default: a random id. */
  readonly id?: string | undefined;
  /** Identifies the request, so that its retries are recognized after a restart. */
  readonly request?: string | undefined;
  /** Files of the prompt's images, at least of those that the session does not have. Absent: it has all of them. */
  readonly images?: ImageFiles | undefined;
}

/** The place of a prompt that the client gives as token ids. */
export interface SequencePlace {
  /** The interaction whose whole sequence the prompt begins with; undefined for a root. */
  readonly parent: ParentMatch | undefined;
  /** The tokens after that sequence. */
  readonly rest: Int32Array;
}

export interface TurnOptions {
  /** The interaction that the request names as its predecessor. */
  readonly previous: RecordedInteraction | undefined;
  /** Set if the place in the tree follows from token ids, not from messages. */
  readonly place?: SequencePlace | undefined;
  /** The model that answers, if there are several. Calls of other models are never the parent: they may have other tokens. */
  readonly model?: string | undefined;
  /** Throws if the session cannot record an answer with this id. */
  readonly requireRecordable: (id: string | undefined) => void;
  /** Called with the lengths of an answer that is recorded, before it is stored. */
  readonly onRecorded: (promptTokens: number, outputTokens: number) => void;
}

/** The part of a request that its interaction keeps. */
interface OwnPart extends Pick<RecordedInteraction, "input" | "templateArgs"> {
  readonly parent: ParentMatch | undefined;
  /** The messages of the parent that it repeats, as they are recorded. */
  readonly inherited: readonly Message[];
  /** Memory of the part that the parent does not have, in bytes. */
  readonly bytes: number;
}

/**
 * Returns digests that no request's messages have. The messages of a prompt of token ids are decoded text: a chat call with the same text
 * has another prompt, so it must not find the interaction.
 */
function invert(digests: Uint8Array): Uint8Array {
  return digests.map((byte) => 0xff - byte);
}

/** Why the prompt of a call does not begin with its parent's tokens. */
export type BrokenPrefixCause = "history_rewritten" | "tools_changed" | "template_args_changed" | "rerendered";

/** Maximum length of a recorded model name, in bytes of UTF-8. The agent chooses the name, so it can be of any length. */
const MODEL_NAME_BYTES = 256;
/** Maximum length of a recorded stop string, in characters. An answer that ended with a longer one cannot be extended. */
const MAX_STOP_STRING = 256;

/** Begins a turn in steps, for conversations of megabytes. Other turns of the session may begin between the steps. */
export function* beginTurn(data: SessionData, conversation: Conversation, options: TurnOptions): Steps<Turn> {
  const known = data.knownOf(options.model);
  return new Turn(data, conversation, yield* known.digest(conversation.messages), options);
}

/** One request of a conversation, from its messages to the recorded answers: `buildPrompt`, then `record` for each answer. */
export class Turn implements SearchedRequest {
  /** Messages that the previous request had too are the same objects, so that caches find their results. */
  readonly conversation: Conversation;
  readonly digests: Uint8Array;
  readonly callIds: BigUint64Array | undefined;
  /** Digest of the JSON of the tools; empty if there are none. */
  readonly toolsKey: string;
  readonly previous: RecordedInteraction | undefined;
  /** Set if the client gave the prompt as token ids. */
  readonly place: SequencePlace | undefined;
  /** The interaction that the request continues; undefined if it starts a new conversation. */
  readonly parent: ParentMatch | undefined;
  readonly #data: SessionData;
  readonly #options: TurnOptions;
  readonly #toolsBytes: number;
  /** The state of the tree in which {@link parent} was found; undefined if it may depend on which answers reached the client. */
  readonly #foundAt: number | undefined;
  #prompt: { readonly tokens: NativePrompt; readonly from: PromptTokens } | undefined;
  /** The own part relative to the parent for which it was read last. */
  #own: OwnPart | undefined;
  /** The interaction that the conversation was compacted from. Searched for once: the search reads up to 131,072 characters. */
  #compaction: { readonly from: number | undefined } | undefined;

  constructor(data: SessionData, conversation: Conversation, digested: DigestedMessages, options: TurnOptions) {
    const { tools = [] } = conversation;
    const toolsText = tools.length > 0 ? JSON.stringify(tools, keepSpelling) : "";
    this.#data = data;
    this.#options = options;
    this.digests = digested.digests;
    this.callIds = digested.callIds;
    this.toolsKey = toolsText && hashText(toolsText);
    this.#toolsBytes = toolsText.length;
    this.previous = options.previous;
    this.place = options.place;
    this.conversation = { ...conversation, messages: digested.messages };
    const { parents } = data;
    this.#foundAt = parents.dependsOnDelivery ? undefined : parents.changes;
    this.parent = this.place ? this.place.parent : this.#findParent();
    if (!digested.messages.some(({ hasUnknownReasoning }) => hasUnknownReasoning)) return;
    const messages = restoreReasoning(digested.messages, parents.listContinued(this.parent));
    this.conversation = { ...conversation, messages };
  }

  get messages(): readonly Message[] {
    return this.conversation.messages;
  }

  /** Returns the recorded answer to which the client has added text, if the request continues it. */
  findExtended(): ExtendedAnswer | undefined {
    return this.#data.parents.findExtended(this, this.parent);
  }

  /** Returns true if the request continues the newest call, except that its system messages at the start differ. */
  changesSystem(): boolean {
    return this.#data.parents.changesSystem(this.messages);
  }

  /** Returns the length of a prompt. */
  countTokens({ pieces, continues }: PromptTokens): number {
    return pieces.reduce((sum, { length }) => sum + length, continues ? this.#sequenceLength(continues.index) : 0);
  }

  /**
   * Sets the prompt. Tokens of a rendered prompt that it has in common with the parent are not copied.
   *
   * @throws RangeError if an image is not in the prompt
   */
  buildPrompt(from: PromptTokens): void {
    const { tokens } = this.#data;
    const { pieces, continues, images = [] } = from;
    const prompt = continues
      ? tokens.prompt(pieces, continues.index)
      : this.parent
        ? tokens.promptSharing(pieces, this.parent.index)
        : tokens.prompt(pieces);
    requirePlaces(images, prompt.length);
    this.#prompt = { tokens: prompt, from };
  }

  /** The tokens that {@link buildPrompt} set. */
  get prompt(): NativePrompt {
    return this.#requirePrompt().tokens;
  }

  /** See {@link PromptTokens.images}. */
  get images(): readonly PlacedImage[] | undefined {
    return this.#requirePrompt().from.images;
  }

  /** See {@link PromptTokens.fallback}. */
  get fallback(): string | undefined {
    return this.#requirePrompt().from.fallback;
  }

  /** Returns at most `count` tokens from the end of the prompt, without those of a continued interaction. */
  readPromptEnd(count: number): Int32Array {
    const end: number[] = [];
    for (const piece of this.#requirePrompt().from.pieces.toReversed()) {
      if (end.length >= count) break;
      end.unshift(...piece.subarray(-(count - end.length)));
    }
    return Int32Array.from(end);
  }

  /** Frees the prompt. */
  releasePrompt(): void {
    this.#prompt?.tokens.release();
  }

  /**
   * Returns how much the call would add to the session, without its output. The tokens that the prompt shares with the parent are
   * compared, because templates may render earlier messages differently, for example without their reasoning.
   *
   * @param files see {@link Answer.images}
   */
  measureGrowth(files?: ImageFiles): PromptGrowth {
    const { tokens: prompt, from } = this.#requirePrompt();
    const { images, tokens: recorded } = this.#data;
    const parent = this.#withSameImages(from.continues ?? this.parent);
    const tokens = prompt.length - (parent ? recorded.sharedLength(prompt, parent.index) : 0);
    const own = this.#readOwn(parent).bytes + (this.#newToolsBytes() ?? 0) + images.measureNew(from.images, files);
    return { tokens, bytes: TOKEN_BYTES * tokens + own, parent: parent?.index };
  }

  /**
   * Adds an answer to the tree.
   *
   * @throws SessionError if the session is exported or freed, or has an interaction with this id; Error if the file of an image is missing
   */
  record(answer: Answer): RecordedInteraction {
    this.#options.requireRecordable(answer.id);
    const data = this.#data;
    const { tokens: prompt, from } = this.#requirePrompt();
    const parent = this.#withSameImages(from.continues ?? this.#findParentNow());
    const newImages = data.images.listNew(from.images, answer.images);
    const ofParent = parent && data.log.at(parent.index).images;
    const images = shareImages(from.images, ofParent);
    const { inherited, input, templateArgs, bytes } = this.#readOwn(parent);
    data.knownOf(this.#options.model).share(this, inherited);
    const { output, generation } = answer;
    const outputTokens = generation.length;
    // Only recording the tokens shows whether the prompt begins with its parent's tokens, so the cause is determined in advance.
    const cause = from.fallback ?? (parent && this.#findBrokenPrefixCause(parent));
    // Lists every field, and completes some below. A spread with fields after it would cost ten kilobytes per call, because V8
    // creates a hidden class for each of these fields.
    const interaction: { -readonly [Field in keyof RecordedInteraction]-?: RecordedInteraction[Field] } = {
      index: -1,
      id: answer.id ?? `interaction-${randomUUID()}`,
      parent: -1,
      compactedFrom: this.#findCompacted(parent, input),
      undeclaredCalls: listUndeclaredCalls(output, this.conversation),
      tokenExact: false,
      images,
      input,
      output,
      lastTokenId: outputTokens > 0 ? generation.ids(outputTokens - 1)[0] : undefined,
      fallback: cause,
      toolsKey: this.toolsKey,
      toolsBytes: this.#newToolsBytes(),
      templateArgs,
      api: answer.api,
      finishReason: answer.finishReason,
      createdAt: Date.now(),
      sampling: answer.sampling,
      requestedModel:
        answer.requestedModel === undefined ? undefined : firstBytes(answer.requestedModel, MODEL_NAME_BYTES),
      droppedTools: answer.droppedTools,
      toolCount: answer.toolCount,
      tag: answer.tag,
      hints: answer.hints,
      placeholders: answer.placeholders,
      choice: answer.choice,
      choices: answer.choices,
      attempt: answer.attempt,
      resumes: answer.resumes,
      versionsUncertain: answer.versionsUncertain,
      startedAt: answer.startedAt,
      extended: from.extended || undefined,
      stopString: (answer.stopString?.length ?? 0) <= MAX_STOP_STRING ? answer.stopString : undefined,
      frozen: answer.frozen || undefined,
    };
    const recorded = data.tokens.record({
      prompt,
      generation,
      digests: this.place ? invert(this.digests) : this.digests,
      output: canonicalMessages(output, data.filters),
      parent: parent?.index ?? -1,
      compactedFrom: interaction.compactedFrom,
      facts: encodeFacts(interaction),
      labels: encodeLabels(interaction),
      startsRow: cause === "tools_changed",
      callIds: digestRecordedCallIds(this.callIds, output, data.digestKey),
    });
    interaction.index = recorded.index;
    interaction.parent = recorded.parent;
    interaction.tokenExact = recorded.tokenExact;
    if (recorded.tokenExact) interaction.fallback = from.fallback;
    const promptTokens = prompt.length;
    const newTokens = promptTokens - recorded.sharedTokens + outputTokens;
    const objectBytes = bytes + measureMessages(output) + measureImages(images, ofParent);
    this.#options.onRecorded(promptTokens, outputTokens);
    const { tools = [] } = this.conversation;
    data.add({ interaction, newTokens, objectBytes, tools, newImages, request: answer.request });
    return interaction;
  }

  /** Returns undefined for a parent whose tokens the prompt would share although they show other images: its call is then a root. */
  #withSameImages(parent: ParentMatch | undefined): ParentMatch | undefined {
    const { tokens: prompt, from } = this.#requirePrompt();
    const others = parent && this.#data.log.at(parent.index).images;
    if (!parent || (!from.images && !others)) return parent;
    const shared = this.#data.tokens.sharedLength(prompt, parent.index);
    return shareTokens(shared, from.images, others) ? parent : undefined;
  }

  #requirePrompt() {
    if (!this.#prompt) throw new Error("the turn has no prompt yet");
    return this.#prompt;
  }

  #sequenceLength(index: number): number {
    const { promptTokens, completionTokens } = this.#data.tokens.interaction(index);
    return promptTokens + completionTokens;
  }

  /** Returns {@link parent}. Searches again if calls were recorded since, or if the parent depends on which answers were delivered. */
  #findParentNow(): ParentMatch | undefined {
    if (this.place) return this.place.parent;
    const { parents } = this.#data;
    const isSame = this.#foundAt === parents.changes && !parents.dependsOnDelivery;
    return isSame ? this.parent : this.#findParent();
  }

  #findParent(): ParentMatch | undefined {
    const found = this.#data.parents.find(this);
    return found && this.#isOfModel(found.index) ? found : undefined;
  }

  /** Returns true if the model that answers this turn answered the interaction, or if there is only one model. */
  #isOfModel(index: number): boolean {
    const { model } = this.#options;
    return model === undefined || this.#data.log.at(index).requestedModel === model;
  }

  #readOwn(parent: ParentMatch | undefined): OwnPart {
    const isSame = this.#own?.parent?.index === parent?.index && this.#own?.parent?.rule === parent?.rule;
    if (this.#own && isSame) return this.#own;
    const { log } = this.#data;
    const inherited = log.readInherited(parent);
    const input = diffMessages(inherited, this.messages);
    // A request shares equal template arguments with its parent, as it does messages.
    const { templateArgs: args } = this.conversation;
    const ofParent = parent && log.at(parent.index).templateArgs;
    const isShared = sameTemplateArgs(args, ofParent);
    const bytes = measureRequest([...input.respelled.values(), ...input.added], isShared ? undefined : args);
    this.#own = { parent, inherited, input, templateArgs: isShared ? ofParent : args, bytes };
    return this.#own;
  }

  /** Returns `rerendered` if only the template or the tokenizer made other tokens of the same messages, tools and variables. */
  #findBrokenPrefixCause({ index, rule }: ParentMatch): BrokenPrefixCause {
    const parent = this.#data.log.at(index);
    if (rule === "messages") return "history_rewritten";
    if (this.toolsKey !== parent.toolsKey) return "tools_changed";
    const isSame = sameTemplateArgs(this.conversation.templateArgs, parent.templateArgs);
    return isSame ? "rerendered" : "template_args_changed";
  }

  #findCompacted(parent: ParentMatch | undefined, input: InputMessages): number | undefined {
    if (!this.#compaction) {
      const from = this.#searchCompacted(parent, input);
      this.#compaction = { from: from !== undefined && this.#isOfModel(from) ? from : undefined };
    }
    return this.#compaction.from;
  }

  /** Returns undefined for a call that continues an answer, because it begins no conversation. */
  #searchCompacted(parent: ParentMatch | undefined, { added }: InputMessages): number | undefined {
    const { compactions } = this.#data;
    // The messages are decoded tokens, in which an earlier answer can occur although nothing was compacted.
    if (this.place) return undefined;
    if (!parent) return compactions.find(this.messages);
    if (parent.rule === "continuation") return undefined;
    const found = compactions.findSummary(added);
    return found !== undefined && found > parent.index ? found : undefined;
  }

  /** Returns the size of the tools if no earlier call of the session had them. */
  #newToolsBytes(): number | undefined {
    const isNew = this.toolsKey !== "" && !this.#data.log.hasTools(this.toolsKey);
    return isNew ? this.#toolsBytes : undefined;
  }
}
