import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";

/** Metrics of a server that must be 0 when the load is over and the exported sessions are no longer retained. */
const EMPTY_AT_END =
  /^(rolltape_session_bytes|rolltape_sessions\{state="(active|ended)"\}|rolltape_(gateway_)?body_bytes_in_flight|rolltape_engine_server_inflight_requests\{.*\}) (\S+)$/;

/** Waits until a server holds nothing of the load, or until time is up. Returns the metrics that are still not 0. */
export async function findLeftovers(url: string, settleSeconds: number): Promise<string[]> {
  const until = performance.now() + settleSeconds * 1000;
  for (;;) {
    const left = await readNotEmpty(url);
    if (left.length === 0 || performance.now() >= until) return left;
    await sleep(500);
  }
}

async function readNotEmpty(url: string): Promise<string[]> {
  const { body } = await request(`${url}/metrics`, { headers: { connection: "close" } });
  const lines = (await body.text()).split("\n");
  const samples = lines.filter((line) => EMPTY_AT_END.test(line));
  if (samples.length === 0) throw new Error(`${url}/metrics has none of the metrics that must be 0`);
  return samples.filter((line) => !line.endsWith(" 0"));
}
