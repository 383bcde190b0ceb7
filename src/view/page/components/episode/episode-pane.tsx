import { useEffect, useMemo, useState } from "preact/hooks";
import type { EpisodeLine, Source } from "../../../api.js";
import { pathThrough, readTree } from "../../state/conversation-tree.js";
import type { EpisodeRow } from "../../state/episode-row.js";
import { messageOf } from "../../state/store.js";
import { InertText } from "../inert-text.js";
import { ConversationView } from "./conversation-view.js";
import { EpisodeHead } from "./episode-head.js";
import { Outline } from "./outline.js";

interface PaneProps {
  readonly source: Source;
  readonly index: number;
  readonly row: EpisodeRow | undefined;
  /** The chosen interaction; null: the first of the main conversation. */
  readonly interaction: number | null;
  readonly onChoose: (interaction: number) => void;
  /** True if j, k, l and Enter work in this episode. */
  readonly hasKeys?: boolean;
  readonly isNarrow?: boolean;
}

/** An episode with its outline and the conversation through the chosen interaction. */
export function EpisodePane(props: PaneProps) {
  const { source, index, row } = props;
  // The episode is read again if its row changes.
  const version = row ? `${row.calls}/${row.accepted}/${row.step}` : "";
  const { value: line, error } = useLoaded(`${index}/${version}`, () => source.episode(index));
  if (error !== undefined) {
    return (
      <p class="notice failure">
        <InertText text={error} />
      </p>
    );
  }
  return line ? <LoadedPane {...props} line={line} /> : <p class="loading">Reading the episode…</p>;
}

function LoadedPane({
  line,
  source,
  index,
  row,
  interaction,
  onChoose,
  hasKeys,
  isNarrow,
}: PaneProps & { readonly line: EpisodeLine }) {
  const { interactions } = line;
  const tree = useMemo(() => readTree(interactions), [interactions]);
  const chosen = interaction ?? tree.conversations[0]?.root ?? -1;
  const path = useMemo(() => pathThrough(chosen, interactions, tree), [chosen, interactions, tree]);
  return (
    <>
      <EpisodeHead line={line} index={index} row={row} path={path} onChoose={onChoose} />
      {interactions.length === 0 ? (
        <p class="quiet">The episode has no calls.</p>
      ) : (
        <div class={isNarrow ? "pane narrow" : "pane"}>
          <Outline tree={tree} interactions={interactions} path={path} chosen={chosen} onChoose={onChoose} />
          <ConversationView
            episode={index}
            source={source}
            interactions={interactions}
            tree={tree}
            path={path}
            chosen={interaction}
            onChoose={onChoose}
            hasKeys={hasKeys ?? false}
          />
        </div>
      )}
    </>
  );
}

/** Result of a read. It has neither `value` nor `error` while the read is in progress. */
interface Loaded<T> {
  readonly value?: T;
  readonly error?: string;
}

/** Calls `read` when `key` changes. The result for an older key is dropped. */
function useLoaded<T>(key: string, read: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { readonly key: string }>({ key });
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (value) => isCurrent && setState({ key, value }),
      (error: unknown) => isCurrent && setState({ key, error: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return state.key === key ? state : {};
}
