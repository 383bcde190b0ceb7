import type { ChannelFacts } from "../facts/channels.js";
import type { BatchLine, EpisodeLine, EpisodeSummary, MetricsLine, RunLine, StepLine } from "../transcript/format.js";

/**
 * The data that the page reads. The viewer's server returns it over HTTP (`GET <base>/api/…`); an HTML file that `--html`
 * wrote contains the same objects. The page knows only {@link Source}.
 */
export interface Source {
  /**
   * `GET api/overview?after=<revision>`: everything except messages and tokens, page by page. The first page is that after revision 0, the
   * default; {@link Overview.more} says if another one follows.
   */
  overview(after?: number): Promise<Overview>;
  /** `GET api/changes?after=<revision>`: the same page, but waits up to 20 seconds for a change. Undefined if the source does not change. */
  readonly changes?: (after: number, signal: AbortSignal) => Promise<Overview>;
  /** `GET api/episodes/<index>` */
  episode(index: number): Promise<EpisodeLine>;
  /** `GET api/episodes/<index>/tokens/<interaction>?from=<token>&count=<n>` */
  tokens(range: TokenRange): Promise<TokenSlice>;
  /**
   * `GET api/episodes/<index>/tokens/<interaction>/<token>`: what channels have for one token. Undefined if the source has only the
   * columns of a {@link TokenSlice}, as an HTML file.
   */
  readonly items?: (place: TokenPlace) => Promise<TokenItems>;
  /** `GET api/episodes/<index>/images/<sha256>`: the file of an image. It may be of any type, or damaged. */
  image(place: ImagePlace): Promise<Uint8Array>;
  /** `GET api/episodes?text=<words>`: indices of the episodes that contain the text. Stops after 2 seconds. */
  search(text: string, signal: AbortSignal): Promise<SearchResult>;
}

/** A page of changes: what is new or different since a revision. The first pages list everything. */
export interface Overview {
  /** Name of the file or server. */
  readonly name: string;
  /** Revision after these changes. */
  readonly revision: number;
  /** True if the page after `revision` can be asked for at once. */
  readonly more: boolean;
  /** True if the list begins anew: everything that was known before is void. */
  readonly reset: boolean;
  readonly run: RunLine | null;
  readonly batches: readonly BatchSummary[];
  readonly steps: readonly StepLine[];
  /** The metrics of the job, one line a step. */
  readonly metrics: readonly MetricsLine[];
  readonly episodes: EpisodeColumns;
  /** Indices of episodes that the source has no more. */
  readonly removed: readonly number[];
  /** Notices for the user: tokens cannot be decoded, an index was missing, episodes were left out of an HTML file. */
  readonly notices: readonly string[];
}

export interface BatchSummary extends Omit<BatchLine, "session_ids" | "type"> {
  /** False if the tensor file is missing: its tokens cannot be shown. */
  readonly readable: boolean;
}

/**
 * Episodes by column, one value per episode: 10,000 of them are a few hundred kilobytes. `batch` is the number of the
 * batch that has the episode; -1: none. Texts that recur are indices into `texts`; -1: none.
 */
export interface EpisodeColumns {
  readonly texts: readonly string[];
  /** Increases from one episode to the next, and is never given to another one. */
  readonly index: readonly number[];
  readonly session_id: readonly (string | null)[];
  readonly task: readonly number[];
  readonly task_id: readonly number[];
  readonly group_id: readonly number[];
  readonly accepted: readonly boolean[];
  readonly error: readonly number[];
  readonly version: readonly number[];
  readonly oldest_version: readonly (number | null)[];
  readonly newest_version: readonly (number | null)[];
  readonly batch: readonly number[];
  readonly started_at: readonly (number | null)[];
  readonly duration: readonly (number | null)[];
  readonly reward: readonly (number | null)[];
  readonly calls: readonly number[];
  readonly turns: readonly number[];
  readonly prompt_tokens: readonly number[];
  readonly completion_tokens: readonly number[];
  readonly broken: readonly number[];
  readonly left_out: readonly number[];
  readonly branches: readonly number[];
  /** Numbers of calls by finish reason, one column each. */
  readonly finish_reasons: Readonly<Record<string, readonly number[]>>;
}

