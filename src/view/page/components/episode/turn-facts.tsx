import type { TranscriptInteraction } from "../../../../transcript/format.js";
import { formatDuration, formatNumber, formatVersions, formatWhole } from "../../state/format.js";
import { InertText } from "../inert-text.js";

/** The numbers of a call in one line. */
export function TurnFacts({ interaction }: { readonly interaction: TranscriptInteraction }) {
  const { finish_reason, prompt_tokens, completion_tokens, shared_tokens, versions, latency } = interaction;
  const { reward, own_reward, attempt, choice, token_exact } = interaction;
  const facts = [
    `${formatWhole(prompt_tokens)} → ${formatWhole(completion_tokens)} tokens`,
    shared_tokens > 0 ? `${formatWhole(shared_tokens)} shared` : "",
    versions ? formatVersions(...versions) : "",
    latency === undefined ? "" : formatDuration(latency),
    attempt ? `attempt ${attempt + 1}` : "",
    choice ? `choice ${choice + 1}` : "",
    token_exact ? "" : "not token-exact",
  ].filter(Boolean);
  return (
    <p class="turn-facts">
      <span class={finish_reason === "length" ? "warns" : undefined}>
        <InertText text={finish_reason} />
      </span>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      <span>
        {own_reward !== undefined && (
          <>
            reward <b>{formatNumber(own_reward)}</b>,{" "}
          </>
        )}
        discounted {formatNumber(reward)}
      </span>
    </p>
  );
}
