import { LRUCache } from "lru-cache";
import { ApiError } from "../../http/errors.js";
import { countInteractions, describeEpisode, readEpisode, readImage } from "../../server/ui/session-episode.js";
import { SessionTokens } from "../../server/ui/session-tokens.js";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import type { FileHead, FileSession } from "../../session/stored/file/read-sessions.js";
import { Semaphore } from "../../support/async/semaphore.js";
import type { EpisodeLine, EpisodeSummary } from "../../transcript/format.js";
import type {
  ImagePlace,
  Overview,
  SearchResult,
  TokenItems,
  TokenPlace,
  TokenRange,
  TokenSlice,
} from "../../view/api.js";
import { PAGE_CHANGES } from "../../view/changes/change-log.js";
import { toColumns } from "../../view/columns.js";
import { episodeContains, SEARCH_MS } from "../../view/search.js";
import type { OpenSource } from "../../view/sources/open-source.js";
import { chooseTexts, loadNamed, type NamedModel, type TextChoice } from "../../view/sources/token-model.js";
import { EpisodeTokenReader } from "../../view/tokens/episode-token-reader.js";
import { type EpisodeTokens, readTokenItems, readTokenSlice } from "../../view/tokens/token-slice.js";

/** A session that no server has in memory. */
export interface ViewedSession {
  readonly id: string;
  /** @throws ApiError if it is damaged or gone */
  readHead(): Promise<FileHead>;
  /** @throws ApiError if it is damaged or gone */
  read(): Promise<FileSession>;
}

export interface ViewedSessions extends AsyncDisposable {
  /** The folder or the address. */
  readonly name: string;
  readonly notices: readonly string[];
  /** Yields the sessions in a fixed order, without reading them. */
  list(): AsyncIterator<ViewedSession>;
}

const READS_AT_ONCE = 16;
/** Sessions that stay in memory: the page asks for the tokens and images of one call by call. */
const KEPT_SESSIONS = 4;

interface Listed {
  readonly session: ViewedSession;
  episode?: EpisodeSummary;
}

interface Opened extends FileSession {
  readonly tokens: SessionTokens;
}

/** Stored sessions as episodes, as they were when the source was opened. A page of the list reads the heads of its sessions only. */
export class StoredSource implements OpenSource {
  readonly #sessions: ViewedSessions;
  readonly #model: NamedModel | undefined;
  #rest: AsyncIterator<ViewedSession>;
  #isWhole = false;
  /** By index. */
  readonly #listed: Listed[] = [];
  readonly #listing = new Semaphore(1);
  readonly #reads = new Semaphore(READS_AT_ONCE);
  readonly #opened = new LRUCache<number, Promise<Opened>>({ max: KEPT_SESSIONS });
  /** The vocabularies by the digest of the model. */
  readonly #texts = new Map<string, Promise<TextChoice>>();
  #counted = 0;

  private constructor(sessions: ViewedSessions, model: NamedModel | undefined) {
    this.#sessions = sessions;
    this.#model = model;
    this.#rest = sessions.list();
  }

  /**
   * The source closes the sessions; they are closed, too, if this throws.
   *
   * @param model folder whose tokenizer decodes tokens
   * @throws ModelFolderError
   */
  static async open(sessions: ViewedSessions, model: string | undefined): Promise<StoredSource> {
    try {
      return new StoredSource(sessions, await loadNamed(model));
    } catch (error) {
      await sessions[Symbol.asyncDispose]();
      throw error;
    }
  }

