import { basename, dirname } from "node:path";
import { ApiError } from "../../http/errors.js";
import { sleep } from "../../support/async/sleep.js";
import { TranscriptError } from "../../transcript/errors.js";
import type { EpisodeLine, EpisodeSummary, Place } from "../../transcript/format.js";
import { Transcript } from "../../transcript/read-index.js";
import type { Overview, SearchResult, TokenRange, TokenSlice } from "../api.js";
import { BatchCache } from "../tokens/batch-cache.js";
import { RowTokens } from "../tokens/row-tokens.js";
import { readTokenSlice } from "../tokens/token-slice.js";
import type { OpenSource } from "./open-source.js";
import { RunMetrics } from "./run-metrics.js";
import { searchEpisodes } from "./search-episodes.js";
import { chooseTexts, loadNamed, type NamedModel, NO_TEXTS } from "./token-model.js";
import { TranscriptList } from "./transcript-list.js";

/** Maximum time that a request for changes waits. Proxies and browsers close connections that are silent for much longer. */
const WAIT_MS = 20_000;
const POLL_MS = 500;

export interface TranscriptSourceOptions {
  /** Folder of the model whose tokenizer decodes tokens. Default: the job's, if it is still the same. */
  readonly model?: string | undefined;
  /** Notices for the user about the choice of the file. */
  readonly notices?: readonly string[];
}

/** Episodes of a transcript file, which may still grow. */
export class TranscriptSource implements OpenSource {
  readonly #path: string;
  readonly #notices: readonly string[];
  readonly #model: Promise<NamedModel | undefined>;
  readonly #batches: BatchCache;
  #metrics: RunMetrics;
  #transcript: Transcript;
  #list = new TranscriptList();
  /** Revision at which the file was opened. It increases if another job replaces the file. */
  #base = 1;
  #texts = NO_TEXTS;
  /** The last overview: the command and the page ask for it at the start. */
  #whole: { readonly of: string; readonly overview: Overview } | undefined;
  #textsOf: string | undefined;
  readonly #readable = new Set<string>();
  /** The episode that was read last: a page asks for its tokens call by call. */
  #last: { readonly offset: number; readonly transcript: Transcript; readonly episode: EpisodeLine } | undefined;
  #refreshing: Promise<void> | undefined;

  /** Resolves when the lines that the file had at first are read. */
  readonly #first: Promise<void>;

  private constructor(path: string, transcript: Transcript, { model, notices = [] }: TranscriptSourceOptions) {
    this.#path = path;
    this.#transcript = transcript;
    this.#notices = notices;
    this.#batches = new BatchCache(dirname(path));
    this.#metrics = RunMetrics.ofTranscript(path);
    this.#model = loadNamed(model);
    // An error of the file system: the next request tries again and reports it.
    this.#first = this.#refresh().catch(() => undefined);
  }

