import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ARRIVALS_PER_SECOND, CALLS } from "./plan.js";

/** Outcomes of the calls. */
export interface Outcome {
  answered: number;
  /** Incomplete answers and answers with another status than 200, by cause. */
  readonly failed: Map<string, number>;
}

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

/** Opens all calls at the planned rate, every second one streamed, and waits for their answers. */
export async function openCalls(url: string, keys: readonly string[]): Promise<Outcome> {
  const outcome: Outcome = { answered: 0, failed: new Map() };
  const started = performance.now();
  const calls: Promise<void>[] = [];
  for (let n = 0; n < CALLS; n++) {
    const due = started + (n / ARRIVALS_PER_SECOND) * 1000;
    if (due > performance.now() + 1) await sleep(due - performance.now());
    calls.push(runCall(url, keys[n % keys.length] ?? "", n, outcome));
  }
  await Promise.all(calls);
  return outcome;
}

async function runCall(url: string, key: string, n: number, outcome: Outcome): Promise<void> {
  const stream = n % 2 === 0;
  const body = JSON.stringify({ messages: [{ role: "user", content: `question ${n}` }], max_tokens: 64, stream });
  try {
    const { status, text } = await post(`${url}/v1/chat/completions`, key, body);
    const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}");
    if (status !== 200 || !isWhole) throw new Error(status === 200 ? "cut answer" : `status ${status}`);
    outcome.answered++;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const cause = code ?? message;
    outcome.failed.set(cause, (outcome.failed.get(cause) ?? 0) + 1);
  }
}

/** Sends a request on a new connection and returns the answer. */
function post(url: string, key: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      authorization: `Bearer ${key}`,
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
