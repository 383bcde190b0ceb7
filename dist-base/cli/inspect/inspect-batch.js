import { readFindings } from "./batch-findings.js";
import { readRowColumns } from "./columns.js";
import { readRows } from "./rows.js";
export async function inspectBatch(file) {
    const { header, byteLength } = file;
    const rewards = [];
    for (const name of ["rewards", "node_rewards"]) {
        for await (const piece of file.numbers(name))
            for (const reward of piece)
                rewards.push(reward);
    }
    let lossTokens = 0;
    for await (const piece of file.numbers("loss_mask"))
        for (const each of piece)
            lossTokens += each;
    const rows = readRows(header);
    const columns = await readRowColumns(file, rows.length);
    const findings = await readFindings(file, rows.length);
    return { header, byteLength, rows, rewards, lossTokens, versions: await countVersions(file), columns, findings };
}
/** Counts sampled tokens by version. Positions that are not sampled have version -1. */
async function countVersions(file) {
    const counts = new Map();
    for await (const piece of file.numbers("versions")) {
        for (const version of piece)
            if (version >= 0)
                counts.set(version, (counts.get(version) ?? 0) + 1);
    }
    return new Map([...counts].toSorted(([a], [b]) => a - b));
}
//# sourceMappingURL=inspect-batch.js.map