import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";

const ADMIN_ROUTES = [
  ["POST", "/grant_capacity"],
  ["POST", "/rl/start_session"],
  ["POST", "/rl/set_version"],
  ["POST", "/export_trajectories"],
  ["POST", "/export_batch"],
  ["GET", "/rl/sessions"],
  ["GET", "/rl/sessions/task-0"],
] as const;
const SESSION_ROUTES = [
  ["POST", "/v1/chat/completions"],
  ["POST", "/chat/completions"],
  ["POST", "/rl/set_reward"],
  ["POST", "/rl/end_session"],
] as const;

let proxy: Proxy;
let key: string;
beforeAll(async () => {
  proxy = await Proxy.start();
  ({ key } = await proxy.session());
});
afterAll(() => proxy.close());

describe.each([...ADMIN_ROUTES, ...SESSION_ROUTES])("%s %s", (method, url) => {
  it("returns 401 without a key, with an unknown key and with a malformed header", async () => {
    expect((await proxy.request({ method, url }, null)).refusal).toBe("401 missing_api_key");
    expect((await proxy.request({ method, url }, "sk-nobody-knows-this")).refusal).toBe("401 invalid_api_key");
    const basic = await proxy.request({ method, url, headers: { authorization: "Basic abc" } }, null);
    expect(basic.refusal).toBe("401 missing_api_key");
  });
});

describe.each(ADMIN_ROUTES)("%s %s", (method, url) => {
  it("returns 403 for a session key", async () => {
    expect((await proxy.request({ method, url }, key)).refusal).toBe("403 wrong_key_kind");
  });
});

describe.each(SESSION_ROUTES)("%s %s", (method, url) => {
  it("returns 403 for the admin key", async () => {
    expect((await proxy.request({ method, url })).refusal).toBe("403 wrong_key_kind");
  });
});

describe("a key", () => {
  it.each([
    ["Bearer in any case", { authorization: `bEARER ${ADMIN_KEY}` }],
    ["x-api-key", { "x-api-key": ADMIN_KEY }],
  ])("is accepted as %s", async (_, headers) => {
    const reply = await proxy.request({ method: "POST", url: "/grant_capacity", headers }, null);
    expect(reply.status).toBe(200);
  });

  describe("beside another key", () => {
    const send = (bearer: string, plain: string) =>
      proxy.request(
        { method: "POST", url: "/rl/end_session", headers: { authorization: `Bearer ${bearer}`, "x-api-key": plain } },
        null,
      );
    const UNKNOWN = "sk-ant-oat-of-another-service";

    it("is accepted in either header if the other key is unknown", async () => {
      const { key } = await proxy.session();
      expect((await send(UNKNOWN, key)).status).toBe(200);
      expect((await send(key, UNKNOWN)).status).toBe(200);
    });

    it("is chosen by the kind that the call requires if both are known", async () => {
      const { key } = await proxy.session();
      expect((await send(ADMIN_KEY, key)).status).toBe(200);
    });

    it("is refused if both are unknown or of the wrong kind", async () => {
      expect((await send(UNKNOWN, "sk-also-unknown-here")).refusal).toBe("401 invalid_api_key");
      expect((await send(ADMIN_KEY, UNKNOWN)).refusal).toBe("403 wrong_key_kind");
    });
  });

  it("is checked before the body is read", async () => {
    const reply = await proxy.request({ method: "POST", url: "/rl/set_reward", payload: "{broken" }, null);
    expect(reply.status).toBe(401);
  });

  it("is kept in memory only as a hash", async () => {
    const seen = new Set<object>();
    const holds = (value: unknown): boolean => {
      if (typeof value === "string") return value.includes(key);
      if (typeof value !== "object" || value === null || seen.has(value)) return false;
      seen.add(value);
      const inner = value instanceof Map ? [...value.entries()].flat() : Object.values(value);
      return inner.some(holds);
    };
    expect(holds(proxy.context.registry)).toBe(false);
    expect(holds([...proxy.context.registry.all()])).toBe(false);
  });

  it("of either kind gives access to the model list", async () => {
    for (const each of [key, ADMIN_KEY]) {
      const { data } = (await proxy.request({ url: "/v1/models" }, each)).json<{ data: object[] }>();
      expect(data).toEqual([expect.objectContaining({ object: "model", owned_by: "rolltape" })]);
    }
  });
});
