import type { ChannelValues, TokenChannel, TokenItems } from "../../../api.js";
import { InertText } from "../../components/inert-text.js";
import { titleInSentence } from "../format-values.js";
import { findToken, isOutput, type ShownToken } from "../shown-token.js";
import type { TokenWindow } from "../token-window.js";
import { ChannelView } from "./channel-view.js";
import { type RowPlace, useTokenItems } from "./use-token-items.js";

interface TokenDetailsProps {
  readonly place: RowPlace;
  readonly window: TokenWindow;
  /** The token at the cursor; -1: none. */
  readonly position: number;
  /** True if the token was clicked, so that the pointer does not move the cursor. */
  readonly isKept: boolean;
  readonly onRelease: () => void;
}

/** Shows the values of the channels for the token at the cursor. Shows nothing for a batch without channels. */
export function TokenDetails({ place, window, position, isKept, onRelease }: TokenDetailsProps) {
  const read = useTokenItems(place, position);
  const channels = window.slices[0]?.channels ?? [];
  if (channels.length === 0) return null;
  if (!place.source.items) return <LeftOut channels={channels} />;
  const token = read && findToken(window, read.position);
  if (!token) {
    return (
      <p class="token-details quiet">Choose a token to see its {listTitles(channels)}. A click keeps it chosen.</p>
    );
  }
  return (
    <section class="token-details" aria-label={`Values of token ${token.position}`}>
      <header>
        <h4>
          Token {token.position} <TokenQuote token={token} />
        </h4>
        {isKept ? (
          <button type="button" class="button" onClick={onRelease}>
            Follow the pointer
          </button>
        ) : (
          <span class="quiet">A click on a token keeps it here.</span>
        )}
      </header>
      {read.error === null ? (
        <Channels channels={channels} items={read.items} token={token} />
      ) : (
        <p class="notice failure">
          <InertText text={read.error} />
        </p>
      )}
    </section>
  );
}

/** An HTML file has the columns of channels only. */
function LeftOut({ channels }: { readonly channels: readonly TokenChannel[] }) {
  const missing = channels.filter(({ column, ragged }) => ragged || !column);
  if (missing.length === 0) return null;
  return (
    <p class="token-details quiet">
      This file does not contain {listTitles(missing)}. Start <code>rolltape view</code> on the batch to see them.
    </p>
  );
}

function listTitles(channels: readonly TokenChannel[]): string {
  return listShown(channels).map(titleInSentence).join(", ");
}

/** Leaves out token ids that are shown with their log probabilities. Alternatives stand together; experts take the most space and come last. */
function listShown(channels: readonly TokenChannel[]): readonly TokenChannel[] {
  const companions = new Set(channels.map(({ ids }) => ids));
  const rank = ({ values, ids }: TokenChannel): number => (values === "experts" ? 2 : ids === undefined ? 0 : 1);
  return channels.filter(({ name }) => !companions.has(name)).toSorted((a, b) => rank(a) - rank(b));
}

function TokenQuote({ token: { slice, at } }: { readonly token: ShownToken }) {
  const text = slice.texts?.[at];
  return <span class="token-quote">{text ? <InertText text={JSON.stringify(text)} /> : `id ${slice.ids[at]}`}</span>;
}

interface ChannelsProps {
  readonly channels: readonly TokenChannel[];
  readonly items: TokenItems;
  readonly token: ShownToken;
}

function Channels({ channels, items, token }: ChannelsProps) {
  const byName = new Map(items.map((each) => [each.name, each]));
  const absent = (name: string): ChannelValues => ({ name, values: null, total: 0 });
  const canHave = ({ of }: TokenChannel): boolean => of === "sequence" || isOutput(token);
  const shown = listShown(channels);
  const never = shown.filter((channel) => !canHave(channel));
  return (
    <>
      <div class="channel-list">
        {shown.filter(canHave).map((channel) => (
          <ChannelView
            key={channel.name}
            channel={channel}
            items={byName.get(channel.name) ?? absent(channel.name)}
            ids={channel.ids === undefined ? undefined : byName.get(channel.ids)}
            token={token}
          />
        ))}
      </div>
      {never.length > 0 && <p class="quiet">A prompt token was not sampled, so it has no {listTitles(never)}.</p>}
    </>
  );
}
