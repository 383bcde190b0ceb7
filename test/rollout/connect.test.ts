import { expect, it } from "vitest";
import { type ConnectOptions, connectProxy } from "../../src/rollout/connect.js";

it.each([
  [undefined, "url is undefined. Expected: an http or https URL."],
  [{ url: "localhost:8000" }, 'url is the string "localhost:8000". Expected: an http or https URL.'],
  [{ url: "http://127.0.0.1:9" }, "adminKey is undefined. Expected: the proxy's admin key."],
  [{ url: "http://127.0.0.1:9", adminKey: "" }, 'adminKey is the string "". Expected: the proxy\'s admin key.'],
])("a proxy is not connected with %j", (options, message) => {
  expect(() => connectProxy(options as ConnectOptions)).toThrow(
    expect.objectContaining({ code: "invalid_option", message }),
  );
});
