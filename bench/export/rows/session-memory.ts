import { Session } from "../../../src/session/session.js";
import { StoredSession } from "../../../src/session/trajectory-store.js";
import { type LoadShape, makeLoad, recordConversation } from "../load.js";
import { collectGarbage } from "../measure.js";
import { report } from "../row.js";

/** Memory that sessions of 50 turns growing to 64K tokens hold, per distinct token. */

const SHAPE: LoadShape = { sessions: 1, turns: 50, tokens: 65_536 };
const SESSIONS = 200;

function record(shape: LoadShape, index: number): { session: Session; tokens: number } {
  const session = new Session({ id: `task-${index}`, taskId: "task" });
  let tokens = 0;
  for (const conversation of makeLoad(shape)) {
    recordConversation(new StoredSession(session), conversation);
    for (const { tail, output } of conversation) tokens += tail.length + output.length;
  }
  return { session, tokens };
}

async function settledRss(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage.rss();
}

/** Resident memory that many sessions add to the process, per token. */
async function residentPerToken(shape: LoadShape): Promise<number> {
  const warm = record(shape, -1);
  const before = await settledRss();
  const held = Array.from({ length: SESSIONS }, (_, index) => record(shape, index));
  const after = await settledRss();
  const tokens = held.reduce((sum, each) => sum + each.tokens, 0);
  for (const { session } of [warm, ...held]) session.free("exported");
  return (after - before) / tokens;
}

const verdict = (value: number) => ({ value, wanted: 10, sense: "at most", unit: " B" }) as const;
const { session, tokens } = record(SHAPE, 0);
report({
  what: "held per distinct token: native memory of one session",
  ours: `${session.byteLength} B for ${tokens} tokens`,
  reference: "4 B an input, 8 B an output token",
  verdict: verdict(session.byteLength / tokens),
});
session.free("exported");
for (const charactersPerToken of [0, 4]) {
  report({
    what: `held per distinct token: resident memory, ${charactersPerToken === 0 ? "short messages" : `${charactersPerToken} characters of text a token`}`,
    ours: `${SESSIONS} sessions in one process`,
    reference: charactersPerToken === 0 ? "" : "with the text of the messages",
    verdict: verdict(await residentPerToken({ ...SHAPE, charactersPerToken })),
  });
}
