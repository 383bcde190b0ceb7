import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { IMAGE_LIMITS } from "../../src/protocols/image-reader.js";
import { FETCH_LIMITS, ImageClient } from "../../src/server/image-urls/image-client.js";
import { createHostResolver, isPublicAddress } from "../../src/server/image-urls/public-address.js";
import type { ServerSettings } from "../../src/server/settings.js";
import { dataUrl, digestOf, makePng } from "../helpers/images.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { type RecordingServer, startRecordingServer } from "../helpers/recording-server.js";
import { until } from "../helpers/until.js";
import { writeVisionModel } from "../helpers/vision-model.js";

/** Images that requests name by their addresses, with `rollout.agent.image_urls: fetch`. */

const PNG = makePng(100, 60);
const OTHER = makePng(100, 60, 200);

type Answer = (response: ServerResponse) => unknown;

const send =
  (file: Uint8Array): Answer =>
  (response) =>
    response.end(file);
const redirect =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end();

interface ImageServer {
  readonly url: string;
  readonly host: string;
  /** Paths of the requests so far. */
  paths(): string[];
  readonly requests: RecordingServer["requests"];
  readonly connections: () => number;
}

/** @param answers by path */
async function serveImages(answers: Readonly<Record<string, Answer>>): Promise<ImageServer> {
  const server = await startRecordingServer({}, async ({ path }, response) => {
    const answer = answers[path];
    if (answer) answer(response);
    else response.writeHead(404).end("no such image");
  });
  onTestFinished(() => server.close());
  return {
    url: server.url,
    host: new URL(server.url).host,
    requests: server.requests,
    connections: () => server.connections,
    paths: () => server.requests.map(({ path }) => path),
  };
}

async function startProxy(hosts: readonly string[] | undefined, settings: Partial<ServerSettings> = {}) {
  const options = { images: "tokens", imageHosts: hosts, ...settings } as const;
  const proxy = await Proxy.start({ folder: await writeVisionModel(), settings: options });
  onTestFinished(() => proxy.close());
  return { proxy, session: await proxy.session() };
}

interface Dialect {
  readonly path: string;
  /** Returns a body with an image of the user and one in a tool's result. */
  readonly body: (own: string, ofTool: string) => object;
  readonly param: string;
}

const PARAMETERS = { type: "object", properties: {} };

const CHAT: Dialect = {
  path: "/v1/chat/completions",
  body: (own, ofTool) => ({
    max_tokens: 8,
    messages: [
      { role: "user", content: [{ type: "image_url", image_url: { url: own } }] },
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content: [{ type: "image_url", image_url: { url: ofTool } }] },
    ],
    tools: [{ type: "function", function: { name: "look", parameters: PARAMETERS } }],
  }),
  param: "messages[0].content[0].image_url.url",
};

const MESSAGES: Dialect = {
  path: "/v1/messages",
  body: (own, ofTool) => ({
    max_tokens: 8,
    messages: [
      { role: "user", content: [{ type: "image", source: { type: "url", url: own } }] },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c",
            content: [{ type: "image", source: { type: "url", url: ofTool } }],
          },
        ],
      },
    ],
    tools: [{ name: "look", input_schema: PARAMETERS }],
  }),
  param: "messages[0].content[0].source.url",
};

const RESPONSES: Dialect = {
  path: "/v1/responses",
  body: (own, ofTool) => ({
    max_output_tokens: 8,
    input: [
      { role: "user", content: [{ type: "input_image", image_url: own }] },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: ofTool }] },
    ],
    tools: [{ type: "function", name: "look", parameters: PARAMETERS }],
  }),
  param: "input[0].content[0].image_url",
};

const toFileData = (fileUri: string) => ({ fileData: { mimeType: "image/png", fileUri } });

const GEMINI: Dialect = {
  path: "/v1beta/models/tiny:generateContent",
  body: (own, ofTool) => ({
    contents: [
      { role: "user", parts: [toFileData(own)] },
      { role: "model", parts: [{ functionCall: { id: "c", name: "look", args: {} } }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c", name: "look", response: { output: "" }, parts: [toFileData(ofTool)] } }],
      },
    ],
    tools: [{ functionDeclarations: [{ name: "look" }] }],
    generationConfig: { maxOutputTokens: 8 },
  }),
  param: "contents[0].parts[0].fileData.fileUri",
};

const DIALECTS: [string, Dialect][] = [
  ["chat completions", CHAT],
  ["messages", MESSAGES],
  ["responses", RESPONSES],
  ["generate content", GEMINI],
];

const ask = (url: string, ...more: object[]) => ({
  max_tokens: 8,
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }, ...more],
});

