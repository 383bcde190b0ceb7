import { Component, type ComponentChild } from "preact";
import type { Column } from "./virtual-table.js";

/**
 * Number of cells that a brief row shows. table.css hides the others. A row of all cells takes half of a millisecond to render, lay
 * out and paint.
 */
const BRIEF_CELLS = 6;

interface BodyRowProps<Row, Key extends string> {
  readonly id: string;
  readonly columns: readonly Column<Row, Key>[];
  readonly row: Row;
  readonly at: number;
  readonly rowHeight: number;
  readonly isSelected: boolean;
  /** Renders only the first {@link BRIEF_CELLS} cells anew. The style sheet hides the others. */
  readonly isBrief: boolean;
  readonly link: (row: Row) => string;
  readonly onSelect: (at: number) => void;
}

/** A row is rendered again only if one of its properties changed, so a scroll renders only the rows that come into view. */
export class BodyRow<Row, Key extends string> extends Component<BodyRowProps<Row, Key>> {
  override shouldComponentUpdate(next: BodyRowProps<Row, Key>): boolean {
    const { row, at, columns, rowHeight, isSelected, isBrief } = this.props;
    return (
      next.row !== row ||
      next.at !== at ||
      next.columns !== columns ||
      next.rowHeight !== rowHeight ||
      next.isSelected !== isSelected ||
      next.isBrief !== isBrief
    );
  }

  #cells: readonly ComponentChild[] = [];

  private readonly onClick = (event: MouseEvent): void => {
    const { row, at, link, onSelect } = this.props;
    onSelect(at);
    // A link opens itself, also in a new tab. A click that ends a selection of text opens nothing.
    const isOnLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (isOnLink || getSelection()?.isCollapsed === false) return;
    location.hash = link(row);
  };

  /** Cells that are not rendered anew are the same objects as before, so Preact leaves their elements alone. */
  #renderCells(): readonly ComponentChild[] {
    const { columns, row, link, isBrief } = this.props;
    const count = isBrief && this.#cells.length === columns.length ? BRIEF_CELLS : columns.length;
    const rendered = columns.slice(0, count).map(({ key, isNumber, render }, column) => (
      <div key={key} role="gridcell" class={isNumber ? "number" : "cut"}>
        {column === 0 ? (
          <a href={link(row)} tabIndex={-1}>
            {render(row)}
          </a>
        ) : (
          render(row)
        )}
      </div>
    ));
    return (this.#cells = [...rendered, ...this.#cells.slice(count)]);
  }

  override render() {
    const { id, at, rowHeight, isSelected } = this.props;
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
        {this.#renderCells()}
      </div>
    );
  }
}
