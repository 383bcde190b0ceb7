import { Agent, request, setGlobalDispatcher } from "undici";

setGlobalDispatcher(new Agent({ headersTimeout: 0, bodyTimeout: 0 }));

/** Sends a request and returns its answer's text. Throws for any status but 200. */
export async function post(url: string, path: string, key: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const reply = await request(url + path, { method: "POST", headers, body });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${path} was answered with ${reply.statusCode}: ${text.slice(0, 500)}`);
  return text;
}

/** Sends `count` numbered requests, `atOnce` of them at the same time. */
export async function postAll(
  atOnce: number,
  count: number,
  send: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
