import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { runInSlices } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import type { EpisodeSummary } from "../../transcript/format.js";
import { ChangeFeed } from "../../view/changes/change-feed.js";
import { ChangeLog, type ChangePage } from "../../view/changes/change-log.js";
import type { IndexedEpisode } from "../../view/columns.js";
import { summarizeListed } from "./session-episode.js";

const POLL_MS = 1000;

interface Entry {
  readonly session: Session;
  /** State of the session when it was summarized. */
  readonly state: State;
  readonly episode: EpisodeSummary;
  /** Revision of its last change. */
  readonly revision: number;
}

/** A log is begun anew when it has this many changes more than sessions: most of them are out of date. */
const SPARE_CHANGES = 100_000;

/** A page of the list: episodes that are new or different, and those that are gone. */
export interface EpisodePage extends Omit<ChangePage<number>, "changes"> {
  readonly episodes: readonly IndexedEpisode[];
  readonly removed: readonly number[];
}

/**
 * The sessions of a server as episodes, in the order in which they were started. The index of an episode is the number of its session.
 *
 * No step handles more than one session or one page, however many sessions there are.
 */
export class SessionList {
  readonly #registry: SessionRegistry;
  #entries = new Map<number, Entry>();
  #onDisk = 0;
  /** Numbers of the sessions that have changed. Revisions grow from one process of a server to the next. */
  #log = new ChangeLog<number>(Date.now() * 1000);
  readonly #feed: ChangeFeed<number>;

  constructor(registry: SessionRegistry) {
    this.#registry = registry;
    this.#feed = new ChangeFeed({
      read: (progress) => runInSlices(this.compare(progress)),
      log: () => this.#log,
      pollMilliseconds: POLL_MS,
    });
  }

  /** Number of sessions whose data is on disk only. They are listed with their counts. */
  get onDisk(): number {
    return this.#onDisk;
  }

  /** Returns the changes after a revision, at most a page. */
  async page(after: number): Promise<EpisodePage> {
    return this.#describe(await this.#feed.page(after));
  }

  /** Waits for a change after a revision, for some seconds. */
  async changes(after: number, signal: AbortSignal): Promise<EpisodePage> {
    return this.#describe(await this.#feed.changes(after, signal));
  }

  /** Looks for changes. Each step looks at one session. */
  *compare(progress: () => void): Steps<void> {
    for (const session of this.#registry.all()) {
      const number = this.#registry.numberOf(session);
      if (number !== undefined && !session.lifecycle.freed) yield* this.#look(number, session, progress);
      yield;
    }
    for (const [number, { session }] of this.#entries) {
      if (session.lifecycle.freed || this.#registry.byNumber(number) !== session) {
        this.#forget(number);
        this.#log.add(number);
        progress();
      }
      yield;
    }
    if (this.#log.length > 2 * this.#entries.size + SPARE_CHANGES) yield* this.#beginAnew();
  }

  *#look(number: number, session: Session, progress: () => void): Steps<void> {
    const before = this.#entries.get(number);
    if (before?.session === session && isSame(before.state, session)) return;
    // Read before the summary, which takes several steps: changes meanwhile are found by the next look.
    const state = readState(session);
    const episode = yield* summarizeListed(session, number);
    this.#forget(number);
    this.#entries.set(number, { session, state, episode, revision: this.#log.add(number) });
    if (!state.isLoaded) this.#onDisk++;
    progress();
  }

  #forget(number: number): void {
    if (this.#entries.get(number)?.state.isLoaded === false) this.#onDisk--;
    this.#entries.delete(number);
  }

  /** Replaces the log by one with the last change of each session. Pages that know the former one read the list again. */
  *#beginAnew(): Steps<void> {
    const log = new ChangeLog<number>(this.#log.revision + 1);
    const entries = new Map<number, Entry>();
    for (const [number, entry] of this.#entries) {
      entries.set(number, { ...entry, revision: log.add(number) });
      yield;
    }
    this.#log = log;
    this.#entries = entries;
  }

  #describe({ changes, ...page }: ChangePage<number>): EpisodePage {
    const episodes: IndexedEpisode[] = [];
    const removed: number[] = [];
    const start = page.revision - changes.length + 1;
    for (const [at, number] of changes.entries()) {
      const entry = this.#entries.get(number);
      if (!entry) removed.push(number);
      else if (entry.revision === start + at) episodes.push([number, entry.episode]);
    }
    return { ...page, episodes, removed };
  }
}

interface State extends Pick<Session, "state" | "isLoaded" | "interactionCount" | "sessionReward" | "lastAccessAt"> {
  readonly rewardCount: number;
}

function readState({ state, isLoaded, interactionCount, sessionReward, lastAccessAt, data }: Session): State {
  return { state, isLoaded, interactionCount, rewardCount: data.rewardCount, sessionReward, lastAccessAt };
}

function isSame(before: State, session: Session): boolean {
  return (
    before.state === session.state &&
    before.isLoaded === session.isLoaded &&
    before.interactionCount === session.interactionCount &&
    before.rewardCount === session.data.rewardCount &&
    before.sessionReward === session.sessionReward &&
    // A new value of an earlier reward shows in the time of the call only.
    before.lastAccessAt === session.lastAccessAt
  );
}
