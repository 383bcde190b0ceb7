import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** An address in front of a server. While it is stopped, it behaves like the address of a stopped process (SIGSTOP). */
export interface StoppableAddress {
  readonly url: string;
  /** From now on, connections are accepted, but nothing on any connection is read or answered. */
  stop(): void;
  /** Breaks all connections and refuses new ones. */
  close(): Promise<void>;
  /** Continues every connection where it stopped. */
  go(): void;
}

export async function stoppableAddress(target: string): Promise<StoppableAddress> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isStopped = false;
  const server = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port: Number(new URL(target).port) });
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on("error", () => undefined);
      one.once("close", () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
    if (!isStopped) join(pair);
  });
  const join = ([near, far]: readonly [Socket, Socket]) => near.pipe(far).pipe(near);
  const part = ([near, far]: readonly [Socket, Socket]) => {
    near.unpipe(far).pause();
    far.unpipe(near).pause();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const [near] of pairs) near.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      isStopped = true;
      pairs.forEach(part);
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await closed;
    },
    go: () => {
      isStopped = false;
      pairs.forEach(join);
    },
  };
}
