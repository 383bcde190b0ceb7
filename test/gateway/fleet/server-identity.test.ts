import { expect, it } from "vitest";
import { identifyServer, normalizeUrl } from "../../../src/gateway/fleet/server-identity.js";

it.each([
  ["a worker on another machine", "http://10.0.0.7:8000", "http://10.0.0.7:30000"],
  ["a worker on the gateway's machine", "http://127.0.0.2:8000", "http://127.0.0.1:30000"],
  ["a worker at localhost", "http://localhost:8000", "http://127.0.0.1:30000"],
  ["a worker at an IPv6 loopback address", "http://[::1]:8000", "http://127.0.0.1:30000"],
  ["a worker whose name looks like a loopback address", "http://127.example:8000", "http://127.example:30000"],
])("identifies a loopback address by the machine of its worker: %s", (_, workerUrl, identity) => {
  for (const host of ["localhost", "127.0.0.1", "127.8.9.1", "[::1]"]) {
    expect(identifyServer(`http://${host}:30000/`, workerUrl)).toBe(identity);
  }
});

it("identifies another address by itself, without a slash at its end", () => {
  expect(identifyServer("http://10.0.0.9:30000", "http://127.0.0.1:8000")).toBe("http://10.0.0.9:30000");
  expect(identifyServer("HTTP://Engine.example:80/base/", "http://10.0.0.7:8000")).toBe("http://engine.example/base");
});

it("spells a client's address in the same way, and keeps a text that is no address", () => {
  expect(normalizeUrl("HTTP://Engine.example:80/base/")).toBe("http://engine.example/base");
  expect(normalizeUrl("http://127.0.0.1:30000")).toBe("http://127.0.0.1:30000");
  expect(normalizeUrl("engine-0/")).toBe("engine-0/");
});
