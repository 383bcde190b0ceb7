import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { slotOrder, virtualRange } from "../../state/virtual-range.js";

/** Rows are added and removed in blocks: the cost of a render depends little on the number of rows. */
const BLOCK_ROWS = 4;
const MARGIN_ROWS = 2 * BLOCK_ROWS;
const ROW_HEIGHT_REM = 1.875;
/** Time without a scroll event after which the list is at rest. */
const REST_MS = 150;

/** How the list moves. `fast`: by more than half of the view in each of two frames in a row. */
type Motion = "rest" | "slow" | "jump" | "fast";

/** The rows of a table that are rendered. */
export interface RowWindow {
  /** In pixels. */
  readonly rowHeight: number;
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** The rows from `first` to `end`. While the list is scrolled, they are in the order of their slots. */
  readonly shown: readonly number[];
  /** True while rows pass so fast that nobody reads them. */
  readonly isFast: boolean;
  /** Returns the key of a row. Keys repeat, so a row that comes into view reuses the elements of one that left. That is faster. */
  readonly slotOf: (row: number) => number;
  readonly onScroll: () => void;
}

/**
 * Follows the scroll position of a table.
 *
 * - While rows are scrolled, their elements stay where they are in the document: moving an element costs as much as creating it. At
 *   rest, they get the order of the rows, in which text is selected and read aloud.
 * - While the list moves fast, the rows beside the view are left out: the next frame would replace them unseen.
 */
export function useRowWindow(frame: RefObject<HTMLElement | null>, rows: number): RowWindow {
  const [view, setView] = useState<View>({ top: 0, height: 600, rowHeight: 30, motion: "rest" });
  const { height, rowHeight, motion } = view;
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);

  const onScroll = (): void => {
    const top = frame.current?.scrollTop ?? 0;
    clearTimeout(rest.current);
    rest.current = setTimeout(() => setView((last) => ({ ...last, motion: "rest" })), REST_MS);
    if (blockOf(top, rowHeight) === blockOf(view.top, rowHeight)) return;
    setView({ ...view, top, motion: nextMotion(motion, Math.abs(top - view.top) > height / 2) });
  };
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    const measure = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const measured = { height: current.clientHeight, rowHeight: Math.round(ROW_HEIGHT_REM * rem) };
      setView((last) => ({ ...last, top: current.scrollTop, ...measured }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  const isFast = motion === "fast";
  const margin = isFast ? 0 : MARGIN_ROWS;
  const blockHeight = height + BLOCK_ROWS * rowHeight;
  const { first, end } = virtualRange(
    { rows, rowHeight, height: blockHeight, top: blockOf(view.top, rowHeight) },
    margin,
  );
  // Not larger than needed: a slot without a row loses its elements.
  const pool = Math.ceil(blockHeight / rowHeight) + 2 * margin;
  const shown = slotOrder(first, end, motion === "rest" ? Infinity : pool);
  return { rowHeight, first, end, shown, isFast, slotOf: (row) => row % pool, onScroll };
}

interface View {
  readonly top: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly motion: Motion;
}

/** A single jump, such as that of a key, is not fast: its rows are read. */
function nextMotion(last: Motion, isJump: boolean): Motion {
  if (!isJump) return "slow";
  return last === "jump" || last === "fast" ? "fast" : "jump";
}

/** Returns the top of the block of rows at a scroll position. */
const blockOf = (top: number, rowHeight: number): number =>
  Math.floor(top / (BLOCK_ROWS * rowHeight)) * BLOCK_ROWS * rowHeight;
