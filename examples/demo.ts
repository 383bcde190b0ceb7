import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { pino } from "pino";
import { connectProxy, parseConfig, resolveWorkflow, startServer } from "rolltape";
import { report } from "./demo-report.js";
import { haikuAgent } from "./haiku-agent.js";

/** The main job, end to end: episodes through the proxy, rewards, one discounted batch in out/batch.safetensors. */

const SUBJECTS = [
  "rain",
  "a frog",
  "the moon",
  "old roads",
  "a kettle",
  "snow",
  "crows",
  "the sea",
  "moss",
  "a clock",
  "ash",
  "dew",
];
const DISCOUNT = 0.9;
const OUTPUT = "out/batch.safetensors";

const started = performance.now();
const adminKey = `sk-admin-${randomBytes(24).toString("base64url")}`;
const config = parseConfig({ server: { port: 0 }, rollout: { agent: { chat_template_type: "concat" } } });
const server = await startServer(config, { adminKey, logger: pino({ level: "warn" }, pino.destination(2)) });
const proxy = connectProxy({ url: server.url, adminKey });
const workflow = await resolveWorkflow(haikuAgent);

const sessionIds: string[] = [];
const rewards: number[] = [];

/** Runs one agent; its session keeps its data for the batch. */
async function runEpisode(index: number, subject: string): Promise<void> {
  const { accepted, rejected } = await workflow.arunEpisode(proxy, subject, { taskId: "haiku", export: "deferred" });
  for (const { reason } of rejected) throw reason;
  for (const { sessionId, rewards: given } of accepted) {
    sessionIds[index] = sessionId;
    rewards[index] = [...given.values()].at(-1) ?? 0;
  }
  const done = rewards.filter((each) => each !== undefined);
  const mean = done.reduce((sum, each) => sum + each, 0) / done.length;
  console.error(`episodes ${done.length}/${SUBJECTS.length}  reward mean ${mean.toFixed(3)}`);
}

/** As many episodes at once as there are cores, in order. */
async function runAll(): Promise<void> {
  const queue = SUBJECTS.entries();
  const worker = async () => {
    for (const [index, subject] of queue) await runEpisode(index, subject);
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
}

try {
  await runAll();
  const batch = await proxy.admin.exportBatch(sessionIds, { discount: DISCOUNT, pad_to_multiple_of: 8 });
  await mkdir("out", { recursive: true });
  await writeFile(OUTPUT, batch);
  console.log(
    report({ batch, file: OUTPUT, rewards, discount: DISCOUNT, seconds: (performance.now() - started) / 1000 }),
  );
} finally {
  await proxy.close();
  await server.close();
}
