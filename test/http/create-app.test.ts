import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { errorHandler } from "../../src/http/error-handler.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

async function start() {
  const connections = { ...LENIENT_CONNECTIONS, headersTimeoutMilliseconds: 3000, requestTimeoutMilliseconds: 4000 };
  const app = createApp({ maxBodyBytes: 100, connections });
  onTestFinished(() => app.close());
  await app.register(errorHandler);
  app.get<{ Params: { id: string } }>("/items/:id", async ({ params }) => ({ length: params.id.length }));
  return app;
}

it.each(["/items/abc", "//items//abc", "/items/abc/", "/items/abc?x=1"])("routes %s", async (url) => {
  expect((await (await start()).inject({ url })).json()).toEqual({ length: 3 });
});

it("routes a parameter of 512 characters, and refuses a longer one", async () => {
  const app = await start();
  expect((await app.inject({ url: `/items/${"a".repeat(512)}` })).json()).toEqual({ length: 512 });
  const { statusCode, body } = await app.inject({ url: `/items/${"a".repeat(513)}` });
  expect(statusCode).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ error: { code: "not_found" } });
});

it("limits how slow clients may be, keeps idle connections longer than load balancers, and drops no headers", async () => {
  const { server } = await start();
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount } = server;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount }).toEqual({
    headersTimeout: 3000,
    requestTimeout: 4000,
    keepAliveTimeout: 72_000,
    maxHeadersCount: 0,
  });
});
