import type { EpisodeRow } from "../../state/episode-row.js";
import {
  formatCompact,
  formatDuration,
  formatNumber,
  formatTime,
  formatVersions,
  NO_VALUE,
} from "../../state/format.js";
import type { SortKey } from "../../state/sort.js";
import { InertText } from "../inert-text.js";
import type { Column } from "../table/virtual-table.js";

type EpisodeColumn = Column<EpisodeRow, SortKey>;

const number = (key: SortKey, label: string, width: number, render: EpisodeColumn["render"]): EpisodeColumn => ({
  key,
  label,
  width,
  isNumber: true,
  render,
});

export const EPISODE_COLUMNS: readonly EpisodeColumn[] = [
  number("index", "#", 3.5, (row) => row.index),
  { key: "task", label: "Task", width: 9, grow: 2, render: (row) => <InertText text={row.taskId} /> },
  { key: "group", label: "Group", width: 7, grow: 1, render: (row) => <InertText text={row.group ?? NO_VALUE} /> },
  { key: "status", label: "Status", width: 8, grow: 1, render: (row) => <Status row={row} /> },
  number("reward", "Reward", 5, (row) => <b>{formatNumber(row.reward)}</b>),
  number("turns", "Turns", 4, (row) => row.turns),
  number("calls", "Calls", 4, (row) => row.calls),
  number("prompt", "Prompt", 5, (row) => formatCompact(row.promptTokens)),
  number("completion", "Output", 5, (row) => formatCompact(row.completionTokens)),
  number("step", "Step", 4, (row) => row.step ?? NO_VALUE),
  {
    key: "version",
    label: "Version",
    width: 5.5,
    render: (row) => formatVersions(row.oldestVersion ?? row.version, row.newestVersion),
  },
  number("staleness", "Stale", 4, (row) => row.staleness ?? NO_VALUE),
  { key: "finish", label: "Finish", width: 7, grow: 1, render: (row) => <FinishReasons row={row} /> },
  number("duration", "Time", 6, (row) => formatDuration(row.duration)),
  number("broken", "Broken", 4.5, (row) => <Flagged count={row.broken} />),
  number("leftout", "Left out", 5, (row) => <Flagged count={row.leftOut} />),
  number("branches", "Branches", 5.5, (row) => row.branches),
  { key: "started", label: "Started", width: 10, render: (row) => formatTime(row.startedAt) },
];

function FinishReasons({ row }: { readonly row: EpisodeRow }) {
  const reasons = Object.entries(row.finishReasons).map(([reason, count]) =>
    count > 1 ? `${reason} ×${count}` : reason,
  );
  return <InertText text={reasons.join(", ") || NO_VALUE} />;
}

function Flagged({ count }: { readonly count: number }) {
  return count > 0 ? <span class="warns">{count}</span> : <span class="quiet">0</span>;
}

export function Status({ row }: { readonly row: EpisodeRow }) {
  if (row.accepted) return <span class="good">accepted</span>;
  return <span class="bad">{row.error === null ? "rejected" : <InertText text={row.error} />}</span>;
}
