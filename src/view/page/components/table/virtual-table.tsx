import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { scrollToRow } from "../../state/virtual-range.js";
import { BodyRow } from "./body-row.js";
import { useRowWindow } from "./use-row-window.js";

export interface Column<Row, Key extends string> {
  readonly key: Key;
  readonly label: string;
  /** The smallest width, in rem. */
  readonly width: number;
  /** Share of the remaining space. Default: none. */
  readonly grow?: number;
  readonly isNumber?: boolean;
  readonly render: (row: Row) => ComponentChildren;
}

interface VirtualTableProps<Row, Key extends string> {
  readonly id: string;
  readonly label: string;
  readonly columns: readonly Column<Row, Key>[];
  readonly rows: readonly Row[];
  /** Position of the selected row in `rows`; -1 for none. */
  readonly selected: number;
  readonly onSelect: (at: number) => void;
  readonly link: (row: Row) => string;
  readonly sort: { readonly key: string; readonly descending: boolean };
  readonly onSort: (key: Key) => void;
}

const PAGE_ROWS = 20;

/** A table that renders only the rows in view, so that any number of rows scrolls smoothly. */
export function VirtualTable<Row, Key extends string>(props: VirtualTableProps<Row, Key>) {
  const { id, label, columns, rows, selected, onSelect } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { rowHeight, first, end, shown, isFast, slotOf, onScroll } = useRowWindow(frame, rows.length);

  // The header row is inside the scrolled box and covers its top.
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current || selected < 0) return;
    const height = current.clientHeight - rowHeight;
    const top = scrollToRow(selected, { rowHeight, height, top: current.scrollTop });
    if (top !== current.scrollTop) current.scrollTop = top;
  }, [selected, rowHeight]);

  const move = (to: number): void => onSelect(Math.min(rows.length - 1, Math.max(0, to)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = moveTarget(event.key, selected, rows.length);
    const row = rows[selected];
    if (event.target !== frame.current) return;
    if (target !== undefined) move(target);
    else if (event.key === "Enter" && row) location.hash = props.link(row);
    else return;
    event.preventDefault();
  };
  // Rows that are not rendered again must still call the newest props.
  const current = useRef(props);
  current.current = props;
  const select = (at: number): void => current.current.onSelect(at);
  const follow = (row: Row): string => current.current.link(row);
  return (
    <div
      ref={frame}
      id={id}
      class={isFast ? "table brief" : "table"}
      role="grid"
      tabIndex={0}
      data-keys
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={selected >= first && selected < end ? `${id}-${selected}` : undefined}
      style={layoutOf(columns, rowHeight)}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <HeadRow {...props} />
      <div class="table-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {shown.map((at) => {
          const row = rows[at];
          return (
            row && (
              <BodyRow
                key={slotOf(at)}
                {...{ id, columns, row, at, rowHeight, onSelect: select, link: follow }}
                isBrief={isFast}
                isSelected={at === selected}
              />
            )
          );
        })}
      </div>
      {rows.length === 0 && <p class="empty">Nothing passes the filters.</p>}
    </div>
  );
}

const GAP_REM = 0.75;

/** All rows have the same columns and the same smallest width, so they stand under each other in a narrow window, too. */
function layoutOf(columns: readonly { readonly width: number; readonly grow?: number }[], rowHeight: number) {
  const least = columns.reduce((sum, { width }) => sum + width + GAP_REM, GAP_REM);
  return {
    "--columns": columns
      .map(({ width, grow = 0 }) => (grow > 0 ? `minmax(${width}rem, ${grow}fr)` : `${width}rem`))
      .join(" "),
    "--least-width": `${least}rem`,
    "--row-height": `${rowHeight}px`,
  };
}

function moveTarget(key: string, selected: number, rows: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return selected + 1;
    case "ArrowUp":
      return selected - 1;
    case "PageDown":
      return selected + PAGE_ROWS;
    case "PageUp":
      return selected - PAGE_ROWS;
    case "Home":
      return 0;
    case "End":
      return rows - 1;
    default:
      return undefined;
  }
}

function HeadRow<Row, Key extends string>({ columns, sort, onSort }: VirtualTableProps<Row, Key>) {
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      {columns.map(({ key, label, isNumber }) => (
        <div
          key={key}
          role="columnheader"
          class={isNumber ? "number" : undefined}
          aria-sort={sort.key !== key ? "none" : sort.descending ? "descending" : "ascending"}
        >
          <button type="button" onClick={() => onSort(key)}>
            {label}
            {sort.key === key && <span aria-hidden="true">{sort.descending ? " ↓" : " ↑"}</span>}
          </button>
        </div>
      ))}
    </div>
  );
}
