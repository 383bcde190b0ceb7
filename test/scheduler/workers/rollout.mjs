// A rollout worker for tests. It runs its share of the tasks one by one through the gateway, and writes the outcome of each
// into the job's folder. Usage: rollout.mjs FOLDER INDEX WORKERS TASKS GATEWAY_URL MILLISECONDS_PER_TURN
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [folder, index, workers, tasks, url, pause] = process.argv.slice(2);
const episodes = join(folder, "episodes");
mkdirSync(episodes, { recursive: true });

async function post(path, body, key = process.env.ROLLTAPE_ADMIN_API_KEY) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(answer.error.code);
  return answer;
}

async function episode(task) {
  await post("/grant_capacity", {});
  const { session_id, session_api_key: key } = await post("/rl/start_session", { task_id: `task-${task}` });
  for (let turn = 0; turn < 3; turn++) {
    const messages = [{ role: "user", content: `Task ${task}, turn ${turn}` }];
    await post("/v1/chat/completions", { messages, max_tokens: 4 }, key);
    await sleep(Number(pause));
  }
  await post("/rl/set_reward", { reward: task }, key);
  await post("/rl/end_session", {}, key);
  return { session_id };
}

for (let task = Number(index); task < Number(tasks); task += Number(workers)) {
  const outcome = await episode(task).catch((error) => ({ error: error.message }));
  const file = join(episodes, `${task}.json`);
  writeFileSync(`${file}.new`, JSON.stringify({ task, worker: Number(index), ...outcome }));
  renameSync(`${file}.new`, file);
}
