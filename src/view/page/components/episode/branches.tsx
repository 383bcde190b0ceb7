import { useState } from "preact/hooks";
import type { TranscriptInteraction } from "../../../../transcript/format.js";
import type { ConversationTree } from "../../state/conversation-tree.js";
import { plural } from "../../state/format.js";
import { InertText } from "../inert-text.js";
import { beginningOf } from "./beginning-of.js";

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
export function Branches({ at, interactions, tree, path, onChoose }: BranchesProps) {
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