  async overview(after = 0): Promise<Overview> {
    // The revision is the number of sessions before it, from 1.
    let start = Math.max(0, after - 1);
    await this.#list(start + PAGE_CHANGES + 1);
    if (start > this.#listed.length) start = 0;
    const end = Math.min(start + PAGE_CHANGES, this.#listed.length);
    const indices = Array.from({ length: end - start }, (_, at) => start + at);
    const episodes = await Promise.all(indices.map(async (index) => [index, await this.#summarize(index)] as const));
    return {
      name: this.#sessions.name,
      revision: end + 1,
      more: end < this.#listed.length,
      reset: start + 1 !== after,
      run: null,
      batches: [],
      steps: [],
      metrics: [],
      removed: [],
      episodes: toColumns(episodes),
      notices: await this.#notices(),
    };
  }

  async episode(index: number): Promise<EpisodeLine> {
    return readEpisode((await this.#open(index)).session, index);
  }

  async tokens(range: TokenRange): Promise<TokenSlice> {
    const { episode, tokens, texts } = await this.#readTokens(range.episode);
    return readTokenSlice(episode, range, tokens, await texts.load());
  }

  async items(place: TokenPlace): Promise<TokenItems> {
    const { episode, tokens, texts } = await this.#readTokens(place.episode);
    return readTokenItems(episode, place, tokens, await texts.load());
  }

  async image({ episode, sha256 }: ImagePlace): Promise<Uint8Array> {
    const { session } = await this.#open(episode);
    return readImage(session, sha256);
  }

  /** Searches the listed sessions, the last first. */
  async search(text: string, signal: AbortSignal): Promise<SearchResult> {
    const until = performance.now() + SEARCH_MS;
    const wanted = text.toLowerCase();
    const found: number[] = [];
    for (let end = this.#listed.length; end > 0; end -= READS_AT_ONCE) {
      signal.throwIfAborted();
      if (performance.now() > until) return { episodes: found.toReversed(), complete: false };
      const indices = Array.from({ length: Math.min(end, READS_AT_ONCE) }, (_, at) => end - 1 - at);
      const hits = await Promise.all(indices.map((index) => this.#contains(index, wanted)));
      found.push(...indices.filter((_, at) => hits[at]));
    }
    return { episodes: found.toReversed(), complete: this.#isWhole };
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#sessions[Symbol.asyncDispose]();
  }

  /** Lists at least `count` sessions, if there are as many. */
  async #list(count: number): Promise<void> {
    using _ = await this.#listing.acquire();
    try {
      while (!this.#isWhole && this.#listed.length < count) {
        const next = await this.#rest.next();
        if (next.done) this.#isWhole = true;
        else this.#listed.push({ session: next.value });
      }
    } catch (error) {
      // An iterator that has failed yields nothing more, so the next request begins anew.
      this.#listed.length = 0;
      this.#rest = this.#sessions.list();
      throw error;
    }
  }

  #find(index: number): Listed {
    const listed = this.#listed[index];
    if (!listed) throw new ApiError("not_found", `There is no episode ${index}.`);
    return listed;
  }

  async #summarize(index: number): Promise<EpisodeSummary> {
    const listed = this.#find(index);
    using _ = await this.#reads.acquire();
    listed.episode ??= await this.#readSummary(listed.session, index);
    return listed.episode;
  }

  async #readSummary(stored: ViewedSession, task: number): Promise<EpisodeSummary> {
    try {
      const { session, origin, interactions } = await stored.readHead();
      await this.#chooseTexts(origin);
      if (!interactions && session.interactionCount > 0) this.#counted++;
      return describeEpisode(session, task, interactions ?? countInteractions(session));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ...UNREADABLE, session_id: stored.id, task, task_id: stored.id, error: error.code };
    }
  }

  #open(index: number): Promise<Opened> {
    const known = this.#opened.get(index);
    if (known) return known;
    const opening = this.#read(index);
    this.#opened.set(index, opening);
    opening.catch(() => this.#opened.delete(index));
    return opening;
  }

  async #read(index: number): Promise<Opened> {
    if (!this.#listed[index]) await this.#list(index + 1);
    const { session, origin } = await this.#find(index).session.read();
    return { session, origin, tokens: new SessionTokens(origin) };
  }

  async #readTokens(index: number): Promise<{ episode: EpisodeLine; tokens: EpisodeTokens; texts: TextChoice }> {
    const { session, origin, tokens } = await this.#open(index);
    const episode = await readEpisode(session, index);
    const batch = await tokens.read(session);
    if (!batch) throw new ApiError("tokens_unavailable", `Session ${session.id} has no calls.`);
    return { episode, tokens: new EpisodeTokenReader(episode, [batch]), texts: await this.#chooseTexts(origin) };
  }

  async #contains(index: number, wanted: string): Promise<boolean> {
    try {
      const { session } = await this.#find(index).session.read();
      return episodeContains(await readEpisode(session, index), wanted);
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  #chooseTexts(origin: BatchOrigin | undefined): Promise<TextChoice> {
    const digest = origin?.modelDigest;
    const known = this.#texts.get(digest ?? "");
    const texts = known ?? chooseTexts(this.#model, digest === undefined ? null : { model_digest: digest });
    this.#texts.set(digest ?? "", texts);
    return texts;
  }

  async #notices(): Promise<string[]> {
    const texts = await Promise.all(this.#texts.values());
    const counts = `Of ${this.#counted} sessions, the list has counts only. Their rewards and turns are shown when they are opened.`;
    const ofTexts = texts.flatMap(({ notices }) => notices);
    return [...this.#sessions.notices, ...(this.#counted > 0 ? [counts] : []), ...new Set(ofTexts)];
  }
}

/** The summary of a session whose head cannot be read. */
const UNREADABLE = {
  type: "episode",
  accepted: false,
  version: 0,
  reward: null,
  calls: 0,
  turns: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  finish_reasons: {},
  broken: 0,
  left_out: 0,
  branches: 0,
} as const;