const recordedImages = (proxy: Proxy, { id }: StartedSession, index = 0) =>
  proxy.context.registry
    .get(id)
    .interaction(index)
    .images?.map(({ sha256 }) => sha256);

const problemOf = (reply: Reply) => [reply.refusal, reply.error.param, reply.error.message];
const failed = (problem: string, param = CHAT.param) => [
  "400 invalid_value",
  param,
  expect.stringContaining(`${param}: the image could not be fetched: ${problem}`),
];

describe.each(DIALECTS)("with %s", (_, { path, body, param }) => {
  it("fetches an address once, and records its image like one that is sent as data", async () => {
    const server = await serveImages({ "/a": send(PNG), "/b": send(OTHER) });
    const { proxy, session } = await startProxy([server.host]);
    const request = body(`${server.url}/a?size=1`, `${server.url}/b`);
    const headers = { cookie: "secret=1" };
    const first = await proxy.request({ method: "POST", url: path, payload: request, headers }, session.key);
    const second = await proxy.post(path, request, session.key);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(recordedImages(proxy, session)).toEqual([digestOf(PNG), digestOf(OTHER)]);
    expect(recordedImages(proxy, session, 1)).toEqual([digestOf(PNG), digestOf(OTHER)]);
    expect(server.paths().toSorted()).toEqual(["/a", "/b"]);
    expect(server.requests.find(({ path: asked }) => asked === "/a")?.url.search).toBe("?size=1");
    for (const { headers: sent } of server.requests) {
      expect(sent).toEqual({
        host: server.host,
        connection: "close",
        accept: "image/*",
        "user-agent": "rolltape",
      });
    }
  });

  it("refuses an address by default, and the error names the setting", async () => {
    const server = await serveImages({ "/a": send(PNG) });
    const { proxy, session } = await startProxy(undefined);
    const reply = await proxy.post(path, body(`${server.url}/a`, `${server.url}/a`), session.key);
    expect(reply.status).toBe(400);
    expect(reply.raw.toString()).toContain(param);
    expect(reply.raw.toString()).toContain("Set rollout.agent.image_urls to");
    expect(server.paths()).toEqual([]);
  });

  it("refuses an address that is not public", async () => {
    const server = await serveImages({ "/a": send(PNG) });
    const { proxy, session } = await startProxy([]);
    const reply = await proxy.post(path, body(`${server.url}/a`, `${server.url}/a`), session.key);
    expect(reply.status).toBe(400);
    expect(reply.raw.toString()).toContain("the address of the host is not public");
    expect(server.connections()).toBe(0);
  });
});

it.each([
  ["/v1/messages/count_tokens", MESSAGES.body, "input_tokens"],
  [
    "/v1beta/models/tiny:countTokens",
    (a: string, b: string) => ({ generateContentRequest: GEMINI.body(a, b) }),
    "totalTokens",
  ],
])("%s counts the tokens of an image that is fetched", async (path, body, field) => {
  const server = await serveImages({ "/a": send(PNG), "/wide": send(makePng(400, 60)) });
  const { proxy, session } = await startProxy([server.host]);
  const count = async (name: string) => {
    const { max_tokens: _, ...request } = body(`${server.url}/${name}`, `${server.url}/a`) as { max_tokens?: number };
    return (await proxy.post(path, request, session.key)).json<Record<string, number>>()[field];
  };
  expect(await count("wide")).toBeGreaterThan((await count("a")) ?? Number.POSITIVE_INFINITY);
});