export type { EpisodeLine, EpisodeSummary, MetricsLine };

export interface TokenRange {
  readonly episode: number;
  /** Index of the interaction in its episode. */
  readonly interaction: number;
  /** First token, counted from the start of the interaction's own tokens: the prompt's tokens after `shared_tokens`, then the output's. */
  readonly from: number;
  /** At most 4,096. */
  readonly count: number;
}

/** Tokens of an interaction: those that it adds to its parent, in order. One value per token. */
export interface TokenSlice {
  /** Number of the interaction's own tokens. */
  readonly total: number;
  /** Index of the first own output token. */
  readonly output_start: number;
  readonly ids: readonly number[];
  /** The text of a character of several tokens is that of the last one; the others have the empty string. Null if the tokenizer is not known. */
  readonly texts: readonly string[] | null;
  /** In nats; 0 at prompt tokens. */
  readonly logprobs: readonly number[];
  readonly loss_mask: readonly (0 | 1)[];
  /** Weight versions; -1 at prompt tokens. */
  readonly versions: readonly number[];
  /** Divisor of the logits of this interaction. */
  readonly temperature: number;
  /** The channels of the interaction's batch, sorted by name. */
  readonly channels: readonly TokenChannel[];
  /** The images of which the slice has tokens, in their order. */
  readonly images: readonly TokenImage[];
  /** If the prompt does not begin with all tokens of its parent: both sides around the first difference. */
  readonly difference?: {
    readonly at: number;
    readonly parent: readonly TokenText[];
    readonly own: readonly TokenText[];
  };
}

/** The tokens of an image. */
export interface TokenImage {
  /** First token, counted from the start of the interaction's own tokens. Negative if the parent's tokens include it. */
  readonly from: number;
  /** Number of its tokens. */
  readonly count: number;
  readonly sha256: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

export interface ImagePlace {
  readonly episode: number;
  readonly sha256: string;
}

/** A number as JSON has it: `Number(value)` is the number. */
export type JsonNumber = number | "Infinity" | "-Infinity" | "NaN";

/** A channel of a batch: values of tokens in addition to ids and log probabilities. */
export interface TokenChannel extends ChannelFacts {
  /** Name of its tensor. */
  readonly name: string;
  readonly dtype: string;
  /** Extents of an item. Empty: one value. */
  readonly shape: readonly number[];
  /** The tokens that may have items: those of the output, or all. */
  readonly of: "output" | "sequence";
  /** True if a token has any number of items; otherwise it has one or none. */
  readonly ragged: boolean;
  /** The tokens that the values of an item belong to, if they are the same for all tokens. */
  readonly tokens?: readonly TokenText[];
  /** Of `experts`: indices of the layers that have experts. Absent: not known. */
  readonly layers?: readonly number[];
  /**
   * One number per token of the slice: the value of a channel with one value, the number of items of a ragged channel. Null: the token has
   * no item. Absent if items have several values, which are read token by token.
   */
  readonly column?: readonly (JsonNumber | null)[];
}

export interface TokenPlace {
  readonly episode: number;
  readonly interaction: number;
  /** Counted from the start of the interaction's own tokens. */
  readonly token: number;
}

/** The items that one token has of the channels of a slice, in the order of these. */
export type TokenItems = readonly ChannelValues[];

export interface ChannelValues {
  /** Of the channel. */
  readonly name: string;
  /** The first 4,096 values. Null: the token has no item. */
  readonly values: readonly JsonNumber[] | null;
  /** Number of all values. */
  readonly total: number;
  /** Of `token_ids`: the text of each value; null for -1, and if the tokenizer is not known. */
  readonly texts?: readonly (string | null)[];
}

export interface TokenText {
  readonly id: number;
  readonly text: string | null;
}

export interface SearchResult {
  readonly episodes: readonly number[];
  /** False if not all episodes were searched in time. */
  readonly complete: boolean;
}
