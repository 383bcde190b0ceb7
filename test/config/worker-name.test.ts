import { describe, expect, it } from "vitest";
import { parseConfig, readWorkerName } from "../../src/config/index.js";

const parse = (discover: string) => parseConfig({ gateway: { discover } });

describe("gateway.discover", () => {
  it("is a name and a port", () => {
    expect(readWorkerName(parse("dns:proxy.jobs.svc.cluster.local:8090"))).toEqual({
      name: "proxy.jobs.svc.cluster.local",
      port: 8090,
    });
    expect(readWorkerName(parseConfig({}))).toBeUndefined();
  });

  it.each([
    "proxy:8090",
    "dns:proxy",
    "dns:proxy:",
    "dns:proxy:0",
    "dns:proxy:65536",
    "dns:[::1]:80",
    "dns://proxy:80",
  ])("refuses %s", (text) => {
    expect(() => parse(text)).toThrow(`gateway.discover: expected dns:NAME:PORT or null, got "${text}"`);
  });
});
