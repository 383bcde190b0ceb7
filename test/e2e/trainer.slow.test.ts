import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, Proxy, type StartedSession } from "../helpers/proxy.js";
import { noPython } from "../helpers/python.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { sharedDirectory } from "../helpers/shared-directory.js";

const PROGRAM = fileURLToPath(new URL("../../examples/trainer.py", import.meta.url));
const run = promisify(execFile);

interface Summary {
  readonly rows: readonly string[];
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly trained_tokens: number;
  readonly mean_logprob: number;
  readonly rewards: readonly number[];
}

/** Returns the expected output of the program for a batch. It is computed from the same batch, exported as a body. */
function expected(body: Uint8Array): Summary {
  const { metadata, tensors } = readSafetensors(body);
  const data = (name: string) => (tensors[name]?.data ?? []).map(Number);
  const trained = data("loss_mask").reduce((sum, each) => sum + each, 0);
  const rows = JSON.parse(metadata["rows"] ?? "") as { interaction_id: string }[];
  return {
    rows: rows.map((row) => row.interaction_id),
    shapes: Object.fromEntries(Object.entries(tensors).map(([name, { shape }]) => [name, shape])),
    trained_tokens: trained,
    mean_logprob: data("logprobs").reduce((sum, each) => sum + each, 0) / Math.max(trained, 1),
    rewards: data(metadata["layout"] === "tree" ? "node_rewards" : "rewards"),
  };
}

// With -S, Python sees no installed packages, so it is tested without PyTorch, too.
describe.skipIf(noPython).each([
  ["the standard library alone", ["-I", "-S"]],
  ["what is installed", []],
])("examples/trainer.py with %s", (_, options) => {
  let directory: string;
  let proxy: Proxy;
  let url: string;
  let sessions: StartedSession[];

  beforeEach(async () => {
    directory = sharedDirectory();
    proxy = await Proxy.start({ settings: { sharedMemory: { directory, maxBytes: 64 << 20 } } });
    url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    sessions = [];
    for (const subject of ["a", "b"]) {
      const session = await proxy.session();
      for (let call = 0; call < 3; call++) await proxy.chat(session, [{ role: "user", content: `${subject} ${call}` }]);
      await proxy.reward(session, 0.5);
      await proxy.end(session);
      sessions.push(session);
    }
  });
  afterEach(() => proxy.close());

  async function train(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Summary> {
    const ids = sessions.map(({ id }) => id);
    const { stdout } = await run("python3", [...options, PROGRAM, url, ...ids, ...args], {
      env: { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY, ...env },
    });
    return JSON.parse(stdout) as Summary;
  }

  async function body(request: object): Promise<Uint8Array> {
    const reply = await proxy.post("/export_batch", {
      session_ids: sessions.map(({ id }) => id),
      pad_to_multiple_of: 16,
      ...request,
    });
    expect(reply.refusal).toBe("200");
    return reply.raw;
  }

  it.each(["padded", "packed", "tree"])("reads a %s batch unchanged, and acknowledges it", async (layout) => {
    expect(await train(["--layout", layout, "--discount", "0.5"])).toEqual(
      expected(await body({ layout, discount: 0.5 })),
    );
    expect(proxy.context.sharedExports.size).toBe(0);
    expect(readdirSync(directory).filter((name) => name.endsWith(".safetensors"))).toEqual([]);
  });

  it("reads each rank's own shard", async () => {
    const whole = expected(await body({}));
    const shards = [await train([], { WORLD_SIZE: "2", RANK: "0" }), await train(["--shards", "2", "--shard", "1"])];
    for (const [shard, summary] of shards.entries())
      expect(summary).toEqual(expected(await body({ shards: 2, shard })));
    expect(shards.flatMap(({ rows }) => rows).toSorted()).toEqual(whole.rows.toSorted());
    expect(proxy.context.sharedExports.size).toBe(0);
  });

  it("reads a batch without rows", async () => {
    sessions = [await proxy.session()];
    for (const session of sessions) await proxy.end(session);
    expect(await train([])).toMatchObject({ rows: [], trained_tokens: 0, rewards: [] });
  });

  it("ends with the proxy's reason if the export is refused", async () => {
    const refused = { code: 1, stdout: "", stderr: expect.stringContaining("too_few_rows: ") as string };
    await expect(train(["--shards", "7"])).rejects.toMatchObject(refused);
    await expect(train([], { ROLLTAPE_ADMIN_API_KEY: "" })).rejects.toMatchObject({ code: 1 });
  });
});
