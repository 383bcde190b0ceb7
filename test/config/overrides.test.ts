import { describe, expect, it } from "vitest";
import { type Config, resolveConfig } from "../../src/config/index.js";
import { readProblems } from "./helpers.js";

const KEY = "1234567890123456";

function resolve(...overrides: string[]): Config {
  return resolveConfig({ overrides, env: {} });
}

describe("key=value arguments", () => {
  it("have a dotted path and a YAML value", () => {
    const config = resolve("server.port=0", "rollout.agent.turn_discount=9e-1", "rollout.agent.mode=subproc");
    expect(config).toMatchObject({
      server: { port: 0, host: "127.0.0.1" },
      rollout: { agent: { turn_discount: 0.9, mode: "subproc" } },
    });
  });

  it.each([
    ["engine.urls=[http://a,http://b]", ["http://a", "http://b"]],
    ["engine.urls=[ 'http://a', \"http://b\" ]", ["http://a", "http://b"]],
    ["engine.urls=http://a", ["http://a"]],
    ["engine.urls='http://a'", ["http://a"]],
  ])("set a list: %s", (override, urls) => {
    expect(resolve("engine.type=sglang", "model.path=/m", override).engine.urls).toEqual(urls);
  });

  it("set a number or a word, if a key takes both", () => {
    const several = (workers: string) =>
      resolve("engine.type=sglang", "engine.urls=http://a", "model.path=/m", `server.workers=${workers}`).server
        .workers;
    expect(several("3")).toBe(3);
    expect(several("auto")).toBe("auto");
  });

  it("may set a whole section", () => {
    const config = resolve("server={port: 1, log_level: debug}", "server.port=2");
    expect(config.server).toMatchObject({ port: 2, log_level: "debug", host: "127.0.0.1" });
  });

  it("may repeat a key; the later value counts", () => {
    expect(resolve("server.port=1", "server.port=2").server.port).toBe(2);
  });

  it("may contain = in the value", () => {
    expect(resolve("model.name=a=b").model.name).toBe("a=b");
  });
});

describe("text keys on the command line", () => {
  it.each([
    [`rollout.agent.admin_api_key=${KEY}`, KEY],
    ["rollout.agent.admin_api_key=12345678901234567890", "12345678901234567890"],
    ["rollout.agent.admin_api_key=0x00000000000000ff", "0x00000000000000ff"],
    ["rollout.agent.admin_api_key=1e10000000000000", "1e10000000000000"],
    [`rollout.compat.admin_api_key=${KEY}`, KEY],
    [`rollout.agent.admin_api_key="${KEY}"`, KEY],
    ["rollout.agent={admin_api_key: 12345678901234567890}", "12345678901234567890"],
    ["rollout={compat: {admin_api_key: 12345678901234567890}}", "12345678901234567890"],
    ["rollout.agent.admin_api_key=sk-with:a#colon,and]more", "sk-with:a#colon,and]more"],
    ["rollout.agent.admin_api_key=*aliases-are-text", "*aliases-are-text"],
  ])("keep the spelling of %s", (override, key) => {
    expect(resolve(override).rollout.agent.admin_api_key).toBe(key);
  });

  it.each(["model.name=", "model.name=null", "model.name=~"])("are null with %s", (override) => {
    expect(resolve("model.name=x", override).model.name).toBeNull();
  });

  it("accept quoted text that YAML would convert", () => {
    expect(resolve('model.name="null"').model.name).toBe("null");
    expect(resolve("model.name='~'").model.name).toBe("~");
  });

  it("may set one variable of the chat template or all of them", () => {
    const kwargs = (...overrides: string[]): unknown => resolve(...overrides).rollout.agent.chat_template_kwargs;
    expect(kwargs("rollout.agent.chat_template_kwargs.enable_thinking=false")).toEqual({ enable_thinking: false });
    expect(kwargs("rollout.compat.chat_template_kwargs={a: 1, b: [x]}")).toEqual({ a: 1, b: ["x"] });
    expect(() => resolve("rollout.agent.chat_template_kwargs=5")).toThrow("a map of variables");
  });

  it("accept one regular expression literally, and several as a list", () => {
    expect(resolve(String.raw`rollout.agent.message_filters=\d{4}-\d\d: .*`).rollout.agent.message_filters).toEqual([
      String.raw`\d{4}-\d\d: .*`,
    ]);
    expect(resolve("rollout.agent.message_filters=['[0-9]+', 12]").rollout.agent.message_filters).toEqual([
      "[0-9]+",
      "12",
    ]);
  });
});

describe("invalid arguments", () => {
  it.each([
    ["serve", "serve", 'expected key=value, got "serve"'],
    ["=1", "=1", 'expected key=value, got "=…"'],
    ["server..port=1", "server..port", 'expected key=value, got "server..port=…"'],
    ["server.port=[1", "server.port", expect.stringMatching(/^not a YAML value: .+/) as string],
    ["server.port.x=1", "server.port", 'expected an integer from 0 to 65535, got {"x":1}'],
    ["server=1", "server", "expected a map of keys, got 1"],
    ["constructor.x=1", "constructor", expect.stringMatching(/^unknown key/) as string],
    ["__proto__.polluted=1", "__proto__", expect.stringMatching(/^unknown key/) as string],
  ])("are reported with their path: %s", (override, path, message) => {
    expect(readProblems(() => resolve(override))).toEqual({ [path]: message });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("are reported together with wrong values", () => {
    const paths = Object.keys(
      readProblems(() => resolve("nonsense", "server.port=x", "server.prot=1", "group_size=0")),
    );
    expect(paths.toSorted()).toEqual(["group_size", "nonsense", "server.port", "server.prot"]);
  });

  it("include two spellings of one key with different values", () => {
    expect(readProblems(() => resolve("rollout.agent.mode=inline", "rollout.compat.mode=subproc"))).toEqual({
      "rollout.agent.mode": "conflicts with rollout.compat.mode, which is the same key and has another value",
    });
  });
});
