import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { cpuSecondsOf, startChild } from "../../kit/processes.js";
import type { Row } from "../../kit/report.js";
import { ADMIN_KEY, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";

const PROXIES = sized([4, 100], [2], [4, 50]);
const SESSIONS = sized(2000, 8, 600);
const CONCURRENCY = 32;
const IDLE_SECONDS = sized(20, 1, 8);

/** A real gateway in front of simulated proxies: a grant, a start and an end of each session, and its health checks of idle proxies. */
export async function measureGateway(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const proxies of PROXIES) rows.push(await measure(proxies));
  return rows;
}

async function measure(proxies: number): Promise<Row> {
  const simulated = await startScript(new URL("../simulated-proxies.ts", import.meta.url), `${proxies}`);
  const urls = simulated.url.split(",");
  const args = [
    "dist/cli/main.js",
    "gateway",
    "server.port=0",
    "server.log_level=error",
    `gateway.workers=[${urls.join()}]`,
  ];
  const gateway = await startChild(process.execPath, args, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
  const pool = new Pool(gateway.url, { connections: CONCURRENCY });
  const post = async (path: string, key: string, body: object): Promise<{ api_key?: string }> => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const reply = await pool.request({ path, method: "POST", headers, body: JSON.stringify(body) });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`the gateway answered ${reply.statusCode}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as { api_key?: string };
  };
  const runSession = async () => {
    await post("/grant_capacity", ADMIN_KEY, { slots: 1 });
    const { api_key: key = "" } = await post("/rl/start_session", ADMIN_KEY, { task_id: "task" });
    await post("/rl/end_session", key, {});
  };
  const runAll = async (count: number) => {
    let left = count;
    const work = async () => {
      while (left-- > 0) await runSession();
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  };
  try {
    await runAll(Math.ceil(SESSIONS / 4));
    const busy = cpuSecondsOf(gateway.pid);
    await runAll(SESSIONS);
    const perSession = ((cpuSecondsOf(gateway.pid) - busy) * 1000) / SESSIONS;
    const idle = cpuSecondsOf(gateway.pid);
    await sleep(IDLE_SECONDS * 1000);
    const perSecond = ((cpuSecondsOf(gateway.pid) - idle) * 1000) / IDLE_SECONDS;
    const measured = `CPU ${perSession.toFixed(2)} ms a session; idle ${perSecond.toFixed(1)} ms a second`;
    return { what: `gateway with ${proxies} proxies: grant, start, end`, measured, reference: "" };
  } finally {
    await pool.destroy();
    await gateway.stop();
    await simulated.stop();
  }
}
