import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Proxy } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

let proxy: Proxy;
let directory: string;
let ids: string[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-shards-"));
  proxy = await Proxy.start({ settings: { sharedMemory: { directory, maxBytes: 64 << 20 } } });
  ids = [];
  for (let i = 0; i < 3; i++) {
    const session = await proxy.session();
    for (const content of ["a", "b", "c"])
      await proxy.chat(session, [{ role: "user", content: content.repeat(i + 1) }]);
    await proxy.end(session);
    ids.push(session.id);
  }
});
afterEach(async () => {
  await proxy.close();
  rmSync(directory, { recursive: true });
});

const ask = (options: object) => proxy.post("/export_batch", { session_ids: ids, ...options });

function rowIds(file: Uint8Array): string[] {
  const rows = JSON.parse(readSafetensors(file).metadata["rows"] ?? "") as { interaction_id: string }[];
  return rows.map((row) => row.interaction_id);
}

describe("shards of a batch", () => {
  it("count conversations without a reward once, and none of a refused batch", async () => {
    await ask({ shards: 1000, shard: 0 });
    for (const shard of [2, 0, 1]) await ask({ shards: 3, shard });
    const text = (await proxy.request({ url: "/metrics" }, null)).raw.toString();
    expect(text).toContain("\nrolltape_export_unrewarded_roots_total 9\n");
  });

  it("can be requested by each rank at the same time, and together are the whole batch", async () => {
    const parts = await Promise.all([0, 1, 2].map((shard) => ask({ shards: 3, shard })));
    expect(parts.map((part) => part.refusal)).toEqual(["200", "200", "200"]);
    const whole = rowIds((await ask({})).raw);
    expect(parts.flatMap((part) => rowIds(part.raw)).sort()).toEqual(whole.sort());
    expect((await ask({ shards: 3, shard: 1 })).raw.equals(parts[1]?.raw ?? Buffer.alloc(0))).toBe(true);
  });

  it("are separate files in shared memory", async () => {
    const { shards } = (await ask({ shards: 2, transport: "shm" })).json<{
      shards: { id: string; path: string; byte_length: number }[];
    }>();
    const bodies = await Promise.all([0, 1].map((shard) => ask({ shards: 2, shard })));
    shards.forEach((file, i) => {
      expect(readFileSync(file.path).equals(bodies[i]?.raw ?? Buffer.alloc(0))).toBe(true);
      expect(file.byte_length).toBe(bodies[i]?.raw.length);
    });
    const one = (await ask({ shards: 2, shard: 1, transport: "shm" })).json<{ path: string }>();
    expect(readFileSync(one.path).equals(bodies[1]?.raw ?? Buffer.alloc(0))).toBe(true);
    for (const { id } of shards) {
      expect((await proxy.request({ method: "DELETE", url: `/export_batch/${id}` })).refusal).toBe("200");
    }
  });

  it("keep their sessions until each rank has its shard, however few bytes may be retained", async () => {
    await proxy.close();
    proxy = await Proxy.start({ retention: { milliseconds: 60_000, bytes: 1 } });
    const session = await proxy.session();
    for (const content of ["a", "b", "c"]) await proxy.chat(session, [{ role: "user", content }]);
    await proxy.end(session);
    const take = (options: object) => proxy.post("/export_batch", { session_ids: [session.id], ...options });
    expect((await take({ shards: 3, shard: 2 })).refusal).toBe("200");
    expect((await take({ shards: 3, shard: 2 })).refusal).toBe("200");
    expect((await take({ shards: 3, shard: 0 })).refusal).toBe("200");
    expect((await take({ shards: 3, shard: 1 })).refusal).toBe("200");
    expect((await take({ shards: 3, shard: 1 })).refusal).toBe("410 session_exported");
  });

  it("are refused with the field's name if they are invalid, and the sessions stay exportable", async () => {
    const refusals = [{ shards: 2 }, { shards: 2, shard: 2 }, { shards: 0 }, { shard: 1 }, { shards: 10, shard: 0 }];
    const replies = await Promise.all(refusals.map(ask));
    const named = replies.map((reply) => {
      const { error } = reply.json<{ error: { param: string } }>();
      return `${reply.refusal} ${error.param}`;
    });
    expect(named).toEqual([
      "400 invalid_value shard",
      "400 invalid_value shard",
      "400 invalid_value shards",
      "400 invalid_value shard",
      "422 too_few_rows shards",
    ]);
    expect((await ask({ shards: 9, shard: 8 })).refusal).toBe("200");
  });
});
