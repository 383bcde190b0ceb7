import { Component, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { scrollToRow, virtualRange } from "../../state/virtual-range.js";

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

/** Rows are added and removed in blocks: the cost of a render depends little on the number of rows. */
const BLOCK_ROWS = 4;
const MARGIN_ROWS = 2 * BLOCK_ROWS;
const ROW_HEIGHT_REM = 1.875;
const PAGE_ROWS = 20;

/** A table that renders only the rows in view, so that any number of rows scrolls smoothly. */
export function VirtualTable<Row, Key extends string>(props: VirtualTableProps<Row, Key>) {
  const { id, label, columns, rows, selected, onSelect } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, rowHeight: 30 });
  const { rowHeight } = view;

  const onScroll = (): void => {
    const top = frame.current?.scrollTop ?? 0;
    if (blockOf(top, rowHeight) !== blockOf(view.top, rowHeight)) setView({ ...view, top });
  };
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    const measure = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setView({ top: current.scrollTop, height: current.clientHeight, rowHeight: Math.round(ROW_HEIGHT_REM * rem) });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
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
  const { first, end } = virtualRange({ rows: rows.length, ...view, top: blockOf(view.top, rowHeight) }, MARGIN_ROWS);
  // Keys repeat, so a row that comes into view reuses the elements of one that left: faster than creating elements.
  const pool = Math.ceil(view.height / rowHeight) + 1 + BLOCK_ROWS + 2 * MARGIN_ROWS;
  // Rows that are not rendered again must still call the newest props.
  const current = useRef(props);
  current.current = props;
  const select = (at: number): void => current.current.onSelect(at);
  const follow = (row: Row): string => current.current.link(row);
  return (
    <div
      ref={frame}
      id={id}
      class="table"
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
        {rows.slice(first, end).map((row, at) => (
          <BodyRow
            key={(first + at) % pool}
            {...{ id, columns, row, onSelect: select, link: follow }}
            at={first + at}
            rowHeight={rowHeight}
            isSelected={first + at === selected}
          />
        ))}
      </div>
      {rows.length === 0 && <p class="empty">Nothing passes the filters.</p>}
    </div>
  );
}

/** Returns the top of the block of rows at a scroll position. */
const blockOf = (top: number, rowHeight: number): number =>
  Math.floor(top / (BLOCK_ROWS * rowHeight)) * BLOCK_ROWS * rowHeight;

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

interface BodyRowProps<Row, Key extends string> {
  readonly id: string;
  readonly columns: readonly Column<Row, Key>[];
  readonly row: Row;
  readonly at: number;
  readonly rowHeight: number;
  readonly isSelected: boolean;
  readonly link: (row: Row) => string;
  readonly onSelect: (at: number) => void;
}

/** A row is rendered again only if something of it changed: a scroll renders the rows that come into view. */
class BodyRow<Row, Key extends string> extends Component<BodyRowProps<Row, Key>> {
  override shouldComponentUpdate(next: BodyRowProps<Row, Key>): boolean {
    const { row, at, columns, rowHeight, isSelected } = this.props;
    return (
      next.row !== row ||
      next.at !== at ||
      next.columns !== columns ||
      next.rowHeight !== rowHeight ||
      next.isSelected !== isSelected
    );
  }

  private readonly onClick = (event: MouseEvent): void => {
    const { row, at, link, onSelect } = this.props;
    onSelect(at);
    // A link opens itself, also in a new tab. A click that ends a selection of text opens nothing.
    const isOnLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (isOnLink || getSelection()?.isCollapsed === false) return;
    location.hash = link(row);
  };

  override render() {
    const { id, columns, row, at, rowHeight, isSelected, link } = this.props;
    return (
      // The grid itself has the focus and the keys.
      <div
        id={`${id}-${at}`}
        class="row"
        role="row"
        aria-rowindex={at + 2}
        aria-selected={isSelected}
        style={{ top: `${at * rowHeight}px` }}
        onClick={this.onClick}
      >
        {columns.map(({ key, isNumber, render }, column) => (
          <div key={key} role="gridcell" class={isNumber ? "number" : "cut"}>
            {column === 0 ? (
              <a href={link(row)} tabIndex={-1}>
                {render(row)}
              </a>
            ) : (
              render(row)
            )}
          </div>
        ))}
      </div>
    );
  }
}