describe("an address", () => {
  const refused = "the address of the host is not public, and rollout.agent.image_hosts does not name the host";

  it.each(["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])(
    "is refused if its host is %s, and nothing connects to it",
    async (host) => {
      const server = await serveImages({ "/a": send(PNG) });
      const { proxy, session } = await startProxy(["other.example"]);
      const { port } = new URL(server.url);
      const reply = await proxy.post(CHAT.path, ask(`http://${host}:${port}/a`), session.key);
      expect(problemOf(reply)).toEqual(failed(refused));
      expect(server.connections()).toBe(0);
      expect(proxy.context.registry.get(session.id).interactionCount).toBe(0);
    },
  );

  it("is refused if only another port of its host is allowed", async () => {
    const [allowed, other] = [await serveImages({}), await serveImages({ "/a": send(PNG) })];
    const { proxy, session } = await startProxy([allowed.host]);
    expect(problemOf(await proxy.post(CHAT.path, ask(`${other.url}/a`), session.key))).toEqual(failed(refused));
  });

  it("can redirect once, to an address that may be fetched itself", async () => {
    const inner = await serveImages({ "/a": send(PNG) });
    const server = await serveImages({
      "/a": send(PNG),
      "/one": redirect("/a"),
      "/two": redirect("/one"),
      "/inner": redirect(`${inner.url}/a`),
      "/file": redirect("file:///etc/passwd"),
    });
    const { proxy, session } = await startProxy([server.host]);
    const fetch = (path: string) => proxy.post(CHAT.path, ask(server.url + path), session.key);
    expect((await fetch("/one")).status).toBe(200);
    expect(problemOf(await fetch("/two"))).toEqual(failed("it was redirected more than once"));
    expect(problemOf(await fetch("/inner"))).toEqual(failed(refused));
    expect(problemOf(await fetch("/file"))).toEqual(failed("its address is not an http or https URL"));
    expect(inner.connections()).toBe(0);
  });

  it("is refused if it has a user name, is too long, or is not an http or https URL", async () => {
    const { proxy, session } = await startProxy([]);
    const fetch = async (url: string) => problemOf(await proxy.post(CHAT.path, ask(url), session.key));
    expect(await fetch("http://me:secret@example.com/a")).toEqual(
      failed("its address contains a user name or a password"),
    );
    expect(await fetch(`http://example.com/${"a".repeat(FETCH_LIMITS.urlLength)}`)).toEqual(
      failed("its address has more than 8,192 characters"),
    );
    expect(await fetch("http://")).toEqual(failed("its address is not an http or https URL"));
    for (const url of ["file:///etc/passwd", "gs://bucket/a.png", "a.png"]) {
      const message = `${CHAT.param} must be a data URL or an address that begins with http:// or https://.`;
      expect(await fetch(url)).toEqual(["400 invalid_value", CHAT.param, message]);
    }
  });

  it("gives an error if it has no image, and the session continues", async () => {
    const answers: Record<string, Answer> = {
      "/page": send(Buffer.from("<html>")),
      "/cut": send(PNG.subarray(0, -1)),
      "/broken": (response) => response.writeHead(200, { "content-length": 99 }).write("x", () => response.destroy()),
      "/a": send(PNG),
    };
    const server = await serveImages(answers);
    const { proxy, session } = await startProxy([server.host]);
    const fetch = async (path: string) => problemOf(await proxy.post(CHAT.path, ask(server.url + path), session.key));
    expect(await fetch("/none")).toEqual(failed("HTTP 404"));
    expect(await fetch("/broken")).toEqual(failed("the connection failed (UND_ERR_"));
    const notAnImage = expect.stringContaining(`${CHAT.param} is not an image that the model can see: not a PNG`);
    expect(await fetch("/page")).toEqual(["400 invalid_value", CHAT.param, notAnImage]);
    const damaged = expect.stringContaining(`${CHAT.param} is a damaged image`);
    expect(await fetch("/cut")).toEqual(["400 invalid_value", CHAT.param, damaged]);
    answers["/page"] = send(OTHER);
    expect((await proxy.post(CHAT.path, ask(`${server.url}/page`), session.key)).status).toBe(200);
    expect(recordedImages(proxy, session)).toEqual([digestOf(OTHER)]);
    expect(proxy.context.registry.get(session.id).interactionCount).toBe(1);
  });

  it("is read up to the limit of an image, whatever size it declares", async () => {
    const closed: Promise<unknown>[] = [];
    const stream = (response: ServerResponse) => {
      closed.push(once(response, "close"));
      const chunk = Buffer.alloc(1024 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        response.once("drain", write);
      };
      write();
    };
    const server = await serveImages({
      "/endless": stream,
      "/declared": (response) => stream(response.writeHead(200, { "content-length": 2 ** 40 })),
    });
    const { proxy, session } = await startProxy([server.host]);
    for (const path of ["/endless", "/declared"]) {
      const reply = await proxy.post(CHAT.path, ask(server.url + path), session.key);
      expect(problemOf(reply)).toEqual(failed("it has more than 20,971,520 bytes"));
    }
    await Promise.all(closed);
    expect(closed).toHaveLength(2);
    expect(IMAGE_LIMITS.bytes).toBe(20_971_520);
  });
});

describe("a session", () => {
  it("keeps the image of an address, and another session fetches it again", async () => {
    const answers: Record<string, Answer> = { "/a": send(PNG) };
    const server = await serveImages(answers);
    const { proxy, session } = await startProxy([server.host]);
    const request = ask(`${server.url}/a`);
    await proxy.post(CHAT.path, request, session.key);
    answers["/a"] = send(OTHER);
    const next = ask(`${server.url}/a`, { role: "assistant", content: "x" }, { role: "user", content: "And now?" });
    expect((await proxy.post(CHAT.path, next, session.key)).status).toBe(200);
    expect(recordedImages(proxy, session, 1)).toEqual([digestOf(PNG)]);
    const other = await proxy.session();
    await proxy.post(CHAT.path, request, other.key);
    expect(recordedImages(proxy, other)).toEqual([digestOf(OTHER)]);
    expect(server.paths()).toEqual(["/a", "/a"]);
  });

  it("gives the same image to calls that run at the same time", async () => {
    let served = 0;
    const server = await serveImages({ "/a": (response) => response.end(served++ === 0 ? PNG : OTHER) });
    const { proxy, session } = await startProxy([server.host]);
    const open = proxy.engine.hold();
    const request = (question: string) => ask(`${server.url}/a`, { role: "user", content: question });
    const calls = [proxy.post(CHAT.path, request("1"), session.key)];
    await until(() => proxy.engine.calls.length === 1);
    calls.push(proxy.post(CHAT.path, request("2"), session.key));
    await until(() => proxy.engine.calls.length === 2);
    open();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    expect([0, 1].map((index) => recordedImages(proxy, session, index))).toEqual([[digestOf(PNG)], [digestOf(PNG)]]);
    expect(served).toBe(1);
  });

  it("gives the same image to calls that fetch it at the same time", async () => {
    const waiting: ServerResponse[] = [];
    const server = await serveImages({ "/a": (response) => waiting.push(response) });
    const { proxy, session } = await startProxy([server.host]);
    const open = proxy.engine.hold();
    const calls = ["1", "2"].map((content) =>
      proxy.post(CHAT.path, ask(`${server.url}/a`, { role: "user", content }), session.key),
    );
    await until(() => waiting.length === 2);
    waiting[0]?.end(PNG);
    await until(() => proxy.engine.calls.length === 1);
    waiting[1]?.end(OTHER);
    await until(() => proxy.engine.calls.length === 2);
    open();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    expect([0, 1].map((index) => recordedImages(proxy, session, index))).toEqual([[digestOf(PNG)], [digestOf(PNG)]]);
  });

  it("fetches an address again if no call with it was recorded", async () => {
    const server = await serveImages({ "/a": send(PNG) });
    const { proxy, session } = await startProxy([server.host]);
    proxy.engine.replies.push(new Error("broken"));
    expect((await proxy.post(CHAT.path, ask(`${server.url}/a`), session.key)).status).toBe(500);
    expect((await proxy.post(CHAT.path, ask(`${server.url}/a`), session.key)).status).toBe(200);
    expect(server.paths()).toEqual(["/a", "/a"]);
  });

  it("fetches an address that recurs in a request once, beside images that are sent", async () => {
    const server = await serveImages({ "/a": send(PNG) });
    const { proxy, session } = await startProxy([server.host]);
    const urls = [`${server.url}/a`, dataUrl(OTHER), `${server.url}/a`];
    const content = urls.map((url) => ({ type: "image_url", image_url: { url } }));
    await proxy.post(CHAT.path, { max_tokens: 8, messages: [{ role: "user", content }] }, session.key);
    expect(recordedImages(proxy, session)).toEqual([PNG, OTHER, PNG].map(digestOf));
    expect(server.paths()).toEqual(["/a"]);
  });

  it("fetches at most eight images at the same time", async () => {
    const waiting: ServerResponse[] = [];
    const server = await serveImages(
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`/${i}`, (response) => waiting.push(response)])),
    );
    const { proxy, session } = await startProxy([server.host]);
    const content = Array.from({ length: 20 }, (_, i) => ({
      type: "image_url",
      image_url: { url: `${server.url}/${i}` },
    }));
    const reply = proxy.post(CHAT.path, { max_tokens: 8, messages: [{ role: "user", content }] }, session.key);
    let [most, answered] = [0, 0];
    while (answered < 20) {
      await until(() => waiting.length === Math.min(8, 20 - answered));
      most = Math.max(most, waiting.length);
      for (const response of waiting.splice(0)) {
        response.end(PNG);
        answered++;
      }
    }
    expect((await reply).status).toBe(200);
    expect(most).toBe(8);
  });

  it("fetches nothing after it has ended", async () => {
    const server = await serveImages({ "/a": send(PNG) });
    const { proxy, session } = await startProxy([server.host]);
    await proxy.turn(session, [{ role: "user", content: "hello" }]);
    await proxy.end(session);
    expect((await proxy.post(CHAT.path, ask(`${server.url}/a`), session.key)).refusal).toBe("409 session_ended");
    expect(server.paths()).toEqual([]);
  });
});

