import { useState } from "preact/hooks";
import type { TranscriptInteraction } from "../../../../transcript/format.js";
import type { Source } from "../../../api.js";
import type { ConversationTree } from "../../state/conversation-tree.js";
import { formatDuration, formatNumber, formatVersions, formatWhole, plural } from "../../state/format.js";
import { TokenPanel } from "../../tokens/token-panel.js";
import { InertText } from "../inert-text.js";
import { beginningOf } from "./beginning-of.js";
import { CallDetails } from "./call-details.js";
import { MessageView } from "./message-view.js";

interface TurnCardProps {
  readonly id: string;
  readonly episode: number;
  readonly source: Source;
  readonly at: number;
  readonly turn: number;
  readonly interaction: TranscriptInteraction;
  readonly interactions: readonly TranscriptInteraction[];
  readonly tree: ConversationTree;
  readonly path: readonly number[];
  readonly isChosen: boolean;
  readonly showsTokens: boolean;
  readonly onToggleTokens: () => void;
  readonly onChoose: (interaction: number) => void;
}

/** A call: the messages that it adds to its conversation, the answer, and on demand its tokens. */
export function TurnCard(props: TurnCardProps) {
  const { id, source, episode, turn, at, interaction, interactions, showsTokens, onToggleTokens } = props;
  const { messages, answer, left_out } = interaction;
  return (
    <section
      id={id}
      class={`turn-card${props.isChosen ? " chosen" : ""}${left_out === undefined ? "" : " left-out"}`}
      aria-label={`Turn ${turn}`}
    >
      <header class="turn-head">
        <h3>
          <button type="button" class="plain" onClick={() => props.onChoose(at)}>
            Turn {turn}
          </button>
        </h3>
        <TurnFacts interaction={interaction} />
        <button type="button" class="button" aria-expanded={showsTokens} onClick={onToggleTokens}>
          Tokens
        </button>
      </header>
      <Warnings interaction={interaction} parent={interactions[interaction.parent]} />
      {messages.map((message, index) => (
        <MessageView key={index} source={source} episode={episode} message={message} />
      ))}
      <MessageView source={source} episode={episode} message={answer} isAnswer />
      {showsTokens && <TokenPanel source={source} episode={episode} interaction={at} />}
      <CallDetails interaction={interaction} interactions={interactions} />
      <Branches {...props} />
    </section>
  );
}

/** Notices above the messages: a call left out, a broken prefix, a compaction. */
function Warnings({
  interaction,
  parent,
}: {
  readonly interaction: TranscriptInteraction;
  readonly parent: TranscriptInteraction | undefined;
}) {
  const { left_out, cause, compacted_from, kept } = interaction;
  const dropped = parent ? parent.kept + parent.messages.length + 1 - kept : 0;
  return (
    <>
      {left_out !== undefined && (
        <p class="notice">
          <span>
            Left out of exports: <InertText text={left_out} />
          </span>
        </p>
      )}
      {cause !== undefined && (
        <p class="notice">
          <span>
            The prompt does not begin with the tokens of the turn before:{" "}
            <code>
              <InertText text={cause} />
            </code>
            . The tokens show the first difference.
          </span>
        </p>
      )}
      {dropped > 0 && (
        <p class="notice">The agent removed or changed the last {dropped} messages of the turn before.</p>
      )}
      {compacted_from !== undefined && (
        <p class="notice">
          <span>
            Continues{" "}
            <code>
              <InertText text={compacted_from} />
            </code>{" "}
            after a compaction.
          </span>
        </p>
      )}
    </>
  );
}

interface BranchesProps {
  readonly at: number;
  readonly interactions: readonly TranscriptInteraction[];
  readonly tree: ConversationTree;
  readonly path: readonly number[];
  readonly onChoose: (interaction: number) => void;
}

/** Number of branches that are rendered at first, and added by each click. */
const SHOWN = 50;

/** The other continuations of a turn. */
function Branches({ at, interactions, tree, path, onChoose }: BranchesProps) {
  const [shown, setShown] = useState(SHOWN);
  const onPath = new Set(path);
  const others = (tree.children[at] ?? []).filter((child) => !onPath.has(child));
  if (others.length === 0) return null;
  return (
    <nav class="branches" aria-label="Other branches after this turn">
      <span class="quiet">Other branches</span>
      {others.slice(0, shown).map((child) => {
        const interaction = interactions[child];
        return (
          interaction && (
            <button key={child} type="button" class="button cut" onClick={() => onChoose(child)}>
              <InertText text={beginningOf(interaction.answer)} />
            </button>
          )
        );
      })}
      {others.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + SHOWN)}>
          {plural(others.length - shown, "more branch", "more branches")}
        </button>
      )}
    </nav>
  );
}

/** The numbers of a call in one line. */
function TurnFacts({ interaction }: { readonly interaction: TranscriptInteraction }) {
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
