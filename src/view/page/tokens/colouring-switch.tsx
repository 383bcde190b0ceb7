import { colouring } from "./colouring-choice.js";
import { COLOURINGS, SURPRISE_BOUNDS, type TokenColouring } from "./colours.js";

const LABELS: Readonly<Record<TokenColouring, string>> = {
  logprob: "Log probability",
  mask: "Loss mask",
  version: "Weight version",
};

/** Buttons that choose the colouring of tokens, and its legend. */
export function ColouringSwitch() {
  return (
    <>
      <div class="switch" role="group" aria-label="Colour of tokens" title="Change with l">
        {COLOURINGS.map((choice) => (
          <button
            key={choice}
            type="button"
            aria-pressed={choice === colouring.value}
            onClick={() => (colouring.value = choice)}
          >
            {LABELS[choice]}
          </button>
        ))}
      </div>
      <Legend />
    </>
  );
}

function Legend() {
  switch (colouring.value) {
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
  }
}
