import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start();
});
afterEach(() => proxy.close());

const open = () => proxy.request({ url: "/", headers: { accept: "text/html,*/*;q=0.8" } }, null);

describe("GET / of a browser", () => {
  it("shows version and state without a script, under a strict content security policy", async () => {
    const reply = await open();
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(reply.headers["content-security-policy"]).toContain("default-src 'none'");
    const page = reply.raw.toString();
    expect(page).toMatch(/Version \d+\.\d+\.\d+.*<strong>ok<\/strong>/);
    expect(page).not.toContain("<script");
    expect(page).not.toContain(ADMIN_KEY);
  });

  it("links to the viewer if the server has one", async () => {
    expect((await open()).raw.toString()).not.toContain("/ui/");
    const viewed = await Proxy.start({ settings: { ui: new Map() } });
    onTestFinished(() => viewed.close());
    const page = (await viewed.request({ url: "/", headers: { accept: "text/html" } }, null)).raw.toString();
    expect(page).toContain('<a href="/ui/">');
  });

  it("shows that the engine is not available, without the address in its message", async () => {
    proxy.engine.healthError = new EngineError("engine_unavailable", "connect 10.0.0.7");
    const page = (await open()).raw.toString();
    expect(page).toContain("<strong>engine_unavailable</strong>");
    expect(page).not.toContain("10.0.0.7");
  });
});

it("answers other clients of GET / with JSON", async () => {
  const reply = await proxy.request({ url: "/", headers: { accept: "*/*" } }, null);
  expect(reply.json()).toEqual({ status: "ok" });
});
