import { expect, it } from "vitest";
import { recordKey } from "../../../src/session/stored/keys.js";
import { changeStored, flipBit, newFolder, recordBranches, startStored } from "../../cli/storage/stored-sessions.js";
import { readSample } from "../../helpers/metrics-text.js";
import type { Proxy, StartedSession } from "../../helpers/proxy.js";

/** A server with sessions whose stored data is damaged. */

const DAMAGED = [0, 2];

/** Starts a server with four ended sessions, of which two have a damaged record. */
async function startDamaged(end = true): Promise<{ proxy: Proxy; sessions: StartedSession[] }> {
  const directory = newFolder();
  const before = await startStored(directory);
  const sessions: StartedSession[] = [];
  for (let i = 0; i < 4; i++) sessions.push(await recordBranches(before, `task-${i}`));
  if (end) for (const session of sessions) await before.end(session);
  await before.close();
  await changeStored(directory, (storage) =>
    DAMAGED.map((number) => flipBit(storage, "records", recordKey(number, "interaction", 1))),
  );
  return { proxy: await startStored(directory), sessions };
}

it("refuses calls of a damaged session in a way that SDKs do not repeat", async () => {
  const { proxy, sessions } = await startDamaged(false);
  const [damaged, intact] = sessions as [StartedSession, StartedSession];
  const reply = await proxy.chat(damaged, [{ role: "user", content: "a" }]);
  expect(reply.refusal).toBe("500 session_damaged");
  expect(reply.headers).toMatchObject({ "x-should-retry": "false" });
  expect(reply.headers).not.toHaveProperty("retry-after");
  expect(reply.error.message).toBe(
    `Session ${damaged.id} is damaged: interaction 1: its checksum is wrong. ` +
      "Stop the server, then run `rolltape storage verify`, which lists what is damaged, or " +
      "`rolltape storage compact --leave-out-damaged`, which leaves it out.",
  );
  expect((await proxy.chat(intact, [{ role: "user", content: "a" }])).refusal).toBe("200");
});

it("exports no session of a batch with damaged ones, and names them so that the caller can leave them out", async () => {
  const { proxy, sessions } = await startDamaged();
  const ids = sessions.map(({ id }) => id);
  const refused = await proxy.post("/export_batch", { session_ids: ids });
  expect(refused.refusal).toBe("500 session_damaged");
  const damaged = (refused.error["sessions"] as { session_id: string }[]).map(({ session_id }) => session_id);
  expect(damaged.toSorted()).toEqual(DAMAGED.map((i) => ids[i]));
  expect(refused.error.message).toMatch(
    /^2 of 4 sessions cannot be exported, so none was\. First: Session \S+ is damaged/,
  );
  const rest = await proxy.post("/export_batch", { session_ids: ids.filter((id) => !damaged.includes(id)) });
  expect(rest.refusal).toBe("200");
});

it("names the damaged session if only one is exported", async () => {
  const { proxy, sessions } = await startDamaged();
  const id = sessions[0]?.id;
  const refused = await proxy.post("/export_trajectories", { session_id: id });
  expect(refused.refusal).toBe("500 session_damaged");
  expect(refused.error.message).toContain(`Session ${id} is damaged: interaction 1: its checksum is wrong.`);
});

it("counts damaged sessions that were needed until they are deleted", async () => {
  const { proxy, sessions } = await startDamaged();
  const readDamaged = async () => {
    const { raw } = await proxy.request({ method: "GET", url: "/metrics" });
    return readSample(raw.toString(), "rolltape_storage_damaged_sessions");
  };
  expect(await readDamaged()).toBe(0);
  const ids = sessions.map(({ id }) => id);
  await proxy.post("/export_batch", { session_ids: ids });
  expect(await readDamaged()).toBe(2);
  await proxy.request({ method: "DELETE", url: `/rl/sessions/${ids[0]}` });
  expect(await readDamaged()).toBe(1);
});
