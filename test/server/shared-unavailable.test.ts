import { expect, it } from "vitest";
import { Proxy } from "../helpers/proxy.js";

it("an export names a missing directory for shared memory, and exports no session", async () => {
  const proxy = await Proxy.start({ settings: { sharedMemory: { directory: "/nowhere/at/all" } } });
  const session = await proxy.session();
  await proxy.chat(session, [{ role: "user", content: "a" }]);
  await proxy.end(session);
  const refused = await proxy.post("/export_batch", { session_ids: [session.id], transport: "shm" });
  expect(refused.refusal).toBe("503 shared_memory_unavailable");
  expect((await proxy.post("/export_batch", { session_ids: [session.id] })).refusal).toBe("200");
  await proxy.close();
});
