import { expect, it } from "vitest";
import { type ConnectOptions, connectProxy } from "../../src/rollout/connect.js";

it.each([
  [undefined, "url must be an http or https URL; received undefined."],
  [{ url: "localhost:8000" }, 'url must be an http or https URL; received the string "localhost:8000".'],
  [{ url: "http://127.0.0.1:9" }, "adminKey must be the proxy's admin key; received undefined."],
  [{ url: "http://127.0.0.1:9", adminKey: "" }, 'adminKey must be the proxy\'s admin key; received the string "".'],
])("connectProxy refuses %j", (options, message) => {
  expect(() => connectProxy(options as ConnectOptions)).toThrow(
    expect.objectContaining({ code: "invalid_option", message }),
  );
});
