import { beforeEach, describe, expect, it } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { readSample } from "../helpers/metrics-text.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** Requests that Fastify refuses before routing are answered, counted and closed like all others. */

const KEY = `x-api-key: ${ADMIN_KEY}`;
const MEBIBYTE = 1 << 20;

interface Place {
  readonly port: string;
  /** Reads samples of `/metrics`. */
  readonly read: (series: string) => Promise<number | undefined>;
}

let server: Place;
let gateway: Place;
beforeEach(async () => {
  const worker = await startWorker("one");
  const started = await Gateway.start({ urls: [worker.url] });
  const metrics = async () => (await worker.proxy.request({ url: "/metrics" })).raw.toString();
  server = { port: new URL(worker.url).port, read: async (series) => readSample(await metrics(), series) };
  gateway = {
    port: new URL(started.url).port,
    read: async (series) => readSample((await started.get("/metrics")).raw.toString(), series),
  };
});

/** Resolves to the body of an answer once the server has closed the connection. */
async function askAndClose({ port }: Place, head: string): Promise<{ status: number; error: Record<string, unknown> }> {
  const { received, ended } = await openConnection(port, head);
  await until(ended);
  const [status, body = ""] = [Number(received().split(" ", 2)[1]), received().split("\r\n\r\n")[1]];
  return { status, error: (JSON.parse(body) as { error: Record<string, unknown> }).error };
}

const MALFORMED =
  "The path is malformed: each % must begin a byte of two hexadecimal digits, and these bytes must be UTF-8.";
const TOO_LONG = "No route has this path: a part of it is longer than 512 characters.";
const LONG = `/rl/sessions/${"x".repeat(513)}`;

const get = (path: string) => requestHead("GET", path, KEY, "connection: close");

describe.each([
  ["a malformed path", "/%zz", MALFORMED],
  ["a path that is not UTF-8", "/rl/sessions/%ff", MALFORMED],
  ["a path with a long id", LONG, TOO_LONG],
])("%s", (_, path, message) => {
  it("is answered with an error of the catalogue", async () => {
    expect(await askAndClose(server, get(path))).toEqual({
      status: 404,
      error: { message, type: "invalid_request_error", param: null, code: "not_found" },
    });
  });

  it("is counted as a refusal and as a request", async () => {
    await askAndClose(server, get(path));
    expect(await server.read('rolltape_refused_total{code="not_found"}')).toBe(1);
    await expect
      .poll(() => server.read('rolltape_http_requests_total{method="GET",route="unmatched",status="404"}'))
      .toBe(1);
  });

  it("with a body that was not sent ends the connection", async () => {
    const head = requestHead("POST", path, KEY, "content-type: application/json", `content-length: ${8 * MEBIBYTE}`);
    expect(await askAndClose(server, head)).toMatchObject({ status: 404, error: { code: "not_found" } });
  });
});

it("is answered and counted by a gateway, which does not forward it", async () => {
  expect(await askAndClose(gateway, get("/%zz"))).toMatchObject({ status: 404, error: { message: MALFORMED } });
  expect(await gateway.read('rolltape_gateway_refused_total{code="not_found"}')).toBe(1);
  expect(await server.read('rolltape_refused_total{code="not_found"}')).toBeUndefined();
});
