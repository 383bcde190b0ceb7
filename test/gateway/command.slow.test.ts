import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rolltape, temporaryFolder } from "../cli/rolltape.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { readSafetensors } from "../helpers/safetensors.js";

const KEY = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-many-workers" };

interface Ready {
  url: string;
  workers: string[];
}

describe("rolltape gateway", () => {
  it("serves the workers that register in its folder, and a dead worker affects only its own sessions", async () => {
    const folder = join(temporaryFolder(), "workers");
    const serve = () => rolltape(["serve", "server.port=0", `server.workers_folder=${folder}`], KEY);
    const servers = [serve(), serve()];
    await Promise.all(servers.map((server) => server.ready()));
    const gateway = rolltape(["gateway", "server.port=0", `gateway.workers_folder=${folder}`], KEY);
    const { url, workers } = await gateway.line<Ready>();
    expect(workers).toHaveLength(2);

    const trainer = new HttpTrainer(url, KEY.ROLLTAPE_ADMIN_API_KEY);
    const ids: string[] = [];
    for (const topic of ["rain", "snow", "wind", "fog"]) ids.push(await trainer.converse(topic, 2, { max_tokens: 4 }));
    const { metadata } = readSafetensors(await trainer.exportBatch(ids));
    const rows = JSON.parse(metadata["rows"] ?? "") as { session_id: string }[];
    expect(rows.map(({ session_id }) => session_id)).toEqual(ids.flatMap((id) => [id, id]));
    expect(new Set(ids.map((id) => id.split("-").at(-2)))).toEqual(new Set(workers));

    servers[0]?.process.kill("SIGKILL");
    await servers[0]?.ended;
    const left = await trainer.converse("hail", 1, { max_tokens: 4 });
    expect(readSafetensors(await trainer.exportBatch([left])).tensors["rewards"]?.data).toEqual([1]);

    gateway.process.kill("SIGTERM");
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  it("returns the address of a session's worker with gateway.direct=true", async () => {
    const folder = join(temporaryFolder(), "workers");
    const server = rolltape(["serve", "server.port=0", `server.workers_folder=${folder}`], KEY);
    const direct = await server.ready();
    const args = ["gateway", "server.port=0", `gateway.workers_folder=${folder}`, "gateway.direct=true"];
    const { url } = await rolltape(args, KEY).line<Ready>();
    const trainer = new HttpTrainer(url, KEY.ROLLTAPE_ADMIN_API_KEY);
    await trainer.post("/grant_capacity", {});
    const started = await (await trainer.post("/rl/start_session", {})).json();
    expect(started).toMatchObject({ base_url: direct.url });
  });

  it("ignores misspelled fields, like its workers, with server.strict_control_fields=false", async () => {
    const folder = join(temporaryFolder(), "workers");
    const lenient = ["server.port=0", "server.strict_control_fields=false"];
    const server = rolltape(["serve", ...lenient, `server.workers_folder=${folder}`], KEY);
    const direct = await server.ready();
    const { url } = await rolltape(["gateway", ...lenient, `gateway.workers_folder=${folder}`], KEY).line<Ready>();
    for (const trainer of [url, direct.url].map((each) => new HttpTrainer(each, KEY.ROLLTAPE_ADMIN_API_KEY))) {
      const id = await trainer.converse("rain", 1, { max_tokens: 4 });
      const batch = await trainer.exportBatch([id], { discont: 0.5 });
      expect(readSafetensors(batch).metadata["discount"]).toBe("1");
    }
  });
});