it("refuses an image with 503 if the memory for sessions has no room for it", async () => {
  const large = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]);
  const server = await serveImages({ "/large": send(large), "/a": send(PNG) });
  const store = { bytes: 1024 * 1024, highWater: 1 };
  const { proxy, session } = await startProxy([server.host], { store });
  const before = proxy.context.store.bytes;
  const refused = await proxy.post(CHAT.path, ask(`${server.url}/large`), session.key);
  expect(refused.refusal).toBe("503 store_full");
  expect(proxy.context.store.bytes).toBe(before);
  expect((await proxy.post(CHAT.path, ask(`${server.url}/a`), session.key)).status).toBe(200);
});

it("ends the fetch when the client disconnects, and the session continues", async () => {
  let waiting: Promise<unknown> | undefined;
  const server = await serveImages({
    "/slow": (response) => {
      waiting = once(response, "close");
      response.write(PNG.subarray(0, 8));
    },
    "/a": send(PNG),
  });
  const settings = { images: "tokens", imageHosts: [server.host] } as const;
  const { proxy, url } = await listeningProxy({ folder: await writeVisionModel(), settings });
  const session = await proxy.session();
  const client = new AbortController();
  const body = JSON.stringify(ask(`${server.url}/slow`));
  const headers = { authorization: `Bearer ${session.key}`, "content-type": "application/json" };
  const call = fetch(url + CHAT.path, { method: "POST", body, headers, signal: client.signal });
  await until(() => waiting !== undefined);
  client.abort();
  await expect(call).rejects.toThrow("aborted");
  await waiting;
  expect((await proxy.post(CHAT.path, ask(`${server.url}/a`), session.key)).status).toBe(200);
  expect(proxy.context.registry.get(session.id).interactionCount).toBe(1);
});

