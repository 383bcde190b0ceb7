import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { NODE_ARGUMENTS } from "../../../src/cli/node-arguments.js";
import type { Overview } from "../../../src/view/api.js";
import { ADMIN_KEY as MANY_SESSIONS_KEY } from "../../../test/helpers/proxy.js";
import type { Verdict } from "../../export/row.js";
import { MemoryCgroup } from "../../full/memory-cgroup.js";
import { type Child, readResources } from "../../processes.js";
import { ADMIN_KEY, startProxy, startScript } from "../../servers.js";
import { sized } from "../../sized.js";
import { percentile } from "../../text.js";
import { readAddress } from "../../view/viewer-process.js";
import type { Work } from "../honest-agents.js";
import { repeatRequest } from "../repeated-request.js";
import { type Scenario, type Scene, startSession } from "./scene.js";

const CHAT = "/v1/chat/completions";
const SESSIONS = sized(100_000, 400, 20_000);
const EMOJI = sized(2_000_000, 2000);
const CONTAINER_MIB = 512;
const RESIDENT_TARGET_MIB = 512;
const UI_TARGET_MS = 20;
const ENGINE = new URL("endless-engine-process.ts", import.meta.url);
const MANY_SESSIONS = fileURLToPath(new URL("../../view/many-sessions.ts", import.meta.url));

const LOST_CALLS = "honest calls that are lost";

function judgeLostCalls({ refused }: Work): Verdict {
  return { value: refused, target: 0, bound: "at most", unit: "" };
}

const chatBody = (content: string, maxTokens: number) =>
  JSON.stringify({ messages: [{ role: "user", content }], max_tokens: maxTokens });

/** Counts the answers to a request that is sent again and again, four times at once. */
function repeat(name: string, body: string, key?: string) {
  const answers = new Map<string, number>();
  const attack = repeatRequest({ name, path: CHAT, body: () => body, ...(key !== undefined && { key }) });
  const count = (answer: string) => void answers.set(answer, (answers.get(answer) ?? 0) + 1);
  return {
    run: (url: string, sessionKey: string, signal: AbortSignal) => attack.run({ url, key: sessionKey }, signal, count),
    describe: () =>
      answers.size === 0 ? "no answer" : [...answers].map(([answer, times]) => `${times} × ${answer}`).join(", "),
  };
}

async function openSession(url: string): Promise<string> {
  const pool = new Pool(url);
  try {
    return await startSession(pool, ADMIN_KEY);
  } finally {
    await pool.close();
  }
}

/** Starts a gateway whose standard error nobody reads. */
async function startUnreadGateway(build: string, worker: string): Promise<{ child: ChildProcess; url: string }> {
  const command = ["gateway", "server.port=0", `gateway.workers=${worker}`];
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, `${build}/cli/main.js`, ...command], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY },
  });
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line) as { url: string };
    return { child, url };
  }
  throw new Error("the gateway ended before it was ready");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const FORGED_TAGS: Scenario = {
  name: "calls with a forged tag, to a gateway whose log nobody reads",
  figure: LOST_CALLS,
  start: async (build) => {
    const engine = await startScript(ENGINE);
    const proxy = await startProxy({ engineUrl: engine.url, connections: 64, build });
    const { child, url } = await startUnreadGateway(build, proxy.url);
    const { run, describe } = repeat("forged tags", chatBody("hello", 8), "sk-forged0.0123456789abcdef");
    return {
      url,
      adminKey: ADMIN_KEY,
      attack: (signal) => run(url, "", signal),
      describe,
      judge: judgeLostCalls,
      stop: async () => {
        await end(child);
        await proxy.stop();
        await engine.stop();
      },
    };
  },
};

const ENDLESS_REPLY: Scenario = {
  name: "an engine whose replies to one session never end",
  figure: "resident memory of the server",
  start: async (build) => {
    const engine = await startScript(ENGINE);
    const proxy = await startProxy({ engineUrl: engine.url, connections: 64, build });
    const key = await openSession(proxy.url);
    const { run, describe } = repeat("endless replies", chatBody("hello", 7));
    return {
      url: proxy.url,
      adminKey: ADMIN_KEY,
      attack: (signal) => run(proxy.url, key, signal),
      describe,
      judge: () => {
        const value = readResources(proxy.pid).mebibytes;
        return { value, target: RESIDENT_TARGET_MIB, bound: "at most", unit: " MiB" };
      },
      stop: async () => {
        await proxy.stop();
        await engine.stop();
      },
    };
  },
};

const EMOJI_BODIES: Scenario = {
  name: `bodies of ${EMOJI} emoji, in a container of ${CONTAINER_MIB} MiB`,
  figure: LOST_CALLS,
  start: async (build) => {
    let cgroup: MemoryCgroup;
    try {
      cgroup = MemoryCgroup.create(CONTAINER_MIB << 20);
    } catch {
      return "needs root and memory cgroups";
    }
    const engine = await startScript(ENGINE);
    const wrap = cgroup.wrap.bind(cgroup);
    const proxy: Child = await startProxy({ engineUrl: engine.url, connections: 64, build, wrap });
    const key = await openSession(proxy.url);
    const { run, describe } = repeat("emoji", chatBody("\u{1f600}".repeat(EMOJI), 8));
    return {
      url: proxy.url,
      adminKey: ADMIN_KEY,
      attack: (signal) => run(proxy.url, key, signal),
      describe: () => (cgroup.kills > 0 ? "the kernel killed the server" : describe()),
      judge: judgeLostCalls,
      stop: async () => {
        await proxy.stop();
        await engine.stop();
        cgroup.remove();
      },
    };
  },
};

/** The server of this scenario runs from the sources. */
const MANY_SESSIONS_AT_UI: Scenario = {
  name: `/ui of ${SESSIONS} sessions, loaded again and again`,
  figure: "99% of honest calls",
  start: async (): Promise<Scene> => {
    const child = spawn(process.execPath, [...process.execArgv, MANY_SESSIONS, `--sessions=${SESSIONS}`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const url = new URL(await readAddress(child)).origin;
    const headers = { authorization: `Bearer ${MANY_SESSIONS_KEY}` };
    let pages = 0;
    const load = async (signal: AbortSignal) => {
      for (let [after, more] = [0, true]; more && !signal.aborted; ) {
        const page = await fetch(`${url}/ui/api/overview?after=${after}`, { headers });
        ({ revision: after, more } = (await page.json()) as Overview);
        pages++;
      }
    };
    return {
      url,
      adminKey: MANY_SESSIONS_KEY,
      attack: async (signal) => {
        while (!signal.aborted) await load(signal);
      },
      describe: () => `${pages} pages`,
      judge: ({ times }) => ({ value: percentile(times, 0.99), target: UI_TARGET_MS, bound: "at most", unit: " ms" }),
      stop: () => end(child),
    };
  },
};

/** Attacks that once stopped a process, or the calls of others. */
export const SCENARIOS: readonly Scenario[] = [FORGED_TAGS, ENDLESS_REPLY, EMOJI_BODIES, MANY_SESSIONS_AT_UI];
