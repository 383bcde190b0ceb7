import { createHash } from "node:crypto";
import type { Tool } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import { native } from "../native/addon.js";
import type { ChannelSpec, NativeSession, RestoredTree } from "../native/contract.js";
import { Delivery } from "./delivery/delivery.js";
import { InteractionLog } from "./interaction-log.js";
import { listChoices, type RecordedInteraction } from "./recorded-interaction.js";
import { type ImageBytes, type ImagePool, SessionImages } from "./session-images.js";
import { type ByteTally, measureImages, measureMessages, measureRequest, SessionSize } from "./session-size.js";
import type { SessionSummary } from "./session-summary.js";
import { fromStoredInteraction, type StoredInteraction, toStoredInteraction } from "./stored/interaction-record.js";
import type { SessionJournal } from "./stored/journal.js";
import type { Outcome } from "./stored/outcome-record.js";
import type { StoredSession } from "./stored/read-session.js";
import { SessionTools, type ToolLists } from "./tool-lists.js";
import { Compactions } from "./turn/compactions.js";
import { DIGEST_BYTES, KnownMessages } from "./turn/known-messages.js";
import { ParentSearch } from "./turn/parent-search.js";

export interface SessionDataOptions {
  readonly filters: readonly MessageFilter[];
  readonly digestKey: Uint8Array | undefined;
  readonly tally: ByteTally;
  readonly toolLists: ToolLists;
  readonly imagePool: ImagePool;
  readonly journal: SessionJournal | undefined;
  /** The summary of a stored session. Its data is on disk until {@link SessionData.load}. */
  readonly summary: SessionSummary | undefined;
}

/** A recorded call that is added to its session. */
export interface AddedCall {
  readonly interaction: RecordedInteraction;
  /** Number of tokens that the call does not share with its parent. */
  readonly newTokens: number;
  /** Memory of the objects that it does not share, in bytes. */
  readonly objectBytes: number;
  readonly tools: readonly Tool[];
  /** Files of its images that the session does not have. */
  readonly newImages: readonly ImageBytes[];
  /** Identifies the request, so that its retries are recognized after a restart. */
  readonly request: string | undefined;
}

/** The items of a channel for consecutive tokens. */
export interface ChannelItems {
  readonly channel: ChannelSpec;
  readonly values: Float32Array | Int32Array;
}

/** The recorded calls of a session: tokens in native memory, messages in JavaScript. After {@link unload}, they are on disk only. */
export class SessionData {
  readonly filters: readonly MessageFilter[];
  readonly digestKey: Uint8Array | undefined;
  readonly log: InteractionLog;
  readonly size: SessionSize;
  readonly delivery: Delivery;
  readonly #known: KnownMessages;
  /** By the model that answers, if there are several. */
  #knownOfModels: Map<string, KnownMessages> | undefined;
  readonly parents: ParentSearch;
  readonly compactions: Compactions;
  readonly images: SessionImages;
  readonly #tools: SessionTools;
  /** Where the data is stored; undefined if it ends with the process. */
  readonly journal: SessionJournal | undefined;
  #tokens: NativeSession;
  #isLoaded: boolean;
  #users = 0;
  #changes = 0;
  #rewardCount: number;
  #sessionReward: number | undefined;

