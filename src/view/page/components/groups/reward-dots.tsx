interface RewardDotsProps {
  readonly rewards: readonly number[];
  /** Lowest and highest reward of all groups. */
  readonly bounds: readonly [number, number];
}

/** A dot for each reward on a common scale. The numbers are in the other columns and behind the row. */
export function RewardDots({ rewards, bounds: [low, high] }: RewardDotsProps) {
  const place = (reward: number): number => (high > low ? (reward - low) / (high - low) : 0.5);
  return (
    <span class="dots" aria-hidden="true">
      {rewards.map((reward, at) => (
        <span key={at} class="dot" style={{ left: `${100 * place(reward)}%` }} />
      ))}
    </span>
  );
}
