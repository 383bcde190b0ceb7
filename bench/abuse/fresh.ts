import { spawnSync } from "node:child_process";
import { request } from "undici";
import { readLoopDelay } from "../proxy/loop-delay.js";
import { ADMIN_KEY, startProxy } from "../servers.js";

/**
 * Starts a server, sends it one request as the first model call of the process, and stops it.
 *
 * @param send sends the request with a session key, and resolves when it was answered
 * @returns the stall of the server's event loop in milliseconds
 */
export async function stallOfFirst(
  engineUrl: string,
  args: readonly string[],
  send: (victim: { readonly url: string; readonly key: string }) => Promise<unknown>,
): Promise<number> {
  const proxy = await startProxy({ engineUrl, connections: 64, args });
  const readStall = async () => {
    const { body } = await request(`${proxy.url}/metrics`);
    return readLoopDelay(await body.text()).max;
  };
  try {
    const order = async (path: string) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${ADMIN_KEY}` };
      const { body } = await request(proxy.url + path, { method: "POST", headers, body: "{}" });
      return body.json();
    };
    await order("/grant_capacity");
    const { session_api_key: key } = (await order("/rl/start_session")) as { session_api_key: string };
    favor(proxy.pid);
    // Each scrape begins anew.
    await readStall();
    await send({ url: proxy.url, key });
    return await readStall();
  } finally {
    await proxy.stop();
  }
}

/**
 * Gives all threads of a process real-time priority, if the system allows it. Otherwise the stalls would include waits for a
 * processor. The kernel takes 50 ms of each second from such threads, but only if they use the whole second.
 */
function favor(pid: number): void {
  spawnSync("chrt", ["--all-tasks", "--rr", "--pid", "1", String(pid)]);
}
