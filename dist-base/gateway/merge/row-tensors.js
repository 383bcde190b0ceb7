import { MAX_LABELS, ROW_COLUMNS } from "../../session/batch/row-columns.js";
import { CHUNK_BYTES, countUnits, int32Column, readSlices, shiftIndices, toBytes } from "./column.js";
import { readInt32 } from "./part.js";
/** The code of a label that has no code in the whole batch yet. It is never written. */
const UNASSIGNED = -3;
/** The code of all labels that do not fit into the table of the whole batch. */
const OVER_LIMIT = -2;
/** Merges the row and turn columns of the parts. They have the native core's order: 4-byte elements, then BOOL. */
export class RowTensors {
    #segments;
    #hasRows;
    #hasTurns;
    #tables = new Map();
    constructor([first], segments) {
        this.#segments = segments;
        this.#hasRows = first?.metadata.row_codes !== undefined;
        this.#hasTurns = this.#hasRows && first?.tensors.has("cu_turns") === true;
        if (!this.#hasRows)
            return;
        for (const column of ROW_COLUMNS) {
            if (column.merge === "codes")
                this.#tables.set(column, this.#buildTable(column));
        }
    }
    /** The value of `row_codes` in the metadata; undefined if the parts have no row columns. */
    get labels() {
        if (!this.#hasRows)
            return undefined;
        return Object.fromEntries([...this.#tables].map(([{ name }, { labels }]) => [name, labels]));
    }
    /** @param width `wide`: the columns with 4-byte elements, `cu_turns` included; `bool`: those of dtype BOOL */
    columns(width) {
        if (!this.#hasRows)
            return [];
        const selected = ROW_COLUMNS.filter(({ dtype }) => (dtype === "BOOL") === (width === "bool"));
        const rowColumns = selected.filter(({ perRow }) => perRow).map((column) => this.#column(column, "rows"));
        if (!this.#hasTurns)
            return rowColumns;
        const turnColumns = selected.filter(({ perTurn }) => perTurn).map((column) => this.#column(column, "turns"));
        return [...rowColumns, ...(width === "wide" ? [this.#turnStarts()] : []), ...turnColumns];
    }
    #column(column, per) {
        const name = tensorName(column, per);
        const chunks = {
            copy: () => readSlices(this.#segments, name, per),
            rows: () => shiftIndices(this.#segments, name, per, "rows"),
            codes: () => recode(this.#segments, name, per, this.#tables.get(column)),
        }[column.merge];
        return { name, dtype: column.dtype, shape: [countUnits(this.#segments, per)], chunks };
    }
    #turnStarts() {
        const starts = new Int32Array(countUnits(this.#segments, "rows") + 1);
        let row = 0;
        let turns = 0;
        for (const { part, rows } of this.#segments) {
            const partStarts = readInt32(part, "cu_turns");
            for (let at = rows[0]; at < rows[1]; at++) {
                turns += (partStarts[at + 1] ?? 0) - (partStarts[at] ?? 0);
                starts[++row] = turns;
            }
        }
        return int32Column("cu_turns", starts);
    }
    #buildTable(column) {
        const table = new LabelTable(column);
        const units = [
            ...(column.perRow ? ["rows"] : []),
            ...(column.perTurn && this.#hasTurns ? ["turns"] : []),
        ];
        for (const per of units) {
            for (const { part, [per]: range } of this.#segments) {
                table.addCodes(part, readInt32(part, tensorName(column, per)).subarray(...range));
            }
        }
        return table;
    }
}
/** The codes of one label column, as the native core assigns them: known labels first, others by first appearance. */
class LabelTable {
    labels;
    #name;
    #codeByLabel;
    #byPart = new Map();
    constructor({ name, labels }) {
        this.labels = [...labels];
        this.#name = name;
        this.#codeByLabel = new Map(labels.map((label, code) => [label, code]));
    }
    /** Assigns codes of the whole batch to codes of a part that have none yet. */
    addCodes(part, partCodes) {
        const codes = this.codesForPart(part);
        for (const partCode of partCodes) {
            if (codes[partCode] === UNASSIGNED)
                codes[partCode] = this.#assignCode(this.#readLabels(part)[partCode] ?? "");
        }
    }
    /** Returns an array with the code of the whole batch for each code of the part. */
    codesForPart(part) {
        const known = this.#byPart.get(part);
        if (known)
            return known;
        const codes = new Int32Array(this.#readLabels(part).length).fill(UNASSIGNED);
        this.#byPart.set(part, codes);
        return codes;
    }
    #readLabels({ metadata }) {
        return metadata.row_codes?.[this.#name] ?? [];
    }
    #assignCode(label) {
        const known = this.#codeByLabel.get(label);
        if (known !== undefined)
            return known;
        const code = this.labels.length < MAX_LABELS ? this.labels.push(label) - 1 : OVER_LIMIT;
        this.#codeByLabel.set(label, code);
        return code;
    }
}
/** Yields the codes of a label column, changed from codes of the parts to codes of the whole batch. */
function* recode(segments, name, per, table) {
    for (const { part, [per]: range } of segments) {
        const values = readInt32(part, name).subarray(...range);
        const codes = table?.codesForPart(part);
        for (let at = 0; at < values.length; at += CHUNK_BYTES / 4) {
            yield toBytes(values.slice(at, at + CHUNK_BYTES / 4).map((value) => codes?.[value] ?? value));
        }
    }
}
function tensorName({ name }, per) {
    return `${per === "rows" ? "row" : "turn"}_${name}`;
}
//# sourceMappingURL=row-tensors.js.map