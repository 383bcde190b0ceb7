import { join } from "node:path";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { rolltape, temporaryFolder } from "../cli/rolltape.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { readSample } from "../helpers/metrics-text.js";
import { until } from "../helpers/until.js";
import { takeAway } from "./returning-worker.js";
import { startScripted } from "./scripted-worker.js";
import { Gateway, startWorker } from "./workers.js";

/** Real processes: a worker that is killed by `kill -9` and starts again with its tag, at another address. */

const ADMIN = "sk-admin-of-many-workers";
const messages = [{ role: "user", content: "hello" }];

it("answers a call of OpenAI's SDK whose worker died, because the SDK sends it again", {
  timeout: 60_000,
}, async () => {
  const worker = await startWorker("one");
  const settings = { returnMilliseconds: 600_000, unreachableMilliseconds: 500 };
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, undefined, undefined, settings);
  const { id, key } = await gateway.session();
  const { engine } = worker.proxy;
  engine.hold();
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key });
  const answer = client.chat.completions.create({ model: "tiny", messages: [{ role: "user", content: "hello" }] });
  await until(() => engine.calls.length === 1);
  const comeBack = await takeAway(worker);
  await until(() => gateway.pool.waiting === 1);
  engine.pass();
  await comeBack();
  expect((await answer).choices).toHaveLength(1);
  const session = await gateway.get(`/rl/sessions/${id}`);
  expect(session.json()).toMatchObject({ interaction_count: 1 });
});

it("keeps bodies for which there is no room in memory", { timeout: 60_000 }, async () => {
  const path = "/v1/chat/completions";
  const answer = () => ({ body: {} });
  const worker = await startScripted("one", { [path]: answer });
  const settings = { returnMilliseconds: 600_000, unreachableMilliseconds: 500 };
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, undefined, undefined, settings);
  await worker.kill();
  // All waiting bodies together get the share of one sender, less than 64 MiB by default.
  const texts = ["x", "y"].map((letter) => letter.repeat(40 << 20));
  const calls = texts.map((text) => gateway.chat("sk-one.0123456789abcdef", text));
  await until(() => gateway.pool.waiting === 2);
  const back = await startScripted("one", { [path]: answer }, 0, worker.port);
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  const received = back.calls.map(({ body }) => JSON.stringify(body).length);
  expect(received).toEqual(texts.map((text) => JSON.stringify({ messages: [{ role: "user", content: text }] }).length));
});

it("forwards calls that came while the worker was away", { timeout: 60_000 }, async () => {
  const folder = join(temporaryFolder(), "workers");
  const env = { ROLLTAPE_ADMIN_API_KEY: ADMIN };
  const serve = async () => {
    const server = rolltape(
      ["serve", "server.port=0", "server.worker_tag=one", `server.workers_folder=${folder}`],
      env,
    );
    return { server, ...(await server.ready()) };
  };
  const first = await serve();
  const gateway = rolltape(["gateway", "server.port=0", `gateway.workers_folder=${folder}`], env);
  const { url } = await gateway.line<{ url: string }>();
  const { key } = await new HttpTrainer(url, ADMIN).openSession();
  first.server.process.kill("SIGKILL");
  await first.server.ended;

  const call = fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages, max_tokens: 2 }),
  });
  const readMetrics = async () =>
    (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ADMIN}` } })).text();
  await expect.poll(async () => readSample(await readMetrics(), "rolltape_gateway_waiting_requests")).toBe(1);
  const second = await serve();
  expect(second.url).not.toBe(first.url);
  // The new process has no storage, so it does not know the session. Only the worker itself can tell.
  const reply = await call;
  expect([reply.status, await reply.json()]).toMatchObject([401, { error: { code: "invalid_api_key" } }]);
});
