import { Session } from "../../../src/session/session.js";
import { encodeInteraction } from "../../../src/session/stored/interaction-record.js";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { sealJson } from "../../../src/session/stored/sealed-json.js";
import type { Change } from "../../../src/storage/index.js";
import { SHAPE } from "../plan.js";
import { SampleCalls } from "../sample-calls.js";

/** Returns what the server writes for each call of a session: the interaction, and the head of the session. */
export function makeChanges(number: number): Change[][] {
  const groups: Change[][] = [];
  const session: Session = new Session({
    id: `task-${number}`,
    taskId: "task",
    journal: {
      recorded: (index, interaction) => {
        const head = { summary: session.summarize(), keyHash: "0".repeat(43) };
        groups.push([
          { table: "records", key: recordKey(number, "interaction", index), value: encodeInteraction(interaction) },
          { table: "sessions", key: sessionKey(number), value: sealJson(head) },
        ]);
      },
      outcomeChanged: () => undefined,
      summaryChanged: () => undefined,
      freed: () => undefined,
      readTools: () => undefined,
    },
  });
  const sample = new SampleCalls(number, SHAPE);
  for (let call = 0; call < SHAPE.calls; call++) sample.record(session);
  return groups;
}
