import { useEffect } from "preact/hooks";
import type { TokenChannel } from "../../api.js";
import { colouring, colouringChoices } from "./colouring-choice.js";
import {
  COUNT_BOUNDS,
  DIFFERENCE_BOUNDS,
  findChannel,
  listColourings,
  SURPRISE_BOUNDS,
  type TokenColouring,
} from "./colours.js";

interface Label {
  readonly text: string;
  readonly meaning: string;
}

const LABELS: Readonly<Record<string, Label>> = {
  logprob: { text: "Log probability", meaning: "How likely the model found each token that it sampled." },
  mask: { text: "Loss mask", meaning: "Which tokens count for the loss." },
  version: { text: "Weight version", meaning: "The version of the weights that sampled each token." },
};

/** Buttons that choose the colouring of tokens, and its legend. */
export function ColouringSwitch({ channels }: { readonly channels: readonly TokenChannel[] }) {
  const choices = listColourings(channels);
  const names = choices.join(" ");
  useEffect(() => {
    colouringChoices.value = choices;
  }, [names]);
  const chosen = choices.includes(colouring.value) ? colouring.value : "logprob";
  return (
    <>
      <div class="switch" role="group" aria-label="Colour of tokens" title="Change with l">
        {choices.map((choice) => {
          const { text, meaning } = labelOf(choice, channels);
          return (
            <button
              key={choice}
              type="button"
              title={`${meaning} Change with l.`}
              aria-pressed={choice === chosen}
              onClick={() => (colouring.value = choice)}
            >
              {text}
            </button>
          );
        })}
      </div>
      <Legend chosen={chosen} channels={channels} />
    </>
  );
}

function labelOf(choice: TokenColouring, channels: readonly TokenChannel[]): Label {
  const channel = findChannel(channels, choice);
  return channel
    ? { text: channel.title, meaning: channel.meaning }
    : (LABELS[choice] ?? { text: choice, meaning: "" });
}

interface LegendProps {
  readonly chosen: TokenColouring;
  readonly channels: readonly TokenChannel[];
}

function Legend({ chosen, channels }: LegendProps) {
  switch (chosen) {
    case "logprob":
      return (
        <span class="token-legend" aria-label="From likely to unlikely, in nats">
          {[0, ...SURPRISE_BOUNDS].map((bound, level) => (
            <span key={bound} class={`tok surprise-${level}`}>
              {bound === 0 ? "0" : `−${bound}`}
            </span>
          ))}
        </span>
      );
    case "mask":
      return (
        <span class="token-legend">
          <span class="tok mask-1">in the loss</span> <span class="tok mask-0">not in the loss</span>
        </span>
      );
    case "version":
      return <span class="token-legend">Neighbouring versions have different colours.</span>;
    default: {
      const channel = findChannel(channels, chosen);
      return channel ? <ChannelLegend channel={channel} /> : null;
    }
  }
}

function ChannelLegend({ channel: { ragged, values } }: { readonly channel: TokenChannel }) {
  if (ragged) {
    return (
      <span class="token-legend">
        <span class="quiet">number: </span>
        {[...COUNT_BOUNDS, Infinity].map((bound, level) => (
          <span key={bound} class={`tok size-${level}`}>
            {level === 0 ? bound : Number.isFinite(bound) ? `≤ ${bound}` : "more"}
          </span>
        ))}{" "}
        <span class="tok no-value">none</span>
      </span>
    );
  }
  if (values !== "logprobs") return <span class="token-legend">Higher values are darker.</span>;
  const levels = DIFFERENCE_BOUNDS.map((bound, i) => ({ bound, level: i + 1 }));
  return (
    <span class="token-legend">
      <span class="quiet">minus the recorded log probability, in nats: </span>
      {levels.toReversed().map(({ bound, level }) => (
        <span key={bound} class={`tok lower-${level}`}>
          −{bound}
        </span>
      ))}
      <span class="tok equal">equal</span>
      {levels.map(({ bound, level }) => (
        <span key={bound} class={`tok higher-${level}`}>
          +{bound}
        </span>
      ))}{" "}
      <span class="tok no-value">no score</span>
    </span>
  );
}
