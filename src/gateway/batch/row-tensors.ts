import { MAX_LABELS, ROW_COLUMNS, type RowColumn } from "../../session/batch/row-columns.js";
import { bytesOf, CHUNK_BYTES, type Column, int32Column, shifted, slices, total } from "./columns.js";
import { int32Of, type Part } from "./part.js";
import type { Segment, SegmentUnit } from "./segments.js";

/** The labels of each label column of the whole batch, in the order of their codes. */
export type LabelTables = Readonly<Record<string, readonly string[]>>;

/** A label of a part that has no code in the whole batch yet. Never written. */
const NOT_MET = -3;
/** The code of labels that the full table of the whole batch has no room for. */
const OVER_LIMIT = -2;

/** The row and turn columns of the parts, joined. They have the native core's order: 4-byte elements, then BOOL. */
export class RowTensors {
  readonly #segments: readonly Segment[];
  readonly #hasRows: boolean;
  readonly #hasTurns: boolean;
  readonly #tables = new Map<RowColumn, LabelTable>();

  constructor([first]: readonly Part[], segments: readonly Segment[]) {
    this.#segments = segments;
    this.#hasRows = first?.metadata.row_codes !== undefined;
    this.#hasTurns = this.#hasRows && first?.tensors.has("cu_turns") === true;
    if (!this.#hasRows) return;
    for (const column of ROW_COLUMNS) {
      if (column.merge === "codes") this.#tables.set(column, this.#tableOf(column));
    }
  }

  /** The value of `row_codes` in the metadata; undefined if the parts have no row columns. */
  get labels(): LabelTables | undefined {
    if (!this.#hasRows) return undefined;
    return Object.fromEntries([...this.#tables].map(([{ name }, { labels }]) => [name, labels]));
  }

  /** @param width `wide`: the columns with 4-byte elements, `cu_turns` included; `bool`: those of dtype BOOL */
  columns(width: "wide" | "bool"): Column[] {
    if (!this.#hasRows) return [];
    const wanted = ROW_COLUMNS.filter(({ dtype }) => (dtype === "BOOL") === (width === "bool"));
    const ofRows = wanted.filter(({ perRow }) => perRow).map((column) => this.#column(column, "rows"));
    if (!this.#hasTurns) return ofRows;
    const ofTurns = wanted.filter(({ perTurn }) => perTurn).map((column) => this.#column(column, "turns"));
    return [...ofRows, ...(width === "wide" ? [this.#turnStarts()] : []), ...ofTurns];
  }

  #column(column: RowColumn, per: "rows" | "turns"): Column {
    const name = tensorName(column, per);
    const chunks = {
      copy: () => slices(this.#segments, name, per),
      rows: () => shifted(this.#segments, name, per, "rows"),
      codes: () => recoded(this.#segments, name, per, this.#tables.get(column)),
    }[column.merge];
    return { name, dtype: column.dtype, shape: [total(this.#segments, per)], chunks };
  }

  #turnStarts(): Column {
    const starts = new Int32Array(total(this.#segments, "rows") + 1);
    let row = 0;
    let turns = 0;
    for (const { part, rows } of this.#segments) {
      const own = int32Of(part, "cu_turns");
      for (let at = rows[0]; at < rows[1]; at++) {
        turns += (own[at + 1] ?? 0) - (own[at] ?? 0);
        starts[++row] = turns;
      }
    }
    return int32Column("cu_turns", starts);
  }

  #tableOf(column: RowColumn): LabelTable {
    const table = new LabelTable(column);
    const units: SegmentUnit[] = [
      ...(column.perRow ? (["rows"] as const) : []),
      ...(column.perTurn && this.#hasTurns ? (["turns"] as const) : []),
    ];
    for (const per of units) {
      for (const { part, [per]: range } of this.#segments) {
        table.meet(part, int32Of(part, tensorName(column, per)).subarray(...range));
      }
    }
    return table;
  }
}

/** The codes of one label column, as the native core assigns them: known labels first, others by first appearance. */
class LabelTable {
  readonly labels: string[];
  readonly #name: string;
  readonly #codeOf: Map<string, number>;
  readonly #byPart = new Map<Part, Int32Array>();

  constructor({ name, labels }: RowColumn) {
    this.labels = [...labels];
    this.#name = name;
    this.#codeOf = new Map(labels.map((label, code) => [label, code]));
  }

  /** Assigns codes to the labels of `values`, which are codes of the part, unless they have one already. */
  meet(part: Part, values: Int32Array): void {
    const codes = this.codesOf(part);
    for (const value of values)
      if (codes[value] === NOT_MET) codes[value] = this.#codeFor(this.#labelsOf(part)[value] ?? "");
  }

  /** Returns the table from a part's codes to those of the whole batch. */
  codesOf(part: Part): Int32Array {
    const known = this.#byPart.get(part);
    if (known) return known;
    const codes = new Int32Array(this.#labelsOf(part).length).fill(NOT_MET);
    this.#byPart.set(part, codes);
    return codes;
  }

  #labelsOf({ metadata }: Part): readonly string[] {
    return metadata.row_codes?.[this.#name] ?? [];
  }

  #codeFor(label: string): number {
    const known = this.#codeOf.get(label);
    if (known !== undefined) return known;
    const code = this.labels.length < MAX_LABELS ? this.labels.push(label) - 1 : OVER_LIMIT;
    this.#codeOf.set(label, code);
    return code;
  }
}

function* recoded(
  segments: readonly Segment[],
  name: string,
  per: SegmentUnit,
  table: LabelTable | undefined,
): Generator<Uint8Array> {
  for (const { part, [per]: range } of segments) {
    const values = int32Of(part, name).subarray(...range);
    const codes = table?.codesOf(part);
    for (let at = 0; at < values.length; at += CHUNK_BYTES / 4) {
      yield bytesOf(values.slice(at, at + CHUNK_BYTES / 4).map((value) => codes?.[value] ?? value));
    }
  }
}

function tensorName({ name }: RowColumn, per: SegmentUnit): string {
  return `${per === "rows" ? "row" : "turn"}_${name}`;
}
