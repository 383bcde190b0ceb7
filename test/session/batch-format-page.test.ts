import { describe, expect, it } from "vitest";
import { ROW_COLUMNS, type RowColumn } from "../../src/session/batch/row-columns.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { readPage, tableRows } from "../helpers/page.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { turn, user } from "../helpers/turn.js";

const page = readPage("reference/batch-format.md");

function listTensors({ perRow, perTurn, ofFirstTurn }: RowColumn): string {
  const ofRows = ofFirstTurn ? "row (first turn)" : "row";
  return [...(perRow ? [ofRows] : []), ...(perTurn ? ["turn"] : [])].join(", ");
}

const linked = (meaning: string) => meaning.replace(/docs\/explanation\/(\w+\.md)/, "[$1](../explanation/$1)");

async function readMetadataNames(options: object): Promise<string[]> {
  const store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s" });
  session.record(turn([user("a")], [1, 2], [3]));
  session.record(turn([user("b")], [1, 2], [3]));
  session.end();
  const [batch] = await store.exportShards(["s"], { shards: 2, models: ["*"], ...options });
  return Object.keys(readSafetensors(batch?.bytes ?? new Uint8Array()).metadata);
}

describe("docs/reference/batch-format.md", () => {
  it("lists exactly the row columns of the code, with dtype and meaning", () => {
    const expected = ROW_COLUMNS.map(
      (column) => `| \`${column.name}\` | ${column.dtype} | ${listTensors(column)} | ${linked(column.meaning)} |`,
    );
    expect(tableRows(page, "| column | dtype | tensors | content |")).toEqual(expected);
  });

  it("lists the codes that are the same in every batch", () => {
    const expected = ROW_COLUMNS.filter(({ source }) => source === "label").map(({ name, labels }) => {
      const texts = labels.map((label) => `\`${label}\``);
      return `| \`${name}\` | ${texts.length === 0 ? "none" : texts.join(", ")} |`;
    });
    expect(tableRows(page, "| column | codes from 0 |")).toEqual(expected);
  });

  it("lists all metadata, and marks what row_tensors: false leaves out", async () => {
    const names = tableRows(page, "| name | content |").map((row) =>
      [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const part = names.findIndex((group) => group.includes("row_tensors"));
    const withoutColumns = names.slice(0, part).flat();
    const ofServers = ["model", "model_digest", "config", "version_labels"];
    const withColumns = names.slice(part + 1).flat();
    expect(new Set(await readMetadataNames({ rowTensors: false }))).toEqual(new Set(withoutColumns));
    expect(new Set([...(await readMetadataNames({ style: "concat" })), ...ofServers])).toEqual(
      new Set([...withoutColumns, ...withColumns]),
    );
  });
});
