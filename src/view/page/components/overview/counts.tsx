import { useMemo } from "preact/hooks";
import { flatGroups, sum } from "../../state/aggregate.js";
import { formatCompact, formatNumber, formatShare, formatWhole, plural } from "../../state/format.js";
import { AT_LEAST_ONE } from "../../state/range.js";
import { listLink } from "../../state/route.js";
import type { RunData } from "../../state/run-data.js";
import { statistics } from "../../state/statistics.js";

interface Count {
  readonly label: string;
  readonly value: string;
  readonly detail: string;
  readonly link: string;
  /** True if the number deserves attention. */
  readonly warns?: boolean;
}

/** The numbers at the top of the overview. */
export function Counts({ data }: { readonly data: RunData }) {
  const counts = useMemo(() => readCounts(data), [data]);
  return (
    <ul class="counts">
      {counts.map(({ label, value, detail, link, warns }) => (
        <li key={label}>
          <a href={link} class={warns ? "count warns" : "count"}>
            <span class="count-label">{label}</span>
            <b>{value}</b>
            <span class="quiet">{detail}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function readCounts({ episodes, groups }: RunData): Count[] {
  const rejected = episodes.filter(({ accepted }) => !accepted).length;
  const rewards = statistics(episodes.flatMap(({ reward }) => reward ?? []));
  const completion = sum(episodes, (row) => row.completionTokens);
  const calls = sum(episodes, (row) => row.calls);
  const broken = sum(episodes, (row) => row.broken);
  const leftOut = sum(episodes, (row) => row.leftOut);
  const flat = flatGroups(groups.values()).length;
  const stale = statistics(episodes.flatMap(({ staleness }) => staleness ?? []));
  return [
    {
      label: "Episodes",
      value: formatWhole(episodes.length),
      detail: plural(calls, "call"),
      link: listLink({}),
    },
    {
      label: "Rejected",
      value: formatWhole(rejected),
      detail: formatShare(rejected / episodes.length),
      link: listLink({ values: { status: "rejected" } }),
      warns: rejected > 0,
    },
    {
      label: "Mean reward",
      value: formatNumber(rewards?.mean),
      detail: `median ${formatNumber(rewards?.p50)}`,
      link: listLink({}, { key: "reward", descending: true }),
    },
    {
      label: "Completion tokens",
      value: formatCompact(completion),
      detail: `${formatCompact(completion / episodes.length)} an episode`,
      link: listLink({}, { key: "completion", descending: true }),
    },
    {
      label: "Zero-variance groups",
      value: formatWhole(flat),
      detail: groups.size === 0 ? "no groups" : `${formatShare(flat / groups.size)} of ${formatWhole(groups.size)}`,
      link: listLink({ ranges: { spread: { low: 0, high: 0 } } }),
      warns: flat * 2 > groups.size,
    },
    {
      label: "Broken prefixes",
      value: formatWhole(broken),
      detail: `${formatShare(calls === 0 ? 0 : broken / calls)} of calls`,
      link: listLink({ ranges: { broken: AT_LEAST_ONE } }, { key: "broken", descending: true }),
      warns: broken > 0,
    },
    {
      label: "Left out of exports",
      value: formatWhole(leftOut),
      detail: "calls",
      link: listLink({ ranges: { leftout: AT_LEAST_ONE } }, { key: "leftout", descending: true }),
    },
    {
      label: "Staleness",
      value: formatNumber(stale?.mean),
      detail: `at most ${formatNumber(stale?.high)}`,
      link: listLink({}, { key: "staleness", descending: true }),
    },
  ];
}
