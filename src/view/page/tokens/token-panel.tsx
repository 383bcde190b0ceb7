import { useEffect, useState } from "preact/hooks";
import type { Source, TokenSlice, TokenText } from "../../api.js";
import { InertText } from "../components/inert-text.js";
import { formatWhole, plural } from "../state/format.js";
import { messageOf } from "../state/store.js";
import { ColouringSwitch } from "./colouring-switch.js";
import { firstDifference } from "./first-difference.js";
import { TokenRow } from "./token-row.js";
import { TokenTextView } from "./token-text-view.js";
import { firstShown, SLICE, type TokenWindow, windowEnd, withoutFirst } from "./token-window.js";

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
          <TokenRow source={source} episode={episode} interaction={interaction} window={window} />
          <More count={first.total - windowEnd(window)} kind="later" isReading={isReading} onClick={showLater} />
        </>
      )}
    </div>
  );
}

function Bar({ first }: { readonly first: TokenSlice }) {
  return (
    <div class="token-bar">
      <ColouringSwitch channels={first.channels} />
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

type Difference = NonNullable<TokenSlice["difference"]>;

/** Tokens of a prompt and of its parent around the first one that differs. */
function DifferenceView({ difference: { at, parent, own } }: { readonly difference: Difference }) {
  const first = firstDifference(parent, own);
  return (
    <section class="difference" aria-label="First difference">
      <p>
        The prompt differs from the turn before at token <b>{at}</b>.
      </p>
      <dl>
        <dt>Before</dt>
        <dd>
          <Side tokens={parent} first={first} />
        </dd>
        <dt>Now</dt>
        <dd>
          <Side tokens={own} first={first} />
        </dd>
      </dl>
    </section>
  );
}

function Side({ tokens, first }: { readonly tokens: readonly TokenText[]; readonly first: number }) {
  return (
    <span class="tokens">
      {tokens.map(({ id, text }, at) => (
        <span
          key={at}
          class={at < first ? "tok prompt" : at === first ? "tok differs first" : "tok differs"}
          title={`id ${id}`}
        >
          <TokenTextView id={id} text={text} />
        </span>
      ))}
    </span>
  );
}

/** Reads the tokens of an interaction: first those around the beginning of its answer, then more on demand. */
function useTokenWindow(source: Source, episode: number, interaction: number) {
  const [window, setWindow] = useState<TokenWindow | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);

  const read = (from: number, count: number) => source.tokens({ episode, interaction, from, count });

  async function openWindow(): Promise<TokenWindow> {
    const slice = await read(0, SLICE);
    const from = firstShown(slice);
    if (from === 0) return { from, slices: [slice] };
    return { from, slices: [from < slice.ids.length ? withoutFirst(slice, from) : await read(from, SLICE)] };
  }

  function change(next: Promise<TokenWindow>): void {
    setReading(true);
    next.then(setWindow, (failure: unknown) => setError(messageOf(failure))).finally(() => setReading(false));
  }

  useEffect(() => change(openWindow()), [source, episode, interaction]);

  async function withEarlier(known: TokenWindow): Promise<TokenWindow> {
    const from = Math.max(0, known.from - SLICE);
    return { from, slices: [await read(from, known.from - from), ...known.slices] };
  }

  async function withLater(known: TokenWindow): Promise<TokenWindow> {
    return { from: known.from, slices: [...known.slices, await read(windowEnd(known), SLICE)] };
  }

  return {
    window,
    error,
    isReading,
    showEarlier: () => window && change(withEarlier(window)),
    showLater: () => window && change(withLater(window)),
  };
}
