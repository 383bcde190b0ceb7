import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string as it is. */
  readonly body?: object | string;
}

const UNKNOWN: ScriptedAnswer = { status: 404, body: { error: { message: "no script", code: "not_found" } } };

/** What the worker says to a call; "broken": it takes the call and closes the connection. */
export type Script = (body: Record<string, unknown>) => Said | Promise<Said>;

type Said = ScriptedAnswer | "broken";

export interface ScriptedWorker {
  readonly url: string;
  readonly port: number;
  readonly tag: string;
  /** Breaks all connections and takes no more of them, like a process that is killed. */
  readonly kill: () => Promise<void>;
  /** Path and body of each call but probes, in order. */
  readonly calls: readonly { readonly path: string; readonly body: Record<string, unknown> }[];
}

/**
 * A worker that returns the answers of a test, by path. Its health check reports `ok` and the given number of free slots, unless
 * the test has an answer for `/health`.
 *
 * @param port default: any free one
 */
export async function startScripted(
  tag: string,
  scripts: Readonly<Record<string, Script>>,
  capacity = 0,
  port = 0,
  host = "127.0.0.1",
): Promise<ScriptedWorker> {
  const calls: { path: string; body: Record<string, unknown> }[] = [];
  const answer = async (request: IncomingMessage, reply: ServerResponse) => {
    const path = request.url ?? "";
    if (path === "/livez") return void reply.end(JSON.stringify({ status: "ok" }));
    if (path === "/health") {
      const said = await scripts[path]?.({});
      const usual = { status: "ok", worker: { tag, capacity, sessions: 0 } };
      return void reply.end(JSON.stringify(said === undefined || said === "broken" ? usual : said.body));
    }
    const body = JSON.parse((await textOf(request)) || "{}") as Record<string, unknown>;
    calls.push({ path, body });
    const said = (await scripts[path]?.(body)) ?? UNKNOWN;
    if (said === "broken") return void request.socket.destroy();
    const text = typeof said.body === "string" ? said.body : JSON.stringify(said.body ?? {});
    reply.writeHead(said.status ?? 200, { "content-type": "application/json", ...said.headers }).end(text);
  };
  const server = createServer((request, reply) => void answer(request, reply));
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const kill = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(kill);
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`, port: bound, tag, calls, kill };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += String(part);
  return text;
}
