import type { EpisodeColumns } from "../../api.js";

/** An episode in the list, as the transcript recorded it. */
export interface RecordedEpisode {
  /** Position in the transcript, or number of the session. */
  readonly index: number;
  readonly sessionId: string | null;
  /** Position of the task in the data. */
  readonly task: number;
  readonly taskId: string;
  readonly group: string | null;
  readonly accepted: boolean;
  readonly error: string | null;
  readonly version: number;
  readonly oldestVersion: number | null;
  readonly newestVersion: number | null;
  /** Number of its batch and training step; null if no batch has the episode. */
  readonly step: number | null;
  readonly startedAt: number | null;
  readonly duration: number | null;
  readonly reward: number | null;
  readonly calls: number;
  readonly turns: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly broken: number;
  readonly leftOut: number;
  readonly branches: number;
  /** Number of calls by finish reason, without zeros. */
  readonly finishReasons: Readonly<Record<string, number>>;
}

/** An episode with the values that depend on other episodes, batches and steps. */
export interface EpisodeRow extends RecordedEpisode {
  /** Weight version when the episode was trained minus the oldest version that sampled it; null if it was not trained. */
  readonly staleness: number | null;
  /** Mean reward of the group; null without a group or rewards. */
  readonly groupMean: number | null;
  /** Highest minus lowest reward of the group; null if the group has fewer than two rewards. */
  readonly groupSpread: number | null;
}

/** Returns the episodes of columns as rows. */
export function readEpisodeRows(columns: EpisodeColumns): RecordedEpisode[] {
  // The index -1 is that of no text.
  const text = (index = -1): string | null => columns.texts[index] ?? null;
  const reasons = Object.entries(columns.finish_reasons);
  return columns.session_id.map((sessionId, at) => {
    const step = columns.batch[at] ?? -1;
    const finishReasons: Record<string, number> = Object.create(null);
    for (const [reason, counts] of reasons) {
      const count = counts[at] ?? 0;
      if (count > 0) finishReasons[reason] = count;
    }
    return {
      index: columns.index[at] ?? -1,
      sessionId,
      task: columns.task[at] ?? -1,
      taskId: text(columns.task_id[at]) ?? "",
      group: text(columns.group_id[at]),
      accepted: columns.accepted[at] ?? false,
      error: text(columns.error[at]),
      version: columns.version[at] ?? 0,
      oldestVersion: columns.oldest_version[at] ?? null,
      newestVersion: columns.newest_version[at] ?? null,
      step: step < 0 ? null : step,
      startedAt: columns.started_at[at] ?? null,
      duration: columns.duration[at] ?? null,
      reward: columns.reward[at] ?? null,
      calls: columns.calls[at] ?? 0,
      turns: columns.turns[at] ?? 0,
      promptTokens: columns.prompt_tokens[at] ?? 0,
      completionTokens: columns.completion_tokens[at] ?? 0,
      broken: columns.broken[at] ?? 0,
      leftOut: columns.left_out[at] ?? 0,
      branches: columns.branches[at] ?? 0,
      finishReasons,
    };
  });
}
