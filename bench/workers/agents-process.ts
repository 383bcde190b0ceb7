import { json } from "node:stream/consumers";
import { Pool } from "undici";
import { assistant, body, history, SIZES, user } from "../proxy/bodies.js";
import { serveUntilTerminated } from "../serve-until-terminated.js";
import type { Load, Target } from "./load.js";

/**
 * Agents in a process of their own. `POST /` with a {@link Load} runs it and answers with the number of calls. Each call is the next turn
 * of a session, whose history was recorded before: the same messages and a new short one.
 */

const pools = new Map<string, Pool>();
const turns = new Map<string, Promise<() => string>>();

serveUntilTerminated((request, response) => {
  const answer = async () => {
    const calls = await run((await json(request)) as Load);
    response.end(JSON.stringify({ calls }));
  };
  answer().catch((error: Error) => response.writeHead(500).end(error.message));
});

/** Makes calls in all sessions at once, one at a time in each. Returns how many were answered. */
async function run({ targets, seconds }: Load): Promise<number> {
  const agents = await Promise.all(
    targets.map(async (target, index) => ({ target, next: await prepareOnce(target, index) })),
  );
  const until = performance.now() + seconds * 1000;
  const counts = await Promise.all(
    agents.map(async ({ target, next }) => {
      let calls = 0;
      for (; performance.now() < until; calls++) await chat(target, next());
      return calls;
    }),
  );
  return counts.reduce((sum, calls) => sum + calls, 0);
}

function prepareOnce(target: Target, seed: number): Promise<() => string> {
  const known = turns.get(target.key) ?? prepare(target, seed);
  turns.set(target.key, known);
  return known;
}

/** Records the history of a session. Returns a function that makes the bodies of its next turns. */
async function prepare(target: Target, seed: number): Promise<() => string> {
  const messages = history(SIZES.small, seed);
  const { choices } = JSON.parse(await chat(target, body(messages))) as {
    choices: [{ message: { content: string } }];
  };
  const next = body([...messages, assistant(choices[0].message.content), user("@NEXT@")]);
  const [head = "", tail = ""] = next.split("@NEXT@");
  let turn = 0;
  return () => `${head}and number ${turn++}?${tail}`;
}

async function chat({ url, key }: Target, text: string): Promise<string> {
  const reply = await poolOf(url).request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: text,
  });
  const answer = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${url} answered ${reply.statusCode}: ${answer.slice(0, 500)}`);
  return answer;
}

function poolOf(url: string): Pool {
  const pool = pools.get(url) ?? new Pool(url, { connections: null, headersTimeout: 0, bodyTimeout: 0 });
  pools.set(url, pool);
  return pool;
}
