import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { type ConnectedProxy, connectProxy } from "../../src/rollout/connect.js";
import { ADMIN_KEY, Proxy, type ProxyOptions } from "./proxy.js";
import type { ScriptedEngine } from "./scripted-engine.js";

export interface ListeningProxy<E extends Engine> {
  readonly proxy: Proxy<E>;
  readonly url: string;
  /** Its address, admin key and connections, in the form that episodes need. */
  readonly engine: ConnectedProxy;
}

/** Starts a listening proxy and a trainer's connections to it. Both are closed when the test ends. */
export async function listeningProxy<E extends Engine = ScriptedEngine>(
  options: ProxyOptions<E> = {},
): Promise<ListeningProxy<E>> {
  const proxy = await Proxy.start(options);
  await proxy.app.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(proxy.app.server.address() as AddressInfo).port}`;
  const engine = connectProxy({ url, adminKey: ADMIN_KEY });
  onTestFinished(async () => {
    await engine.close();
    await proxy.close();
  });
  return { proxy, url, engine };
}
