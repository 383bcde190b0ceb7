import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import type { StartedSession } from "../helpers/proxy.js";
import { ServedAgents } from "../helpers/served-agents.js";

const user = (content: string) => ({ role: "user", content });

const SUMMARY = "The parser fails because a comma is missing in line 12 of the grammar. ".repeat(4).trim();
const OTHER_SUMMARY = "The comma is there now and all tests of the parser pass, so that nothing is left. "
  .repeat(4)
  .trim();

interface Completion {
  readonly id: string;
  readonly choices: readonly [{ readonly message: object }];
}

describe("the link of a compacted conversation", () => {
  it("is in the export, also after a restart, and is found for calls after a restart", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-compaction-"));
    let session: StartedSession;
    let served: ServedAgents;
    const call = async (messages: readonly object[], answer: string) => {
      await served.say(answer);
      const { id, choices } = (await served.proxy.chat(session, messages)).json<Completion>();
      return { id, messages: [...messages, choices[0].message] };
    };

    served = await ServedAgents.start({ storage: { directory } });
    session = await served.session();
    const first = await call([user("Fix the tests.")], "I look.");
    const summary = await call([...first.messages, user("Summarize.")], SUMMARY);
    const next = await call([user(`Summary: ${SUMMARY}`)], "I add it.");
    const other = await call([...next.messages, user("Summarize.")], OTHER_SUMMARY);
    await served.proxy.close();

    served = await ServedAgents.start({ storage: { directory } });
    const last = await call([user(OTHER_SUMMARY)], "Done.");
    await served.proxy.post("/rl/set_reward", { reward: 16, scope: "session" }, session.key);
    await served.proxy.end(session);
    const { interactions } = (await served.proxy.export(session, { discount: 0.5 })).json<WireExport>();
    expect(Object.values(interactions)).toMatchObject([
      { interaction_id: first.id, compacted_from: null, parent_id: null, reward: 1 },
      { interaction_id: summary.id, compacted_from: null, parent_id: first.id, reward: 2 },
      { interaction_id: next.id, compacted_from: summary.id, parent_id: null, reward: 4 },
      { interaction_id: other.id, compacted_from: null, parent_id: next.id, reward: 8 },
      { interaction_id: last.id, compacted_from: other.id, parent_id: null, reward: 16 },
    ]);
    await served.proxy.close();
    rmSync(directory, { recursive: true });
  });

  it("shows that the client has the summary, so that an undelivered one is not left out", async () => {
    const served = await ServedAgents.start();
    const session = await served.session();
    await served.say("I look.");
    await served.proxy.chat(session, [user("Fix the tests.")]);
    await served.say(SUMMARY);
    await served.proxy.chat(session, [
      user("Fix the tests."),
      { role: "assistant", content: "I look." },
      user("Sum up."),
    ]);
    const recorded = served.proxy.context.registry.get(session.id);
    recorded.delivery.closedEarly(1);
    expect(recorded.leftOut.reasonOf(1)).toBe("undelivered");
    await served.proxy.chat(session, [user(SUMMARY)]);
    expect(recorded.leftOut.reasonOf(1)).toBeUndefined();
    await served.proxy.close();
  });
});
