import { useEffect, useState } from "preact/hooks";
import type { Source, TokenSlice } from "../../api.js";
import { InertText } from "../components/inert-text.js";
import { formatWhole } from "../state/format.js";
import { messageOf } from "../state/store.js";
import { ColouringSwitch } from "./colouring-switch.js";
import { DifferenceView } from "./difference-view.js";
import { TokenRow } from "./token-row.js";

interface TokenPanelProps {
  readonly source: Source;
  readonly episode: number;
  readonly interaction: number;
}

const SLICE = 2048;

/** The tokens of a call: those that it adds to its parent, read in slices. */
export function TokenPanel({ source, episode, interaction }: TokenPanelProps) {
  const [slices, setSlices] = useState<readonly TokenSlice[]>([]);
  const [error, setError] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);
  const read = (from: number): void => {
    setReading(true);
    source
      .tokens({ episode, interaction, from, count: SLICE })
      .then(
        (slice) => setSlices((known) => [...known, slice]),
        (failure: unknown) => setError(messageOf(failure)),
      )
      .finally(() => setReading(false));
  };
  useEffect(() => read(0), [episode, interaction]);
  const [first] = slices;
  const shown = slices.reduce((sum, { ids }) => sum + ids.length, 0);
  const rest = (first?.total ?? 0) - shown;
  return (
    <div class="token-panel">
      {error !== null && (
        <p class="notice failure">
          <InertText text={error} />
        </p>
      )}
      {!first && error === null && <p class="quiet">Reading tokens…</p>}
      {first && (
        <>
          <div class="token-bar">
            <ColouringSwitch />
            <span class="quiet">
              {formatWhole(first.output_start)} prompt tokens, {formatWhole(first.total - first.output_start)} output
              tokens
            </span>
          </div>
          {first.difference && <DifferenceView difference={first.difference} />}
          <TokenRow slices={slices} />
        </>
      )}
      {first && rest > 0 && (
        <button type="button" class="button" disabled={isReading} onClick={() => read(shown)}>
          Show {formatWhole(Math.min(SLICE, rest))} of {formatWhole(rest)} more tokens
        </button>
      )}
    </div>
  );
}
