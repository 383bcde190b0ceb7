import { useEffect, useRef, useState } from "preact/hooks";
import type { TranscriptInteraction } from "../../../../transcript/format.js";
import type { Source } from "../../../api.js";
import type { ConversationTree } from "../../state/conversation-tree.js";
import { plural } from "../../state/format.js";
import { useKeys } from "../../state/keyboard.js";
import { cycleColouring } from "../../tokens/colouring-choice.js";
import { TurnCard } from "./turn-card.js";

interface ConversationProps {
  readonly episode: number;
  readonly source: Source;
  readonly interactions: readonly TranscriptInteraction[];
  readonly tree: ConversationTree;
  readonly path: readonly number[];
  /** The interaction to scroll to; null if none was chosen. */
  readonly chosen: number | null;
  readonly onChoose: (interaction: number) => void;
  readonly hasKeys: boolean;
}

/** Number of turns that are rendered on each side of the chosen one. */
const AROUND = 80;

/** The turns from the root of a conversation to its end. */
export function ConversationView(props: ConversationProps) {
  const { episode, interactions, path, chosen, onChoose, hasKeys } = props;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [around, setAround] = useState(AROUND);
  const place = chosen === null ? 0 : Math.max(0, path.indexOf(chosen));
  const [first, end] = [Math.max(0, place - around), Math.min(path.length, place + around)];
  const toggle = (at: number): void => {
    const next = new Set(open);
    if (!next.delete(at)) next.add(at);
    setOpen(next);
  };
  const cursor = useRef(-1);
  cursor.current = chosen === null ? -1 : place;
  const move = (by: number): void => {
    const at = path[cursor.current + by];
    if (at === undefined) return;
    cursor.current += by;
    onChoose(at);
  };
  const current = path[place];
  useEffect(() => {
    if (chosen !== null) document.getElementById(turnId(episode, chosen))?.scrollIntoView({ block: "start" });
  }, [episode, chosen]);
  useKeys(
    hasKeys
      ? {
          j: () => move(1),
          k: () => move(-1),
          l: cycleColouring,
          Enter: () => current !== undefined && toggle(current),
          ...(current !== undefined && open.has(current) && { Escape: () => toggle(current) }),
        }
      : {},
  );
  return (
    <div class="conversation">
      {first > 0 && <More count={first} noun="earlier turn" onClick={() => setAround(around + AROUND)} />}
      {path.slice(first, end).flatMap((at, turn) => {
        const interaction = interactions[at];
        return interaction ? (
          <TurnCard
            key={at}
            {...props}
            id={turnId(episode, at)}
            at={at}
            turn={first + turn + 1}
            interaction={interaction}
            isChosen={at === chosen}
            showsTokens={open.has(at)}
            onToggleTokens={() => toggle(at)}
          />
        ) : (
          []
        );
      })}
      {end < path.length && (
        <More count={path.length - end} noun="later turn" onClick={() => setAround(around + AROUND)} />
      )}
    </div>
  );
}

const turnId = (episode: number, at: number): string => `turn-${episode}-${at}`;

function More({
  count,
  noun,
  onClick,
}: {
  readonly count: number;
  readonly noun: string;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" class="button" onClick={onClick}>
      {plural(count, noun)}
    </button>
  );
}
