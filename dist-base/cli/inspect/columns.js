import { ROW_COLUMNS } from "../../session/batch/row-columns.js";
import { readFacts } from "./metadata.js";
/**
 * Reads the row columns of a file. Tensors that do not have one value per row are ignored.
 *
 * @param wanted names of the columns; default: all
 */
export async function readRowColumns(file, rows, wanted) {
    const { labels = {} } = readFacts(file.header);
    const columns = new Map();
    for (const column of ROW_COLUMNS) {
        if (!column.perRow || (wanted && !wanted.includes(column.name)))
            continue;
        const values = await file.values(`row_${column.name}`, rows);
        if (values)
            columns.set(column.name, { column, values, labels: labels[column.name] ?? [] });
    }
    return columns;
}
/** The code of labels over the limit, which the batch does not list. */
const OVER_LIMIT = -2;
/** Returns the label of a row; undefined if it has none. */
export function readLabel({ values, labels }, row) {
    const code = values[row] ?? -1;
    if (code === OVER_LIMIT)
        return "not listed";
    return code < 0 ? undefined : (labels[code] ?? `code ${code}`);
}
/** Returns the number of rows for each label of a column. */
export function countLabels(column) {
    const counts = new Map();
    for (let row = 0; row < column.values.length; row++) {
        const label = readLabel(column, row);
        if (label !== undefined)
            counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    return counts;
}
//# sourceMappingURL=columns.js.map