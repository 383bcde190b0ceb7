// A controller for tests. It waits until every rollout worker is done or lost, then writes one batch of the finished episodes.
// Usage: controller.mjs FOLDER GATEWAY_URL
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [folder, url] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(join(folder, file), "utf8"));

const over = () =>
  read("processes.json")
    .filter(({ role }) => role === "rollout")
    .every(({ state }) => state === "done" || state === "lost");
while (!over()) await sleep(100);

async function exportBatch(session_ids) {
  return fetch(`${url}/export_batch`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.ROLLTAPE_ADMIN_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ session_ids, style: "concat", on_mismatch: "split" }),
  });
}

const episodes = readdirSync(join(folder, "episodes"))
  .filter((name) => name.endsWith(".json"))
  .map((name) => read(`episodes/${name}`))
  .sort((a, b) => a.task - b.task);
let ids = episodes.flatMap(({ session_id }) => session_id ?? []);
let reply = await exportBatch(ids);
if (reply.status === 503) {
  const lost = new Set((await reply.json()).error.sessions.map(({ session_id }) => session_id));
  ids = ids.filter((id) => !lost.has(id));
  reply = await exportBatch(ids);
}
if (!reply.ok) throw new Error(await reply.text());
writeFileSync(join(folder, "batch.safetensors"), Buffer.from(await reply.arrayBuffer()));
