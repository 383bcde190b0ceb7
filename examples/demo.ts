import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { SingleBar } from "cli-progress";
import OpenAI from "openai";
import { pino } from "pino";
import { parseConfig, startServer } from "rolltape";
import { Admin } from "./admin.js";
import { report } from "./demo-report.js";
import { scoreHaiku, writeHaiku } from "./haiku-agent.js";

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
const TURNS = 4;
const DISCOUNT = 0.9;
const OUTPUT = "out/batch.safetensors";

const started = performance.now();
const adminKey = `sk-admin-${randomBytes(24).toString("base64url")}`;
const config = parseConfig({ server: { port: 0 }, rollout: { agent: { chat_template_type: "concat" } } });
const server = await startServer(config, { adminKey, logger: pino({ level: "warn" }, pino.destination(2)) });
const admin = new Admin(server.url, adminKey);

const bar = new SingleBar({
  format: "episodes {bar} {value}/{total}  reward mean {mean}",
  hideCursor: true,
  noTTYOutput: true,
});
const rewards: number[] = [];
bar.start(SUBJECTS.length, 0, { mean: "-" });

async function runEpisode(index: number, session_api_key: string): Promise<void> {
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: session_api_key, maxRetries: 0 });
  const drafts = await writeHaiku(client, server.model, SUBJECTS[index] ?? "nothing", TURNS);
  const reward = scoreHaiku(drafts);
  await admin.post("/rl/set_reward", { reward }, session_api_key);
  await admin.post("/rl/end_session", {}, session_api_key);
  rewards[index] = reward;
  const done = rewards.filter((each) => each !== undefined);
  bar.update(done.length, { mean: (done.reduce((sum, each) => sum + each, 0) / done.length).toFixed(3) });
}

/** As many episodes at once as there are cores, in order. */
async function runAll(): Promise<string[]> {
  const sessions: { session_id: string; session_api_key: string }[] = [];
  for (const _ of SUBJECTS) sessions.push(await admin.startSession("haiku"));
  const queue = sessions.entries();
  const worker = async () => {
    for (const [index, { session_api_key }] of queue) await runEpisode(index, session_api_key);
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  return sessions.map((session) => session.session_id);
}

try {
  const session_ids = await runAll();
  bar.stop();
  const reply = await admin.post("/export_batch", { session_ids, discount: DISCOUNT, pad_to_multiple_of: 8 });
  const batch = new Uint8Array(await reply.arrayBuffer());
  await mkdir("out", { recursive: true });
  await writeFile(OUTPUT, batch);
  console.log(
    report({ batch, file: OUTPUT, rewards, discount: DISCOUNT, seconds: (performance.now() - started) / 1000 }),
  );
} finally {
  bar.stop();
  await server.close();
}
