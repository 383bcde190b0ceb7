import type { ChannelValues, TokenChannel, TokenText } from "../../../api.js";
import { plural } from "../../state/format.js";
import { formatDifference, formatLogprob, formatProbability } from "../format-values.js";
import { isOutput, type ShownToken } from "../shown-token.js";
import { ExpertMap } from "./expert-map.js";
import { NumberRows } from "./number-rows.js";
import { TokenSet } from "./token-set.js";
import { type LikelyToken, TokenTable } from "./token-table.js";

interface ChannelViewProps {
  readonly channel: TokenChannel;
  readonly items: ChannelValues;
  /** The items of the channel with the token ids of these log probabilities. */
  readonly ids: ChannelValues | undefined;
  readonly token: ShownToken;
}

/** Shows the items of one channel for one token. */
export function ChannelView(props: ChannelViewProps) {
  const { channel, items } = props;
  const extents = [...(channel.ragged ? ["items"] : []), ...channel.shape];
  return (
    <section class={channel.values === "experts" ? "channel wide" : "channel"} aria-label={channel.title}>
      <h5>{channel.title}</h5>
      <p class="quiet">
        {channel.meaning}{" "}
        <code title="Name, type and shape of the values in a batch">
          {channel.name} {channel.dtype} {extents.length > 0 && `[${extents.join(", ")}]`}
        </code>
      </p>
      {items.values ? <Values {...props} values={items.values.map(Number)} /> : <p class="absent">{channel.absence}</p>}
    </section>
  );
}

/** Chooses the display by the meaning of the values. Values of another shape than expected are shown as numbers. */
function Values({ channel, items, ids, token, values }: ChannelViewProps & { readonly values: readonly number[] }) {
  const sampled = token.slice.ids[token.at] ?? -1;
  const numbers = <NumberRows values={values} total={items.total} shape={channel.shape} />;
  switch (channel.values) {
    case "experts": {
      const [, topK] = channel.shape;
      if (channel.shape.length !== 2 || topK === undefined) return numbers;
      return <ExpertMap values={values} topK={topK} layers={channel.layers} />;
    }
    case "token_ids": {
      const tokens = values.map((id, at): TokenText => ({ id, text: items.texts?.[at] ?? null }));
      return (
        <>
          {channel.ragged && <p>{plural(items.total, "token")}</p>}
          <TokenSet tokens={tokens} total={items.total} sampled={sampled} />
        </>
      );
    }
    case "logprobs": {
      if (channel.shape.length === 0 && !channel.ragged) return <Score score={values[0] ?? NaN} token={token} />;
      const likely = pairTokens(channel, ids, values);
      return likely ? (
        <TokenTable tokens={likely} sampled={sampled} areLikeliest={channel.ids !== undefined} />
      ) : (
        numbers
      );
    }
    case "numbers":
      return numbers;
  }
}

/** Returns the tokens of log probabilities; undefined if it is not known which ones they are. A place with the id -1 has none. */
function pairTokens(
  { tokens }: TokenChannel,
  ids: ChannelValues | undefined,
  values: readonly number[],
): readonly LikelyToken[] | undefined {
  const named = ids?.values?.map((id, at): TokenText => ({ id: Number(id), text: ids.texts?.[at] ?? null })) ?? tokens;
  return named?.map((token, at) => ({ ...token, logprob: values[at] ?? NaN })).filter(({ id }) => id >= 0);
}

/** Another model's log probability of the token itself, compared with the recorded one. */
function Score({ score, token }: { readonly score: number; readonly token: ShownToken }) {
  const { slice, at } = token;
  const recorded = slice.logprobs[at] ?? 0;
  if (!isOutput(token)) return <p>{showLogprob(score)}</p>;
  return (
    <>
      <dl class="score">
        <dt>Log probability</dt>
        <dd>{showLogprob(score)}</dd>
        <dt>Recorded</dt>
        <dd>{showLogprob(recorded)}</dd>
        <dt>Difference</dt>
        <dd>{formatDifference(score - recorded)}</dd>
      </dl>
      {slice.temperature !== 1 && <p class="quiet">The recorded one is at temperature {slice.temperature}.</p>}
    </>
  );
}

const showLogprob = (logprob: number): string => `${formatLogprob(logprob)} (${formatProbability(logprob)})`;