describe("ImageClient", () => {
  const open = (options: Partial<ConstructorParameters<typeof ImageClient>[0]>) => {
    const client = new ImageClient({ hosts: [], ...options });
    onTestFinished(() => client.close());
    const { signal } = new AbortController();
    return (url: string) => client.fetch(url, { param: "image", signal });
  };

  /** Resolves each name to these addresses, whatever it is. */
  const resolver = (...addresses: string[]) => {
    const asked: string[] = [];
    return { asked, resolve: async (name: string) => (asked.push(name), addresses) };
  };

  it.each([
    ["a private address", ["10.0.0.1"]],
    ["a private address beside a public one", ["93.184.215.14", "192.168.0.1"]],
    ["the address of a cloud's metadata", ["169.254.169.254"]],
    ["a mapped address", ["::ffff:127.0.0.1"]],
    ["a translated address", ["64:ff9b::7f00:1"]],
  ])("refuses a name that resolves to %s, which it resolves once", async (_, addresses) => {
    const { asked, resolve } = resolver(...addresses);
    for (const scheme of ["http", "https"]) {
      await expect(open({ resolve })(`${scheme}://images.example/a`)).rejects.toThrow(
        "image: the image could not be fetched: the address of the host is not public",
      );
    }
    expect(asked).toEqual(["images.example", "images.example"]);
  });

  it("does not check the addresses of a host that is allowed", async () => {
    const server = await serveImages({ "/a": send(PNG) });
    const host = `localhost:${new URL(server.url).port}`;
    const { asked, resolve } = resolver("10.0.0.1");
    expect(await open({ hosts: [host], resolve })(`http://${host}/a`)).toEqual(PNG);
    expect(asked).toEqual([]);
  });

  it("reports that a host has no address, or that the connection failed", async () => {
    const { resolve } = resolver();
    await expect(open({ resolve })("http://images.example/a")).rejects.toThrow("the host has no address");
    const server = await startRecordingServer({}, async () => undefined);
    await server.close();
    const { host } = new URL(server.url);
    await expect(open({ hosts: [host] })(server.url)).rejects.toThrow("the connection failed (ECONNREFUSED)");
  });

  it("ends a fetch that takes too long: in the body, before it, and while it resolves the name", async () => {
    const server = await serveImages({
      "/slow": (response) => response.write(PNG.subarray(0, 8)),
      "/silent": () => undefined,
    });
    const slow = open({ hosts: [server.host], seconds: 0.1, resolve: () => new Promise<never>(() => undefined) });
    for (const url of [`${server.url}/slow`, `${server.url}/silent`, "http://images.example/a"]) {
      await expect(slow(url)).rejects.toThrow("image: the image could not be fetched: it took more than 0.1 s.");
    }
  });
});

