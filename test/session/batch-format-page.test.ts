import { describe, expect, it } from "vitest";
import { writeFactTables } from "../../scripts/fact-tables.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { testChannels } from "../helpers/channels.js";
import { makePng } from "../helpers/images.js";
import { readPage, tableRows } from "../helpers/page.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { turn, user } from "../helpers/turn.js";

const page = readPage("reference/batch-format.md");

async function readMetadataNames(options: object): Promise<string[]> {
  const store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s" });
  const ids = Int32Array.of(3);
  const images = [{ offset: 0, length: 1, bytes: makePng(1, 1, 0) }];
  session.record({ ...turn([user("a")], [1, 2], [3]), images, channels: testChannels(Int32Array.of(1, 2), ids) });
  session.record(turn([user("b")], [1, 2], [3]));
  session.end();
  const [batch] = await store.exportShards(["s"], { shards: 2, models: ["*"], ...options });
  return Object.keys(readSafetensors(batch?.bytes ?? new Uint8Array()).metadata);
}

describe("docs/reference/batch-format.md", () => {
  it("has the tables of columns and codes that `npm run docs:facts` writes", () => {
    expect(page).toBe(writeFactTables(page));
  });

  it("lists all metadata, and marks what row_tensors: false leaves out", async () => {
    const names = tableRows(page, "| name | content |").map((row) =>
      [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const part = names.findIndex((group) => group.includes("row_tensors"));
    const withoutColumns = names.slice(0, part).flat();
    const ofTeachers = ["teachers"];
    const ofServers = [...ofTeachers, "model", "model_digest", "config", "version_labels", "moe_layers"];
    const withColumns = names.slice(part + 1).flat();
    expect(new Set([...(await readMetadataNames({ rowTensors: false })), ...ofTeachers])).toEqual(
      new Set(withoutColumns),
    );
    expect(new Set([...(await readMetadataNames({ style: "concat" })), ...ofServers])).toEqual(
      new Set([...withoutColumns, ...withColumns]),
    );
  });
});
