import type { TranscriptInteraction } from "../../../../transcript/format.js";
import { formatNumber } from "../../state/format.js";

interface RewardBarsProps {
  readonly interactions: readonly TranscriptInteraction[];
  readonly path: readonly number[];
  readonly onChoose: (interaction: number) => void;
}

/** With more turns, bars are too thin to click. */
const MOST = 400;

/** The discounted reward of each turn of the conversation; turns with a reward of their own have a mark. */
export function RewardBars({ interactions, path, onChoose }: RewardBarsProps) {
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
