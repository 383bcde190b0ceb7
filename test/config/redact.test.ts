import { describe, expect, it } from "vitest";
import { parseConfig, redact } from "../../src/config/index.js";

describe("redact", () => {
  it("hides keys and passwords, and shows everything else", () => {
    const config = parseConfig({
      engine: { type: "sglang", urls: ["http://user:password@a:1/", "http://b:2"], api_key: "engine-secret" },
      model: { path: "/m" },
      rollout: { agent: { admin_api_key: "admin-secret-0123456789" } },
    });
    const shown = redact(config);
    expect(JSON.stringify(shown)).not.toMatch(/secret|password/);
    expect(shown).toEqual({
      ...config,
      engine: { ...config.engine, urls: ["http://redacted@a:1/", "http://b:2"], api_key: "[redacted]" },
      rollout: { ...config.rollout, agent: { ...config.rollout.agent, admin_api_key: "[redacted]" } },
    });
    expect(config.engine.api_key).toBe("engine-secret");
  });

  it("shows lists of texts that are no addresses as they are", () => {
    const config = parseConfig({ rollout: { agent: { message_filters: ["^tmp: ", "b+"] } } });
    expect(redact(config)).toEqual(config);
  });

  it("shows whether a key is set", () => {
    expect(redact(parseConfig({}))).toEqual(parseConfig({}));
  });
});
