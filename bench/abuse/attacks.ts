import type { Attack } from "./attack.js";
import { AT_LIMITS, OVER_LIMITS } from "./bodies.js";
import { repeatRequest } from "./repeated-request.js";
import { SLOW } from "./slow-connections.js";

const UNKNOWN_KEY = "sk-unknown-0123456789abcdef";
const HELLO = '{"messages":[{"role":"user","content":"hello"}]}';
const chat = "/v1/chat/completions";

/** Requests without a valid key. */
const WITHOUT_KEY: readonly Attack[] = [
  { name: "small requests with an unknown key", path: chat, body: () => HELLO, key: UNKNOWN_KEY },
  { name: "15 MB with an unknown key", path: chat, body: () => "x".repeat(15_000_000), key: UNKNOWN_KEY },
].map(repeatRequest);

/** All attacks of `npm run bench:abuse`. */
export const ATTACKS: readonly Attack[] = [
  ...[...OVER_LIMITS, ...AT_LIMITS].map(repeatRequest),
  ...WITHOUT_KEY,
  ...SLOW,
];
