/** Returns the text that the demo prints. */
export function describeDemo(result) {
    const { entries, metadata, data } = readHeader(result.batch);
    const rows = JSON.parse(metadata["rows"] ?? "[]");
    const finalRewards = floats(data, entries["rewards"]);
    const mask = ints(data, entries["loss_mask"]);
    const bySession = groupBySession(rows);
    const tokens = rows.reduce((sum, row) => sum + row.length, 0);
    const sampled = mask.reduce((sum, value) => sum + value, 0);
    const lines = [
        "",
        `episodes  ${bySession.size}`,
        `turns     ${rows.length}`,
        `tokens    ${tokens} exported, ${sampled} of them sampled`,
        "",
    ];
    const episodes = [["episode", "turns", "reward", `after discount ${result.discount}, first turn to last`]];
    let row = 0;
    [...bySession].forEach(([session, turns], episode) => {
        const final = turns.map(() => (finalRewards[row++] ?? 0).toFixed(3)).join("  ");
        episodes.push([session, String(turns.length), (result.rewards[episode] ?? 0).toFixed(3), final]);
    });
    const tensors = Object.entries(entries).map(([name, { dtype, shape }]) => [name, dtype, `[${shape.join(", ")}]`]);
    lines.push(...alignColumns(episodes), "", ...alignColumns([["tensor", "dtype", "shape"], ...tensors]));
    lines.push("", `wrote ${result.file}, ${result.batch.byteLength} bytes, in ${result.seconds.toFixed(1)} s`);
    return lines.join("\n");
}
/** Returns the lines of a table whose columns are as wide as their longest cells. */
function alignColumns(table) {
    const widths = table[0]?.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0))) ?? [];
    return table.map((cells) => cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd());
}
function readHeader(file) {
    const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
    const { __metadata__: metadata, ...entries } = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
    return { metadata, entries: entries, data: file.slice(8 + length).buffer };
}
function floats(data, entry) {
    return entry ? new Float32Array(data.slice(...entry.data_offsets)) : new Float32Array();
}
function ints(data, entry) {
    return entry ? new Int32Array(data.slice(...entry.data_offsets)) : new Int32Array();
}
function groupBySession(rows) {
    const groups = new Map();
    for (const row of rows)
        groups.set(row.session_id, [...(groups.get(row.session_id) ?? []), row]);
    return groups;
}
//# sourceMappingURL=demo-report.js.map