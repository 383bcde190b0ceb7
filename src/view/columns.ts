import type { EpisodeSummary } from "../transcript/format.js";
import type { EpisodeColumns } from "./api.js";

/** An episode and its index. */
export type IndexedEpisode = readonly [index: number, episode: EpisodeSummary];

/**
 * Returns episodes by column.
 *
 * @param batchOf returns the number of the batch that has an episode; -1 for none
 */
export function toColumns(
  indexed: readonly IndexedEpisode[],
  batchOf: (episode: EpisodeSummary) => number = () => -1,
): EpisodeColumns {
  const texts = new TextTable();
  const episodes = indexed.map(([, episode]) => episode);
  const list = <T>(read: (episode: EpisodeSummary) => T): T[] => episodes.map(read);
  return {
    index: indexed.map(([index]) => index),
    session_id: list(({ session_id: id }) => id ?? null),
    task: list(({ task }) => task),
    task_id: list(({ task_id: id }) => texts.add(id)),
    group_id: list(({ group_id: id }) => texts.add(id)),
    accepted: list(({ accepted }) => accepted),
    error: list(({ error }) => texts.add(error)),
    version: list(({ version }) => version),
    oldest_version: list(({ versions }) => versions?.[0] ?? null),
    newest_version: list(({ versions }) => versions?.[1] ?? null),
    batch: list(batchOf),
    started_at: list(({ started_at: at }) => at ?? null),
    duration: list(({ duration }) => duration ?? null),
    reward: list(({ reward }) => reward),
    calls: list(({ calls }) => calls),
    turns: list(({ turns }) => turns),
    prompt_tokens: list(({ prompt_tokens: tokens }) => tokens),
    completion_tokens: list(({ completion_tokens: tokens }) => tokens),
    broken: list(({ broken }) => broken),
    left_out: list(({ left_out: count }) => count),
    branches: list(({ branches }) => branches),
    finish_reasons: countReasons(episodes),
    texts: texts.all,
  };
}

/** Further reasons are not counted; only a hostile transcript has that many. */
const MAX_REASONS = 100;

function countReasons(episodes: readonly EpisodeSummary[]): Record<string, number[]> {
  const counts = new Map<string, number[]>();
  episodes.forEach(({ finish_reasons: reasons }, i) => {
    for (const [reason, count] of Object.entries(reasons)) {
      let column = counts.get(reason);
      if (!column) {
        if (counts.size === MAX_REASONS) continue;
        column = episodes.map(() => 0);
        counts.set(reason, column);
      }
      column[i] = count;
    }
  });
  return Object.fromEntries(counts);
}

/** Texts that recur, each once. */
class TextTable {
  readonly all: string[] = [];
  readonly #codes = new Map<string, number>();

  /** Returns the index of a text; -1 for none. */
  add(text: string | undefined): number {
    if (text === undefined) return -1;
    let code = this.#codes.get(text);
    if (code === undefined) {
      code = this.all.push(text) - 1;
      this.#codes.set(text, code);
    }
    return code;
  }
}
