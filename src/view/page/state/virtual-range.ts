/** The rows of a long list that are rendered. */
export interface VirtualRange {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** Returns the rows in view and `margin` more on both sides, so that a short scroll shows no gap. */
export function virtualRange(
  list: { readonly rows: number; readonly rowHeight: number; readonly height: number; readonly top: number },
  margin: number,
): VirtualRange {
  const { rows, rowHeight, height, top } = list;
  const first = Math.floor(Math.max(0, top) / rowHeight) - margin;
  const end = Math.ceil((Math.max(0, top) + height) / rowHeight) + margin;
  const clampedEnd = Math.min(rows, Math.max(0, end));
  return { first: Math.min(Math.max(0, first), clampedEnd), end: clampedEnd };
}

/** Returns the rows from `first` to `end` in the order of their slots, `row % pool`. There are at most `pool` of them. */
export function slotOrder(first: number, end: number, pool: number): number[] {
  // The row of the first slot that is in use again.
  const turn = pool === Infinity ? first : Math.min(end, Math.ceil(first / pool) * pool);
  const rows: number[] = [];
  for (let row = turn; row < end; row++) rows.push(row);
  for (let row = first; row < turn; row++) rows.push(row);
  return rows;
}

/** Returns the scroll position that shows a row with the smallest movement. */
export function scrollToRow(
  row: number,
  { rowHeight, height, top }: { readonly rowHeight: number; readonly height: number; readonly top: number },
): number {
  const rowTop = row * rowHeight;
  if (rowTop < top) return rowTop;
  return rowTop + rowHeight > top + height ? rowTop + rowHeight - height : top;
}
