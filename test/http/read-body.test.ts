import { Readable } from "node:stream";
import fc from "fast-check";
import fastify, { type FastifyRequest } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { readBody } from "../../src/http/read-body.js";

interface Read {
  readonly error: (Error & { code?: string; statusCode?: number }) | null;
  readonly bytes: Buffer;
}

/** Reads chunks as the body of a request. Like those of Node, each chunk has memory of its own. */
function read(chunks: readonly Buffer[], { declared, limit = 1 << 20 }: { declared?: number; limit?: number } = {}) {
  const headers = declared === undefined ? {} : { "content-length": String(declared) };
  const request = { headers, routeOptions: { bodyLimit: limit } } as unknown as FastifyRequest;
  const payload = Readable.from(chunks.map((chunk) => Buffer.from(new Uint8Array(chunk).buffer)));
  return new Promise<Read>((resolve) => readBody(request, payload, (error, bytes) => resolve({ error, bytes })));
}

const chunks = fc.array(
  fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 12 },
);

it("joins the chunks of a body, with and without a declared size", async () => {
  await fc.assert(
    fc.asyncProperty(chunks, fc.boolean(), async (body, isDeclared) => {
      const whole = Buffer.concat(body);
      const { error, bytes } = await read(body, isDeclared ? { declared: whole.length } : {});
      expect(error).toBeNull();
      expect(bytes.equals(whole)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

it("joins the chunks of some megabytes", async () => {
  const whole = Buffer.from(Array.from({ length: 5_000_000 }, (_, i) => i % 251));
  const parts = Array.from({ length: 77 }, (_, i) => whole.subarray(i * 65_536, (i + 1) * 65_536));
  for (const options of [{ declared: whole.length }, {}]) {
    const { error, bytes } = await read(parts, { ...options, limit: 16 << 20 });
    expect([error, bytes.equals(whole)]).toEqual([null, true]);
  }
});

it("allocates memory as the body arrives, not what the client declares", async () => {
  const request = { headers: { "content-length": String(64 << 20) }, routeOptions: { bodyLimit: 64 << 20 } };
  const payload = new Readable({ read: () => undefined });
  const before = process.memoryUsage().arrayBuffers;
  const failed = new Promise<Read["error"]>((resolve) => {
    readBody(request as unknown as FastifyRequest, payload, resolve);
  });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20);
  payload.destroy(new Error("aborted"));
  expect(await failed).toMatchObject({ message: "aborted" });
});

it("refuses a body over the limit, declared or received", async () => {
  const limit = 100;
  expect((await read([], { declared: 101, limit })).error?.code).toBe("FST_ERR_CTP_BODY_TOO_LARGE");
  expect((await read([Buffer.alloc(60), Buffer.alloc(41)], { limit })).error?.code).toBe("FST_ERR_CTP_BODY_TOO_LARGE");
  expect((await read([Buffer.alloc(60), Buffer.alloc(40)], { limit })).error).toBeNull();
});

it("refuses a body that is shorter or longer than its declared size", async () => {
  for (const declared of [9, 11]) {
    expect((await read([Buffer.alloc(10)], { declared })).error?.code).toBe("FST_ERR_CTP_INVALID_CONTENT_LENGTH");
  }
});

it.each([
  [undefined, 400],
  [200, 400],
  [400, 400],
  [408, 408],
])("reports a body that breaks off with status %s as an error of the client: %s", async (statusCode, expected) => {
  const payload = new Readable({
    read() {
      this.destroy(Object.assign(new Error("aborted"), { statusCode }));
    },
  });
  const request = { headers: {}, routeOptions: { bodyLimit: 10 } } as unknown as FastifyRequest;
  const error = await new Promise<Read["error"]>((resolve) => readBody(request, payload, resolve));
  expect(error).toMatchObject({ message: "aborted", statusCode: expected });
});

it("leaves the memory of a program that injects a request as it is", async () => {
  const memory = Buffer.from(new Uint8Array(Buffer.from("the memory of a program")).buffer);
  const app = fastify();
  onTestFinished(() => app.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => readBody(request, payload, done));
  app.post("/", async ({ body }) => (body as Buffer).toString());
  const payload = Readable.from([memory]);
  const answer = await app.inject({ method: "POST", url: "/", payload, headers: { "content-type": "text/plain" } });
  expect([answer.body, memory.toString()]).toEqual(["the memory of a program", "the memory of a program"]);
});
