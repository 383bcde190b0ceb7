import { expect, it } from "vitest";
import { isSampled } from "../../src/telemetry/trace-headers.js";
import { CLIENT_TRACE } from "../helpers/traces.js";

const { traceparent } = CLIENT_TRACE;

it.each([
  ["00", false],
  ["01", true],
  ["02", false],
  ["0b", true],
  ["10", false],
])("reads flags %s as sampled: %s", (flags, sampled) => {
  expect(isSampled({ traceparent: traceparent.replace(/01$/, flags) })).toBe(sampled);
});
