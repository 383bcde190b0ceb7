import { useLayoutEffect, useRef } from "preact/hooks";
import type { TokenChannel } from "../../api.js";
import { InertText } from "../components/inert-text.js";
import { formatWhole } from "../state/format.js";
import { formatDifference, formatLogprob, formatProbability, formatValue, titleInSentence } from "./format-values.js";
import { isOutput, type ShownToken } from "./shown-token.js";

/** The values of one token. */
export function TokenFacts({ token, id }: { readonly token: ShownToken | null; readonly id: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  // The line grows but never shrinks: the tokens below it would move away under the pointer, which would then choose another one.
  useLayoutEffect(() => {
    if (line.current) line.current.style.minHeight = `${line.current.offsetHeight}px`;
  }, [token?.position]);
  return (
    <p ref={line} class="token-facts" id={id} aria-live="polite">
      {token ? <Facts {...token} /> : <span class="quiet">Point at a token, or use the arrow keys.</span>}
    </p>
  );
}

function Facts(token: ShownToken) {
  const { slice, at, position } = token;
  const text = slice.texts?.[at];
  const logprob = slice.logprobs[at] ?? 0;
  return (
    <>
      <span>
        token <b>{position}</b>
      </span>
      <span>
        id <b>{slice.ids[at]}</b>
      </span>
      {text !== undefined && (
        <span>
          text{" "}
          <b class="token-quote">{text === "" ? "part of a character" : <InertText text={JSON.stringify(text)} />}</b>
        </span>
      )}
      {isOutput(token) && (
        <>
          <span>
            log probability <b>{formatLogprob(logprob)}</b> ({formatProbability(logprob)})
          </span>
          <span>
            version <b>{slice.versions[at]}</b>
          </span>
          <span>
            temperature <b>{slice.temperature}</b>
          </span>
        </>
      )}
      <span>{isOutput(token) ? (slice.loss_mask[at] === 1 ? "in the loss" : "not in the loss") : "prompt"}</span>
      {slice.channels.map((channel) => (
        <ColumnFact key={channel.name} channel={channel} token={token} />
      ))}
    </>
  );
}

/** The value of a channel that has one number per token. */
function ColumnFact({ channel, token }: { readonly channel: TokenChannel; readonly token: ShownToken }) {
  const { column, of, meaning, absence } = channel;
  if (!column || (of === "output" && !isOutput(token))) return null;
  const value = column[token.at] ?? null;
  return (
    <span title={value === null ? absence : meaning}>
      {titleInSentence(channel)}{" "}
      {value === null ? (
        <b class="no-value">none</b>
      ) : (
        <ColumnValue channel={channel} token={token} value={Number(value)} />
      )}
    </span>
  );
}

interface ColumnValueProps {
  readonly channel: TokenChannel;
  readonly token: ShownToken;
  readonly value: number;
}

function ColumnValue({ channel: { ragged, values }, token, value }: ColumnValueProps) {
  if (ragged) return <b>{formatWhole(value)}</b>;
  if (values !== "logprobs") return <b>{formatValue(value)}</b>;
  const difference = value - (token.slice.logprobs[token.at] ?? 0);
  return (
    <>
      <b>{formatLogprob(value)}</b>
      {isOutput(token) && (
        <span title="Difference from the recorded log probability"> ({formatDifference(difference)})</span>
      )}
    </>
  );
}
