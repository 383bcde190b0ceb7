import type { TranscriptInteraction } from "../../../../transcript/format.js";
import type { EpisodeLine } from "../../../api.js";
import type { EpisodeRow } from "../../state/episode-row.js";
import { formatDuration, formatNumber, formatTime, formatVersions, formatWhole, plural } from "../../state/format.js";
import { InertText } from "../inert-text.js";
import { FoldedText } from "./folded-text.js";

interface EpisodeHeadProps {
  readonly line: EpisodeLine;
  readonly index: number;
  readonly row: EpisodeRow | undefined;
  readonly path: readonly number[];
  readonly onChoose: (interaction: number) => void;
}

export function EpisodeHead({ line, index, row, path, onChoose }: EpisodeHeadProps) {
  return (
    <header class="episode-head">
      <h2>
        <span class="quiet">{index}</span> <InertText text={line.task_id} />
      </h2>
      <Facts line={line} row={row} />
      {line.error && <EpisodeError error={line.error} />}
      {line.incomplete !== undefined && (
        <p class="notice">
          Calls are missing: <InertText text={line.incomplete} />
        </p>
      )}
      <RewardBars interactions={line.interactions} path={path} onChoose={onChoose} />
    </header>
  );
}

function Facts({ line, row }: Pick<EpisodeHeadProps, "line" | "row">) {
  const facts: [label: string, value: string][] = [
    ["Status", line.accepted ? "accepted" : "rejected"],
    ["Reward", formatNumber(row?.reward ?? line.session_reward)],
    ["Calls", formatWhole(line.interactions.length)],
    ["Tokens", row ? `${formatWhole(row.promptTokens)} → ${formatWhole(row.completionTokens)}` : "–"],
    ["Versions", row ? formatVersions(row.oldestVersion ?? row.version, row.newestVersion) : `v${line.version}`],
    ["Step", String(row?.step ?? "–")],
    ["Staleness", formatNumber(row?.staleness)],
    ["Started", formatTime(line.started_at)],
    ["Duration", formatDuration(line.duration)],
    ["Session", line.session_id ?? "–"],
  ];
  return (
    <dl class="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <InertText text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function EpisodeError({ error: { code, message, stack } }: { readonly error: NonNullable<EpisodeLine["error"]> }) {
  return (
    <div class="notice failure block">
      <p>
        <b>
          <InertText text={code} />
        </b>{" "}
        <InertText text={message} />
      </p>
      {stack !== undefined && (
        <details>
          <summary>Stack ({plural(stack.split("\n").length, "line")})</summary>
          <FoldedText text={stack} isCode />
        </details>
      )}
    </div>
  );
}

interface RewardBarsProps {
  readonly interactions: readonly TranscriptInteraction[];
  readonly path: readonly number[];
  readonly onChoose: (interaction: number) => void;
}

/** With more turns, bars are too thin to click. */
const MOST = 400;

/** The discounted reward of each turn of the conversation; turns with a reward of their own have a mark. */
function RewardBars({ interactions, path, onChoose }: RewardBarsProps) {
  const turns = path.slice(0, MOST).flatMap((at) => interactions[at] ?? []);
  const highest = Math.max(...turns.map(({ reward }) => Math.abs(reward)));
  if (turns.length < 2 || !(highest > 0)) return null;
  return (
    <figure class="reward-bars">
      <figcaption>Reward by turn, discounted</figcaption>
      <ol>
        {turns.map(({ reward, own_reward }, turn) => (
          <li key={turn}>
            <button
              type="button"
              tabIndex={-1}
              onClick={() => onChoose(path[turn] ?? 0)}
              title={`Turn ${turn + 1}: ${describe(reward, own_reward)}`}
            >
              <span class="visually-hidden">
                Turn {turn + 1}: {describe(reward, own_reward)}
              </span>
              <span
                class={reward < 0 ? "bar negative" : "bar"}
                style={{ height: `${(100 * Math.abs(reward)) / highest}%` }}
              />
              {own_reward !== undefined && <span class="own" aria-hidden="true" />}
            </button>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function describe(reward: number, own: number | undefined): string {
  return `${own === undefined ? "" : `reward ${formatNumber(own)}, `}discounted ${formatNumber(reward)}`;
}
