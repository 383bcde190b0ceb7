import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TranscriptInteraction } from "../../../../transcript/format.js";
import type { ConversationTree, ListedConversation, OutlineItem } from "../../state/conversation-tree.js";
import { formatCompact, formatNumber, plural } from "../../state/format.js";
import { InertText } from "../inert-text.js";
import { beginningOf } from "./beginning-of.js";

interface OutlineProps {
  readonly tree: ConversationTree;
  readonly interactions: readonly TranscriptInteraction[];
  readonly path: readonly number[];
  readonly chosen: number;
  readonly onChoose: (interaction: number) => void;
}

/** All calls of an episode: a list for each conversation, branches indented. */
export function Outline(props: OutlineProps) {
  const [shown, setShown] = useState(SHOWN_CONVERSATIONS);
  const { conversations } = props.tree;
  return (
    <nav class="outline" aria-label="Calls of the episode">
      {conversations.slice(0, shown).map((conversation) => (
        <Calls key={conversation.root} {...props} conversation={conversation} />
      ))}
      {conversations.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + SHOWN_CONVERSATIONS)}>
          {plural(conversations.length - shown, "more conversation")}
        </button>
      )}
    </nav>
  );
}

/** Numbers of conversations, and of calls of each, that are rendered at first, and added by each click. */
const SHOWN_CONVERSATIONS = 100;
const SHOWN = 300;
/** Deeper branches are not indented further, so that their text has room. */
const DEEPEST = 5;

function Calls({ conversation, ...props }: OutlineProps & { readonly conversation: ListedConversation }) {
  const { interactions, path, chosen } = props;
  const [shown, setShown] = useState(SHOWN);
  const { items } = conversation;
  const onPath = useMemo(() => new Set(path), [path]);
  return (
    <section>
      <h3>
        <Title conversation={conversation} root={interactions[conversation.root]} />
      </h3>
      <ol>
        {items.slice(0, shown).map((item) => (
          <Call
            key={item.at}
            item={item}
            interaction={interactions[item.at]}
            isChosen={item.at === chosen}
            isOnPath={onPath.has(item.at)}
            onChoose={props.onChoose}
          />
        ))}
      </ol>
      {items.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + SHOWN)}>
          {plural(items.length - shown, "more call")}
        </button>
      )}
    </section>
  );
}

function Title({
  conversation: { kind, items },
  root,
}: {
  readonly conversation: ListedConversation;
  readonly root: TranscriptInteraction | undefined;
}) {
  const count = <span class="quiet">{items.length}</span>;
  if (kind === "main") return <>Conversation {count}</>;
  const name = kind === "side" ? root?.request_kind : root?.agent_id;
  return (
    <>
      {kind === "side" ? "Side call" : "Sub-agent"} <InertText text={name ?? ""} /> {count}
    </>
  );
}

interface CallProps {
  readonly item: OutlineItem;
  readonly interaction: TranscriptInteraction | undefined;
  readonly isChosen: boolean;
  readonly isOnPath: boolean;
  readonly onChoose: (interaction: number) => void;
}

function Call({ item: { at, depth, turn, dropped }, interaction, isChosen, isOnPath, onChoose }: CallProps) {
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  if (!interaction) return null;
  const { answer, left_out, cause, completion_tokens, reward } = interaction;
  const state = [isOnPath && "on-path", (dropped || left_out !== undefined) && "left-out"].filter(Boolean).join(" ");
  return (
    <li style={{ "--depth": String(Math.min(depth, DEEPEST)) }}>
      <button
        ref={element}
        type="button"
        class={`call ${state}`}
        aria-current={isChosen ? "true" : undefined}
        onClick={() => onChoose(at)}
      >
        <span class="turn">{turn}</span>
        <span class="cut">
          <InertText text={beginningOf(answer)} />
        </span>
        <span class="quiet call-facts">
          {depth > 0 && <span class="tag">branch</span>}
          {dropped && <span class="tag">dropped</span>}
          {left_out !== undefined && <span class="tag warns">left out</span>}
          {cause !== undefined && <span class="tag warns">broken</span>}
          {formatCompact(completion_tokens)} tokens · <span title="Discounted reward">{formatNumber(reward)}</span>
        </span>
      </button>
    </li>
  );
}
