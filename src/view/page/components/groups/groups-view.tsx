import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { formatNumber, NO_VALUE, plural } from "../../state/format.js";
import type { Group } from "../../state/groups.js";
import { useKeys } from "../../state/keyboard.js";
import { listLink } from "../../state/route.js";
import type { RunData } from "../../state/run-data.js";
import { InertText } from "../inert-text.js";
import { type Column, VirtualTable } from "../table/virtual-table.js";

type GroupKey = "id" | "task" | "episodes" | "mean" | "spread" | "rewards";

/** Rewards of all groups, next to each other. */
export function GroupsView({ data: { groups } }: { readonly data: RunData }) {
  const [sort, setSort] = useState<{ key: GroupKey; descending: boolean }>({ key: "spread", descending: false });
  const selected = useSignal(-1);
  const select = (at: number): void => {
    selected.value = Math.min(rows.length - 1, Math.max(0, at));
  };
  const rows = useMemo(() => sortGroups([...groups.values()], sort), [groups, sort]);
  const bounds = useMemo(() => rewardBounds(rows), [groups]);
  const link = (group: Group): string => listLink({ values: { group: group.id } }, { key: "reward", descending: true });
  useKeys({
    j: () => select(selected.value + 1),
    k: () => select(selected.value - 1),
    Enter: () => {
      const row = rows[selected.value];
      if (row) location.hash = link(row);
    },
    Escape: () => (location.hash = "#/"),
  });
  const columns = useMemo(() => columnsFor(bounds), [bounds]);
  return (
    <div class="list">
      <h2 class="visually-hidden">Groups</h2>
      <p class="result">{plural(rows.length, "group")}</p>
      <VirtualTable
        id="groups"
        label="Groups"
        columns={columns}
        rows={rows}
        selected={selected.value}
        onSelect={select}
        link={link}
        sort={sort}
        onSort={(key) => setSort({ key, descending: sort.key === key && !sort.descending })}
      />
    </div>
  );
}

function columnsFor(bounds: readonly [number, number]): readonly Column<Group, GroupKey>[] {
  return [
    { key: "id", label: "Group", width: 8, grow: 1, render: ({ id }) => <InertText text={id} /> },
    { key: "task", label: "Task", width: 8, grow: 1, render: ({ taskId }) => <InertText text={taskId} /> },
    { key: "episodes", label: "Episodes", width: 5.5, isNumber: true, render: ({ episodes }) => episodes },
    { key: "mean", label: "Mean", width: 5, isNumber: true, render: ({ mean }) => <b>{formatNumber(mean)}</b> },
    {
      key: "spread",
      label: "Spread",
      width: 5,
      isNumber: true,
      render: ({ spread }) => <Spread spread={spread} />,
    },
    {
      key: "rewards",
      label: "Rewards",
      width: 12,
      grow: 2,
      render: ({ rewards }) => <RewardDots rewards={rewards} bounds={bounds} />,
    },
  ];
}

function Spread({ spread }: { readonly spread: number | null }) {
  return spread === 0 ? <span class="warns">0</span> : <>{spread === null ? NO_VALUE : formatNumber(spread)}</>;
}

function sortGroups(groups: Group[], { key, descending }: { key: GroupKey; descending: boolean }): Group[] {
  const read = (group: Group): number | string | null =>
    key === "task" ? group.taskId : key === "rewards" ? group.mean : group[key];
  const sign = descending ? -1 : 1;
  return groups.toSorted((a, b) => {
    const [left, right] = [read(a), read(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left < right ? -sign : left > right ? sign : 0;
  });
}

function rewardBounds(groups: readonly Group[]): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { rewards } of groups) {
    for (const reward of rewards) {
      low = Math.min(low, reward);
      high = Math.max(high, reward);
    }
  }
  return [low, high];
}

interface RewardDotsProps {
  readonly rewards: readonly number[];
  /** Lowest and highest reward of all groups. */
  readonly bounds: readonly [number, number];
}

/** A dot for each reward on a common scale. The numbers are in the other columns and behind the row. */
function RewardDots({ rewards, bounds: [low, high] }: RewardDotsProps) {
  const place = (reward: number): number => (high > low ? (reward - low) / (high - low) : 0.5);
  return (
    <span class="dots" aria-hidden="true">
      {rewards.map((reward, at) => (
        <span key={at} class="dot" style={{ left: `${100 * place(reward)}%` }} />
      ))}
    </span>
  );
}
