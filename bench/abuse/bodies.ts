import { sized } from "../sized.js";

/** A request that costs its server more than its sender. */
export interface Abuse {
  readonly name: string;
  readonly path: string;
  readonly body: () => string;
}

const CHAT = "/v1/chat/completions";
const HELLO = '"messages":[{"role":"user","content":"hello"}]';

/** Scales a count: in a smoke run a hundredth shows that the abuse works. */
const many = (count: number): number => sized(count, Math.ceil(count / 100));

const list = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(",");

const keys = (count: number): string => list(count, (i) => `"key ${i}":"v"`);
const message = (i: number): string => `{"role":"${i % 2 ? "assistant" : "user"}","content":"message ${i}"}`;
const tool = (i: number): string =>
  `{"type":"function","function":{"name":"tool_${i}","parameters":{"type":"object","properties":{${list(8, (k) => `"p${k}":{"type":"string"}`)}}}}}`;
const call = (json: string): string =>
  `{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":${JSON.stringify(json)}}}]},` +
  '{"role":"tool","tool_call_id":"call_1","content":"done"}';

/** Requests far over the limits of a server with the default configuration. */
export const OVER_LIMITS: readonly Abuse[] = [
  { name: "800,000 keys in metadata", path: CHAT, body: () => `{${HELLO},"metadata":{${keys(many(800_000))}}}` },
  { name: "300,000 input items", path: "/v1/responses", body: () => `{"input":[${list(many(300_000), message)}]}` },
  {
    name: "3M numbers in a tool's input",
    path: CHAT,
    body: () => `{"messages":[${call(`{"x":[${list(many(3_000_000), () => "1")}]}`)}]}`,
  },
  { name: "100,000 messages", path: CHAT, body: () => `{"messages":[${list(many(100_000), message)}]}` },
  { name: "15M brackets", path: CHAT, body: () => "[".repeat(many(15_000_000)) },
];

/** Requests that stay just below the default limits. */
export const AT_LIMITS: readonly Abuse[] = [
  { name: "4,096 messages", path: CHAT, body: () => `{"messages":[${list(many(4096), message)}]}` },
  { name: "4,096 input items", path: "/v1/responses", body: () => `{"input":[${list(many(4096), message)}]}` },
  { name: "512 tools", path: CHAT, body: () => `{${HELLO},"tools":[${list(many(512), tool)}]}` },
  {
    name: "49,000 numbers in a tool's input",
    path: CHAT,
    body: () =>
      `{"messages":[{"role":"user","content":"x"},${call(`{"x":[${list(many(49_000), () => "1.5")}]}`)},{"role":"user","content":"x"}]}`,
  },
  {
    name: "49,000 values in a tool's schema",
    path: CHAT,
    body: () =>
      `{${HELLO},"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","enum":[${list(many(48_000), (i) => `"${i}"`)}]}}}]}`,
  },
  {
    name: "12 objects of 4,000 keys in a tool's schema",
    path: CHAT,
    body: () =>
      `{${HELLO},"tools":[{"type":"function","function":{"name":"f","parameters":{"x":[${list(12, () => `{${keys(many(4000))}}`)}]}}}]}`,
  },
  {
    name: "20,000 text parts in one message",
    path: CHAT,
    body: () => `{"messages":[{"role":"user","content":[${list(many(16_000), () => '{"type":"text","text":"a"}')}]}]}`,
  },
  {
    name: "49,000 numbers in a tool_use block",
    path: "/v1/messages",
    body: () =>
      `{"max_tokens":8,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"x":[${list(many(49_000), () => "1.0")}]}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`,
  },
  {
    name: "49,000 numbers in a functionCall",
    path: "/v1beta/models/tiny:generateContent",
    body: () =>
      `{"contents":[{"parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"id":"t","name":"f","args":{"x":[${list(many(49_000), () => "1.0")}]}}}]},{"parts":[{"functionResponse":{"id":"t","name":"f","response":{"output":"x"}}}]}]}`,
  },
  {
    name: "4,000 responses without ids in one content",
    path: "/v1beta/models/tiny:generateContent",
    body: () =>
      `{"contents":[{"parts":[{"text":"x"}]},{"role":"model","parts":[${list(many(4000), () => '{"functionCall":{"name":"f"}}')}]},{"parts":[${list(many(4000), () => '{"functionResponse":{"name":"f","response":{}}}')}]}]}`,
  },
  { name: "one text of 4 MB, words", path: CHAT, body: () => text("word ".repeat(many(838_000))) },
  { name: "one text of 4 MB, no break", path: CHAT, body: () => text("x".repeat(many(4_190_000))) },
  { name: "one text of 4 MB, no break, many letters", path: CHAT, body: () => text(letters(many(4_190_000))) },
  { name: "one text of 4 MB, not ASCII", path: CHAT, body: () => text("語".repeat(many(4_190_000))) },
  { name: "one text of 4 MB, special tokens", path: CHAT, body: () => text("<|im_start|>".repeat(many(349_000))) },
  { name: "one text of 4 MB, quotes", path: CHAT, body: () => text('\\"'.repeat(many(4_190_000))) },
  {
    name: "15 MB of escapes in user",
    path: CHAT,
    body: () => `{${HELLO},"user":"${"\\n".repeat(many(7_500_000))}"}`,
  },
  {
    name: "15 MB of white space",
    path: CHAT,
    body: () => `{"messages":[${" ".repeat(many(15_000_000))}{"role":"user","content":"hello"}]}`,
  },
  {
    name: "4,000 calls in one turn",
    path: "/v1/responses",
    body: () =>
      `{"input":[${list(many(4000), (i) => `{"type":"function_call","call_id":"c${i}","name":"f","arguments":"{}"}`)}]}`,
  },
  {
    name: "4 MB in 4,096 messages",
    path: CHAT,
    body: () =>
      `{"messages":[${list(many(4096), (i) => `{"role":"${i % 2 ? "assistant" : "user"}","content":"${"some words ".repeat(90)}${i}"}`)}]}`,
  },
  { name: "64 answers to a prompt of 240,000 tokens", path: CHAT, body: () => sampled("word ".repeat(many(80_000))) },
  {
    name: "64 answers with a schema of 4,000 properties",
    path: CHAT,
    body: () =>
      `{${HELLO},"n":64,"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"type":"object","properties":{${list(many(4000), (i) => `"p${i}":{"type":"string"}`)}}}}}}`,
  },
  {
    name: "512 tools of 30 properties, tokens counted",
    path: "/v1/messages/count_tokens",
    body: () => `{"model":"m",${HELLO},"tools":[${list(many(512), largeTool)}]}`,
  },
  { name: "one text of 15 MB", path: CHAT, body: () => text("word ".repeat(many(3_000_000))) },
];

function largeTool(i: number): string {
  const properties = list(30, (k) => `"property_${k}":{"type":"string","description":"value ${k}"}`);
  return `{"name":"tool_${i}","input_schema":{"type":"object","properties":{${properties}}}}`;
}

function sampled(content: string): string {
  return `{"messages":[{"role":"user","content":"${content}"}],"n":64}`;
}

function text(content: string): string {
  return `{"messages":[{"role":"user","content":"${content}"}]}`;
}

/** Random lower-case letters, always the same. */
function letters(count: number): string {
  let state = 1;
  const codes = Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return 97 + ((state >>> 16) % 26);
  });
  return Buffer.from(codes).toString("latin1");
}