  constructor(id: string, options: SessionDataOptions) {
    const { filters, digestKey, tally, toolLists, imagePool, journal, summary } = options;
    this.filters = filters;
    this.digestKey = digestKey;
    this.#tokens = new native.Session(digestKey);
    this.#isLoaded = summary === undefined;
    this.journal = journal;
    this.#rewardCount = summary?.rewards ?? 0;
    this.#sessionReward = summary?.sessionReward;
    this.log = new InteractionLog(id, summary?.interactionCount);
    this.size = new SessionSize(() => this.#tokens.byteLength, tally, summary?.storedTokens);
    this.delivery = new Delivery(
      (index) => this.#tokens.interaction(index),
      (index) => this.#storeOutcome(index),
      (index) => listChoices(this.log.at(index)),
    );
    this.#known = new KnownMessages(filters, digestKey);
    this.parents = new ParentSearch(() => this.#tokens, this.log, filters, this.delivery, digestKey);
    this.compactions = new Compactions(this.log);
    this.images = new SessionImages(imagePool);
    this.#tools = new SessionTools(toolLists, (key) => journal?.readTools(key));
    if (summary?.freed) this.size.free();
  }

  /** The native session with the tokens. Loading and unloading replace it. */
  get tokens(): NativeSession {
    return this.#tokens;
  }

  /**
   * Returns the known messages of the calls that a model answers. Equal messages of two models have different digests, so that no call
   * continues one of another model.
   *
   * @param model undefined if there is only one
   */
  knownOf(model: string | undefined): KnownMessages {
    if (model === undefined) return this.#known;
    this.#knownOfModels ??= new Map();
    const known = this.#knownOfModels.get(model) ?? new KnownMessages(this.filters, this.digestKey, digestModel(model));
    this.#knownOfModels.set(model, known);
    return known;
  }

  /** False while the data is on disk only. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** True while the data is in use; see {@link hold}. */
  get isHeld(): boolean {
    return this.#users > 0;
  }

  /** Keeps the data in memory. Each call needs a call of {@link release}. */
  hold(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
  }

  /** Number of changes that were stored in this process. If it grew since the last commit, the newest data is in memory only. */
  get changes(): number {
    return this.#changes;
  }

  /** Number of interactions with a reward of their own. */
  get rewardCount(): number {
    return this.#rewardCount;
  }

  /** The reward of the whole session, which all of its trees share. */
  get sessionReward(): number | undefined {
    return this.#sessionReward;
  }

  /** Adds a call whose tokens were recorded, and stores it if sessions are stored. Its answer is still to be sent. */
  add({ interaction, newTokens, objectBytes, tools, newImages, request }: AddedCall): void {
    const { index, compactedFrom, toolsKey, toolsBytes = 0 } = interaction;
    this.log.add(interaction);
    // The client repeats the answer, so it has received it.
    if (compactedFrom !== undefined) this.delivery.referTo(compactedFrom);
    this.parents.add(interaction);
    this.size.addCall(newTokens, objectBytes);
    this.size.addShared(toolsBytes);
    this.#addImages(newImages);
    const newTools = this.#tools.add(toolsKey, tools);
    if (!this.journal) return;
    this.delivery.awaitAnswer(index);
    this.#changes++;
    this.journal.recorded(index, this.toStored(interaction, request, objectBytes), { newTools, newImages });
  }

  #addImages(files: Iterable<ImageBytes>): void {
    for (const file of files) if (this.images.add(file)) this.size.addShared(file.bytes.length);
  }

  /**
   * Adds items to tokens of the sequence of a recorded interaction, and stores them if sessions are stored.
   *
   * @param first the token of the first item
   */
  addChannels(leaf: number, first: number, channels: readonly ChannelItems[]): void {
    const changed = new Set<number>();
    for (const { channel, values } of channels) {
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      for (const index of this.#tokens.addChannel(leaf, channel, first, bytes)) changed.add(index);
    }
    this.size.addObjects(0);
    if (!this.journal || changed.size === 0) return;
    this.#changes++;
    this.journal.channelsAdded(
      [...changed].flatMap((index) => {
        const added = this.#tokens.serializeAdded(index);
        return added ? [{ index, bytes: added }] : [];
      }),
    );
  }

  /** Sets the reward of an interaction. Returns its former one. */
  setReward(index: number, reward: number): number | undefined {
    const { ownReward } = this.#tokens.interaction(index);
    this.#tokens.setReward(index, reward);
    if (ownReward === undefined) this.#rewardCount++;
    this.#storeOutcome(index);
    return ownReward;
  }

  setSessionReward(reward: number): void {
    this.#tokens.setSessionReward(reward);
    this.#sessionReward = reward;
  }

  /** Returns the outcome of an interaction. An answer that is still being sent counts as answered, as it does in an export. */
  readOutcome(index: number): Outcome {
    return { ...this.#readOutcome(index), answered: !this.delivery.hasClosedEarly(index) };
  }

  /** Returns the JSON of the tools of an interaction; undefined if it had none or they were not recorded. */
  readTools({ toolsKey }: RecordedInteraction): string | undefined {
    return toolsKey === "" ? undefined : this.#tools.read(toolsKey);
  }

  /** Returns a copy of the tokens of an interaction, input and output together. */
  readSequence(index: number): Int32Array {
    const prompt = this.#tokens.prompt([], index);
    try {
      return prompt.tokens();
    } finally {
      prompt.release();
    }
  }

  /**
   * Returns the stored form of an interaction.
   *
   * @param request see {@link AddedCall.request}
   * @param objectBytes memory of its objects. Default: measured, including template arguments that it shares with its parent
   */
  toStored(
    interaction: RecordedInteraction,
    request?: string,
    objectBytes = measureInteraction(interaction),
  ): StoredInteraction {
    return toStoredInteraction(interaction, {
      native: this.#tokens.serialize(interaction.index),
      parent: interaction.parent < 0 ? undefined : this.log.at(interaction.parent),
      objectBytes,
      request,
    });
  }

  /** Restores the data from disk. Throws if it is damaged; nothing is restored then. */
  load(stored: StoredSession): void {
    if (this.#isLoaded) return;
    const restored = new native.Session(this.digestKey);
    this.#adopt(stored, restored, restored.restore(...listParts(stored)));
  }

  /** Like {@link load}, but restores the tokens on another thread. `stored` must not change meanwhile. Skips a freed session. */
  async loadAsync(stored: StoredSession): Promise<void> {
    if (this.#isLoaded || this.size.isFreed) return;
    const restored = new native.Session(this.digestKey);
    const tree = await restored.restoreAsync(...listParts(stored));
    if (this.size.isFreed) restored.release();
    else this.#adopt(stored, restored, tree);
  }

  /** Frees the data, which must be on disk. {@link load} restores it. */
  unload(): void {
    if (this.#isLoaded && !this.size.isFreed) this.#unload();
  }

  #unload(): void {
    this.#isLoaded = false;
    this.size.unload();
    this.#clear();
    this.#tokens = new native.Session(this.digestKey);
    this.delivery.unload();
  }

  /** Frees the data for good. */
  free(): void {
    this.size.free();
    this.#clear();
    this.delivery.clear();
  }

  #clear(): void {
    this.#tokens.release();
    this.log.clear();
    this.compactions.clear();
    this.parents.clear();
    this.#known.clear();
    this.#knownOfModels = undefined;
    this.images.clear();
    this.#tools.clear();
  }

  /** Takes over a native session that has the tokens of all stored interactions. Throws if a reward is damaged. */
  #adopt(stored: StoredSession, restored: NativeSession, tree: RestoredTree): void {
    this.#tokens.release();
    this.#tokens = restored;
    try {
      this.#addStored(stored, tree);
      if (this.#sessionReward !== undefined) restored.setSessionReward(this.#sessionReward);
      this.#isLoaded = true;
    } catch (error) {
      this.#unload();
      throw error;
    }
  }

  /** Stores the outcome of an interaction, which changed. */
  #storeOutcome(index: number): void {
    if (!this.journal) return;
    this.#changes++;
    this.journal.outcomeChanged(index, this.#readOutcome(index));
  }

  #readOutcome(index: number): Outcome {
    return {
      // Most sessions get their rewards at their end. Until then, asking native memory after each answer costs more than the rest.
      reward: this.#rewardCount === 0 ? undefined : this.#tokens.interaction(index).ownReward,
      answered: this.delivery.wasAnswered(index),
      repeatedBy: this.delivery.attempts.repeatedBy(index),
      referenced: this.delivery.wasReferenced(index),
    };
  }

  #addStored({ interactions, outcomes, images }: StoredSession, tree: RestoredTree): void {
    interactions.forEach((stored, index) => {
      const interaction = fromStoredInteraction(stored, index, tree, (parent) => this.log.at(parent));
      this.log.add(interaction);
      this.parents.add(interaction);
    });
    outcomes.forEach(({ reward }, index) => {
      if (reward !== undefined) this.#tokens.setReward(index, reward);
    });
    this.delivery.restore(
      outcomes.map((outcome, i) => ({
        ...outcome,
        request: interactions[i]?.request,
        retryCount: interactions[i]?.facts.attempt ?? 0,
      })),
    );
    this.size.addObjects(interactions.reduce((sum, { objectBytes }) => sum + objectBytes, 0));
    this.size.addShared(interactions.reduce((sum, { facts }) => sum + (facts.toolsBytes ?? 0), 0));
    this.#addImages(images);
  }
}

/** Returns a digest of a model's name, from which the chain digests of its calls' messages begin. */
function digestModel(model: string): Uint8Array {
  return createHash("sha256").update(model).digest().subarray(0, DIGEST_BYTES);
}

function measureInteraction({ input, output, templateArgs, images }: RecordedInteraction): number {
  const request = measureRequest([...input.respelled.values(), ...input.added], templateArgs);
  return request + measureMessages(output) + measureImages(images);
}

/** Returns the arguments of `restore`. */
function listParts({ interactions, added }: StoredSession): Parameters<NativeSession["restore"]> {
  return [
    interactions.map((stored) => stored.native),
    Int32Array.from(interactions, ({ facts }) => facts.compactedFrom ?? -1),
    added,
  ];
}
