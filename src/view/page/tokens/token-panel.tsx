import type { Source, TokenSlice } from "../../api.js";
import { InertText } from "../components/inert-text.js";
import { formatWhole, plural } from "../state/format.js";
import { ColouringSwitch } from "./colouring-switch.js";
import { DifferenceView } from "./difference-view.js";
import { TokenRow } from "./token-row.js";
import { SLICE, windowEnd } from "./token-window.js";
import { useTokenWindow } from "./use-token-window.js";

interface TokenPanelProps {
  readonly source: Source;
  readonly episode: number;
  readonly interaction: number;
}

/** The tokens of a call: those that it adds to its parent. */
export function TokenPanel({ source, episode, interaction }: TokenPanelProps) {
  const { window, error, isReading, showEarlier, showLater } = useTokenWindow(source, episode, interaction);
  const first = window?.slices[0];
  return (
    <div class="token-panel">
      {error !== null && (
        <p class="notice failure">
          <InertText text={error} />
        </p>
      )}
      {!first && error === null && <p class="quiet">Reading tokens…</p>}
      {window && first && (
        <>
          <Bar first={first} />
          {first.difference && <DifferenceView difference={first.difference} />}
          <More count={window.from} kind="earlier" isReading={isReading} onClick={showEarlier} />
          <TokenRow window={window} />
          <More count={first.total - windowEnd(window)} kind="later" isReading={isReading} onClick={showLater} />
        </>
      )}
    </div>
  );
}

function Bar({ first }: { readonly first: TokenSlice }) {
  return (
    <div class="token-bar">
      <ColouringSwitch />
      <span class="quiet">
        {plural(first.output_start, "prompt token")}, {plural(first.total - first.output_start, "output token")}
      </span>
    </div>
  );
}

interface MoreProps {
  readonly count: number;
  readonly kind: "earlier" | "later";
  readonly isReading: boolean;
  readonly onClick: () => void;
}

function More({ count, kind, isReading, onClick }: MoreProps) {
  if (count <= 0) return null;
  const next = Math.min(SLICE, count);
  return (
    <button type="button" class="button more" disabled={isReading} onClick={onClick}>
      Show {next < count ? `${formatWhole(next)} of ` : ""}
      {formatWhole(count)} {kind} tokens
    </button>
  );
}
