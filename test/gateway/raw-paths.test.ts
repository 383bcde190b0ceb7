import { describe, expect, it } from "vitest";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";
import { Gateway, startWorker } from "./workers.js";

/** Request targets as clients write them. `fetch` and `URL` would change most of these before they are sent. */

const KEY = `x-api-key: ${ADMIN_KEY}`;

/** Sends one request and returns its status. */
async function request(url: string, target: string, method = "GET"): Promise<number> {
  const { received } = await openConnection(
    new URL(url).port,
    requestHead(method, target, KEY, "content-length: 0", "connection: close"),
  );
  await until(() => received().includes("\r\n\r\n"));
  return Number(received().split(" ", 2)[1]);
}

async function setUp() {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] });
  const targets: string[] = [];
  worker.proxy.app.server.on("request", ({ url }: { url: string }) => targets.push(url));
  return { worker, gateway, targets };
}

const NOT_ROUTES = [
  "/v1/../rl/sessions",
  "/v1/../../rl/sessions",
  "/v1/chat/completions/../../../rl/sessions",
  "/v1/messages/../../rl/sessions",
  "/./rl/sessions",
  "/rl/./sessions",
  "/v1/%2e%2e/rl/sessions",
  "/v1/.%2E/rl/sessions",
  "/v1/%2e%2e%2Frl%2Fsessions",
  "/rl%2Fsessions",
  "/%2Frl%2Fsessions",
  "/v1/..\\rl\\sessions",
  "/v1//..//rl//sessions",
  "/v1/..;/rl/sessions",
];

describe.each(NOT_ROUTES)("%s", (target) => {
  it("is answered with 404 by a server", async () => {
    const { worker } = await setUp();
    expect(await request(worker.url, target)).toBe(404);
  });

  it("is forwarded unchanged by a gateway, and is no route there", async () => {
    const { gateway, targets } = await setUp();
    expect(await request(gateway.url, target)).toBe(404);
    expect(targets).toEqual([target]);
  });
});

it.each(["/v1/../grant_capacity", "/v1/%2e%2e/grant_capacity", "//v1/..//grant_capacity"])(
  "grants no slots for POST %s",
  async (target) => {
    const { worker, gateway } = await setUp();
    expect(await request(gateway.url, target, "POST")).toBe(404);
    expect(await request(worker.url, target, "POST")).toBe(404);
    expect(worker.proxy.context.registry.capacity).toBe(0);
  },
);

describe("the same route in another spelling", () => {
  it.each(["//rl/sessions", "/rl//sessions", "/rl/%73essions", "/rl/sessions/", "http://elsewhere/rl/sessions"])(
    "is answered by gateway and server: %s",
    async (target) => {
      const { worker, gateway } = await setUp();
      expect(await request(gateway.url, target)).toBe(200);
      expect(await request(worker.url, target)).toBe(200);
    },
  );

  it.each(["//v1//models", "/v1/%6dodels", "/v1/models?after=/../x&a=%2e%2e", "/v1/models/tiny%2F..%2Fx?//"])(
    "is forwarded unchanged: %s",
    async (target) => {
      const { worker, gateway, targets } = await setUp();
      expect(await request(gateway.url, target)).toBe(await request(worker.url, target));
      expect(targets).toEqual([target, target]);
    },
  );

  it.each(["/v1/models/\u00e9", "/v1/models/%ff", "/v1/models/%", "/v1/models#a/../b"])(
    "is the same bytes for gateway and server, and the same answer: %s",
    async (target) => {
      const { worker, gateway, targets } = await setUp();
      expect(await request(gateway.url, target)).toBe(await request(worker.url, target));
      expect(new Set(targets).size).toBeLessThanOrEqual(1);
    },
  );

  it("is forwarded without the scheme and host of a proxy's request", async () => {
    const { gateway, targets } = await setUp();
    expect(await request(gateway.url, "http://elsewhere:9/v1/models?a=b")).toBe(200);
    expect(targets).toEqual(["/v1/models?a=b"]);
  });

  it("finds no session for an id that contains a path", async () => {
    const { gateway } = await setUp();
    expect(await request(gateway.url, "/rl/sessions/..%2F..%2Fmetrics")).toBe(404);
    expect(await request(gateway.url, "/rl/sessions/task-one-0%2F..")).toBe(404);
  });
});
