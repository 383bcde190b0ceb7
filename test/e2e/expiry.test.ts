import { pino } from "pino";
import { expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { startServer } from "../../src/server/start.js";
import { HttpTrainer } from "../helpers/http-trainer.js";

const adminKey = "sk-admin-0123456789abcdef";

it("sessions expire without another call to the server", async () => {
  const config = parseConfig({
    server: { port: 0, shutdown_seconds: 0 },
    rollout: { agent: { session_timeout_seconds: 0.3 } },
  });
  const server = await startServer(config, { adminKey, logger: pino({ level: "silent" }) });
  try {
    const { id, key } = await new HttpTrainer(server.url, adminKey).openSession();
    const headers = { authorization: `Bearer ${adminKey}` };
    const record = async () => (await fetch(`${server.url}/rl/sessions/${id}`, { headers })).json();
    await expect.poll(record).toMatchObject({ state: "expired", native_bytes: 0 });
    const reward = await fetch(`${server.url}/rl/end_session`, { method: "POST", headers: { "x-api-key": key } });
    expect(reward.status).toBe(401);
  } finally {
    await server.close();
  }
});
