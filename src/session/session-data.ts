import type { Tool } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import { native } from "../native/addon.js";
import type { NativeSession, RestoredTree } from "../native/contract.js";
import { Delivery } from "./delivery/delivery.js";
import { InteractionLog } from "./interaction-log.js";
import { listChoices, type RecordedInteraction } from "./recorded-interaction.js";
import { type ByteTally, measureMessages, measureRequest, SessionSize } from "./session-size.js";
import type { SessionSummary } from "./session-summary.js";
import { SessionTools } from "./session-tools.js";
import type { StoredInteraction } from "./stored/interaction-record.js";
import type { SessionJournal } from "./stored/journal.js";
import type { StoredSession } from "./stored/stored-session.js";
import type { ToolList, ToolLists } from "./tool-lists.js";
import { Compactions } from "./turn/compactions.js";
import { KnownMessages } from "./turn/known-messages.js";
import { ParentSearch } from "./turn/parent-search.js";

export interface SessionDataOptions {
  readonly filters: readonly MessageFilter[];
  readonly digestKey: Uint8Array | undefined;
  readonly tally: ByteTally;
  readonly toolLists: ToolLists;
  readonly journal: SessionJournal | undefined;
  /** The summary of a stored session. Its data is on disk until {@link SessionData.load}. */
  readonly summary: SessionSummary | undefined;
  /** Called with the index of an interaction when it was answered or repeated. */
  readonly onOutcome: (index: number) => void;
}

/** A recorded call that is added to its session. */
export interface AddedCall {
  readonly interaction: RecordedInteraction;
  /** Number of tokens that the call does not share with its parent. */
  readonly newTokens: number;
  /** Memory of the objects that it does not share, in bytes. */
  readonly objectBytes: number;
  readonly tools: readonly Tool[];
}

/** The recorded calls of a session: tokens in native memory, messages in JavaScript. After {@link unload}, they are on disk only. */
export class SessionData {
  readonly filters: readonly MessageFilter[];
  readonly digestKey: Uint8Array | undefined;
  readonly log: InteractionLog;
  readonly size: SessionSize;
  readonly delivery: Delivery;
  readonly known: KnownMessages;
  readonly parents: ParentSearch;
  readonly compactions: Compactions;
  readonly #tools: SessionTools;
  #tokens: NativeSession;
  #isLoaded: boolean;

  constructor(id: string, { filters, digestKey, tally, toolLists, journal, summary, onOutcome }: SessionDataOptions) {
    this.filters = filters;
    this.digestKey = digestKey;
    this.#tokens = new native.Session(digestKey);
    this.#isLoaded = summary === undefined;
    this.log = new InteractionLog(id, summary?.interactionCount);
    this.size = new SessionSize(() => this.#tokens.byteLength, tally, summary?.storedTokens);
    this.delivery = new Delivery(
      (index) => this.#tokens.interaction(index),
      onOutcome,
      (index) => listChoices(this.log.at(index)),
    );
    this.known = new KnownMessages(filters, digestKey);
    this.parents = new ParentSearch(() => this.#tokens, this.log, filters, this.delivery, digestKey);
    this.compactions = new Compactions(this.log);
    this.#tools = new SessionTools(toolLists, (key) => journal?.readTools(key));
    if (summary?.freed) this.size.free();
  }

  /** The native session with the tokens. Loading and unloading replace it. */
  get tokens(): NativeSession {
    return this.#tokens;
  }

  /** False while the data is on disk only. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Adds a call whose tokens were recorded. Returns its tools if it is the first call with them since the session was loaded. */
  add({ interaction, newTokens, objectBytes, tools }: AddedCall): ToolList | undefined {
    const { compactedFrom, toolsKey, toolsBytes = 0 } = interaction;
    this.log.add(interaction);
    // The client repeats the answer, so it has received it.
    if (compactedFrom !== undefined) this.delivery.referTo(compactedFrom);
    this.parents.add(interaction);
    this.size.addCall(newTokens, objectBytes);
    this.size.addShared(toolsBytes);
    return this.#tools.add(toolsKey, tools);
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
   * @param request identifies the request, so that its retries are recognized
   * @param objectBytes memory of its objects. Default: measured, including template arguments that it shares with its parent
   */
  toStored(
    interaction: RecordedInteraction,
    request: string | undefined,
    objectBytes = measureInteraction(interaction),
  ): StoredInteraction {
    const { index, parent, tokenExact: _, templateArgs, input, output, ...facts } = interaction;
    const ofParent = parent < 0 ? undefined : this.log.at(parent).templateArgs;
    return {
      native: this.#tokens.serialize(index),
      facts,
      messages: () => ({ input, output }),
      objectBytes,
      templateArgs: templateArgs !== undefined && templateArgs === ofParent ? "parent" : templateArgs,
      request,
    };
  }

  /**
   * Restores the data from disk. Throws if it is damaged; nothing is restored then.
   *
   * @param reward of the whole session
   */
  load(stored: StoredSession, reward: number | undefined): void {
    const restored = new native.Session(this.digestKey);
    this.#adopt(stored, restored, restored.restore(...listParts(stored)), reward);
  }

  /**
   * Like {@link load}, but restores the tokens on another thread. `stored` must not change meanwhile.
   *
   * @param isNeeded returns false if the session was freed meanwhile. Nothing is restored then
   */
  async loadAsync(stored: StoredSession, reward: number | undefined, isNeeded: () => boolean): Promise<void> {
    const restored = new native.Session(this.digestKey);
    const tree = await restored.restoreAsync(...listParts(stored));
    if (isNeeded()) this.#adopt(stored, restored, tree, reward);
    else restored.release();
  }

  /** Frees the data, which must be on disk. */
  unload(): void {
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
    this.known.clear();
    this.#tools.clear();
  }

  /** Takes over a native session that has the tokens of all stored interactions. Throws if a reward is damaged. */
  #adopt(stored: StoredSession, restored: NativeSession, tree: RestoredTree, reward: number | undefined): void {
    this.#tokens.release();
    this.#tokens = restored;
    try {
      this.#addStored(stored, tree);
      if (reward !== undefined) restored.setSessionReward(reward);
      this.#isLoaded = true;
    } catch (error) {
      this.unload();
      throw error;
    }
  }

  #addStored({ interactions, outcomes }: StoredSession, tree: RestoredTree): void {
    interactions.forEach((stored, index) => {
      const interaction = this.#toInteraction(stored, index, tree);
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
  }

  #toInteraction(stored: StoredInteraction, index: number, { parents, tokenExact }: RestoredTree): RecordedInteraction {
    const { facts, messages, templateArgs } = stored;
    const parent = parents[index] ?? -1;
    return {
      index,
      parent,
      tokenExact: tokenExact[index] === 1,
      ...facts,
      templateArgs: templateArgs === "parent" ? this.log.at(parent).templateArgs : templateArgs,
      get input() {
        return messages().input;
      },
      get output() {
        return messages().output;
      },
    };
  }
}

function measureInteraction({ input, output, templateArgs }: RecordedInteraction): number {
  return measureRequest([...input.respelled.values(), ...input.added], templateArgs) + measureMessages(output);
}

/** Returns the arguments of `restore`. */
function listParts({ interactions }: StoredSession): [parts: Uint8Array[], compactedFrom: Int32Array] {
  return [
    interactions.map((stored) => stored.native),
    Int32Array.from(interactions, ({ facts }) => facts.compactedFrom ?? -1),
  ];
}