  /**
   * Opens a transcript. It is read while the page loads; requests wait for it.
   *
   * @throws TranscriptError, ModelFolderError, or an error of the file system
   */
  static async open(path: string, options: TranscriptSourceOptions = {}): Promise<TranscriptSource> {
    const source = new TranscriptSource(path, await Transcript.openUnread(path), options);
    try {
      await source.#model;
      return source;
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  async overview(): Promise<Overview> {
    await this.#refresh();
    const of = `${this.#revision} ${this.#readable.size}`;
    if (this.#whole?.of !== of) this.#whole = { of, overview: this.#overview(0) };
    return this.#whole.overview;
  }

  /** Waits until the transcript has changed, at most {@link WAIT_MS}. */
  async changes(after: number, signal: AbortSignal): Promise<Overview> {
    const until = performance.now() + WAIT_MS;
    await this.#refresh();
    while (after === this.#revision && performance.now() < until) {
      await sleep(POLL_MS, signal);
      await this.#refresh();
    }
    // A revision outside of this range is that of a file that was replaced.
    const change = after < this.#base || after > this.#revision ? 0 : after - this.#base;
    return this.#overview(change);
  }

  async episode(index: number): Promise<EpisodeLine> {
    return this.#readEpisode(await this.#find(index));
  }

  async tokens(range: TokenRange): Promise<TokenSlice> {
    const summary = await this.#find(range.episode);
    const lines = this.#list.batchesOf(summary);
    if (lines.length === 0)
      throw new ApiError("tokens_unavailable", "The episode is in no batch, so it has no tokens.");
    const episode = await this.#readEpisode(summary);
    const names = [...new Set(lines.map(({ file }) => file))];
    return this.#batches.use(names, async (batches) => {
      if (batches.length === 0) throw new ApiError("tokens_unavailable", `${names.join(", ")} cannot be read.`);
      return readTokenSlice(episode, range, new RowTokens(episode, batches), await this.#texts.load());
    });
  }

  async search(text: string, signal: AbortSignal): Promise<SearchResult> {
    await this.#first;
    return searchEpisodes(this.#path, this.#list.episodes, text, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#refreshing?.catch(() => undefined);
    await this.#transcript[Symbol.asyncDispose]();
    await this.#batches[Symbol.asyncDispose]();
  }

  get #revision(): number {
    return this.#base + this.#list.changes;
  }

  #overview(change: number): Overview {
    const { isIndexed, problems } = this.#transcript;
    const notices = [
      ...this.#notices,
      ...(isIndexed
        ? []
        : ["The index of the transcript is missing or older than the file, so the file was read instead."]),
      ...problems,
      ...this.#texts.notices,
    ];
    const isReadable = (file: string) => this.#readable.has(file);
    return this.#list.overview(change, { name: basename(this.#path), revision: this.#revision, notices, isReadable });
  }

  async #find(index: number): Promise<EpisodeSummary & Place> {
    await this.#first;
    const found = this.#list.episodes[index];
    if (!found) throw new ApiError("not_found", `There is no episode ${index}.`);
    return found;
  }

  async #readEpisode(place: Place): Promise<EpisodeLine> {
    const transcript = this.#transcript;
    const { offset } = place;
    if (this.#last?.transcript === transcript && this.#last.offset === offset) return this.#last.episode;
    try {
      const episode = await transcript.readEpisode(place);
      this.#last = { offset, transcript, episode };
      return episode;
    } catch (error) {
      if (!(error instanceof TranscriptError)) throw error;
      throw new ApiError("transcript_invalid", error.message, { cause: error });
    }
  }

  /** Reads new lines. Concurrent calls share one read. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#readChanges().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #readChanges(): Promise<void> {
    const { replaced } = await this.#transcript.refresh();
    if (replaced) {
      // While a new job starts, its file may be missing or have no first line.
      const next = await Transcript.open(this.#path).catch(() => undefined);
      if (!next) return;
      await this.#transcript[Symbol.asyncDispose]();
      this.#base = this.#revision + 1;
      this.#transcript = next;
      this.#list = new TranscriptList();
      this.#metrics = RunMetrics.ofTranscript(this.#path);
      this.#readable.clear();
    }
    await this.#takeLines();
  }

  async #takeLines(): Promise<void> {
    const list = this.#list;
    for (const line of this.#transcript.lines.slice(list.lines)) list.add(line);
    const metrics = await this.#metrics.readChanged();
    if (metrics) list.setMetrics(metrics);
    await this.#findFiles(list);
    const key = JSON.stringify([list.run?.model_path, list.run?.model_digest]);
    if (key === this.#textsOf) return;
    this.#textsOf = key;
    this.#texts = await chooseTexts(await this.#model, list.run);
  }

  /** Looks for the tensor files that have not been found yet. */
  async #findFiles(list: TranscriptList): Promise<void> {
    const missing = new Set(list.batches.map(({ file }) => file).filter((file) => !this.#readable.has(file)));
    const found = await Promise.all([...missing].map(async (file) => ((await this.#batches.find(file)) ? [file] : [])));
    for (const file of found.flat()) this.#readable.add(file);
  }
}