describe("isPublicAddress", () => {
  it.each(["1.1.1.1", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::1", "::ffff:1.1.1.1"])(
    "returns true for %s",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ["this host", ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.254", "::", "::1"]],
    ["private networks", ["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"]],
    ["links", ["169.254.169.254", "fe80::1", "fe80::1%eth0", "fec0::1", "168.63.129.16", "::ffff:168.63.129.16"]],
    ["carriers", ["100.64.0.1", "100.127.255.255"]],
    ["groups", ["224.0.0.1", "239.1.2.3", "255.255.255.255", "ff02::1"]],
    ["mapped IPv4", ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "::7f00:1"]],
    ["translated IPv4", ["64:ff9b::a00:1", "64:ff9b:1::a00:1", "::ffff:0:7f00:1", "2002:7f00:1::", "2001::1"]],
    ["documents and tests", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "3fff::1"]],
    ["later use", ["192.0.0.1", "240.0.0.1", "100::1", "4000::1", "fe00::1", "5f00::1"]],
  ])("returns false for addresses of %s", (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe("createHostResolver", () => {
  /** Starts a name server that gives this answer for each name, and IPv4 and IPv6 addresses for it. */
  async function startNameServer(v4: readonly number[], v6: readonly number[]): Promise<string> {
    const socket = createSocket("udp4");
    socket.on("message", (question, { port }) => {
      // A name, its type and its class. The answer refers to the name.
      const body = question.subarray(12, question.indexOf(0, 12) + 5);
      const address = body.at(-3) === 28 ? v6 : v4;
      const head = Buffer.from(question.subarray(0, 12));
      head.writeUInt16BE(0x8180, 2);
      head.writeUInt16BE(address.length === 0 ? 0 : 1, 6);
      head.writeUInt32BE(0, 8);
      const record = [0xc0, 12, ...body.subarray(-4), 0, 0, 0, 0, 0, address.length, ...address];
      socket.send(Buffer.concat([head, body, Buffer.from(address.length === 0 ? [] : record)]), port);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    onTestFinished(() => void socket.close());
    return `127.0.0.1:${socket.address().port}`;
  }

  it("returns the addresses of both families, or of one, or none", async () => {
    const resolve = async (v4: number[], v6: number[]) =>
      createHostResolver([await startNameServer(v4, v6)])("images.example");
    const loopback = [...Array.from({ length: 15 }, () => 0), 1];
    expect(await resolve([10, 0, 0, 1], loopback)).toEqual(["10.0.0.1", "::1"]);
    expect(await resolve([10, 0, 0, 1], [])).toEqual(["10.0.0.1"]);
    expect(await resolve([], [])).toEqual([]);
  });
});
