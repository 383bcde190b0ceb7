import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { rolltape } from "../../cli/rolltape.js";
import { mountSmallDisk } from "../../helpers/small-disk.js";

/** A server that stops while the disk refuses its last changes. */

vi.setConfig({ testTimeout: 60_000 });

const KEY = "sk-admin-of-a-full-disk";

it("exits with status 3 and names the sessions whose changes the disk refused", async ({ skip }) => {
  const disk = mountSmallDisk(12);
  if (!disk) return skip("only root may mount a small file system");
  onTestFinished(() => disk.remove());
  const settings = ["server.port=0", "server.log_level=error", `storage.directory=${join(disk.folder, "storage")}`];
  const server = rolltape(["serve", ...settings], { ROLLTAPE_ADMIN_API_KEY: KEY });
  const { url } = await server.ready();
  const post = async (path: string, key: string, body: object) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const reply = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: reply.status, body: (await reply.json()) as Record<string, string> };
  };
  await post("/grant_capacity", KEY, { slots: 2 });
  const { body: kept } = await post("/rl/start_session", KEY, { task_id: "kept" });
  const { body: lost } = await post("/rl/start_session", KEY, { task_id: "lost" });
  const call = (session: Record<string, string>) =>
    post("/v1/responses", session["session_api_key"] ?? "", { model: "tiny", input: "a", max_output_tokens: 2 });
  expect([await call(kept), await call(lost)]).toMatchObject([{ status: 200 }, { status: 200 }]);
  disk.fill();
  expect(await call(lost)).toMatchObject({ status: 503 });
  server.process.kill("SIGTERM");
  const { code, stderr } = await server.ended;
  const line = stderr.split("\n").find((each) => each.includes("lostChanges")) ?? "{}";
  expect(JSON.parse(line)).toMatchObject({
    lostChanges: expect.any(Number),
    lostSessions: 1,
    ids: [lost["session_id"]],
    reason: "The server cannot write to its storage: the disk is full.",
    causes: [
      "the disk is full",
      expect.stringMatching(/\/storage needs \d+ free bytes on its disk, but \d+ are free$/),
    ],
    msg: "server stopped with changes that the storage refused; they are lost",
  });
  expect(code).toBe(3);
});
