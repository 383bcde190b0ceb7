import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { MAIN, paste, shellBlock } from "./shell-block.js";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

describe("docs/guides/start.md", () => {
  it("has a curl session that can be pasted as one block: serve, call, reward, export, inspect, stop", async () => {
    const cwd = temporaryFolder();
    const block = shellBlock("docs/guides/start.md", "A session with curl")
      .replaceAll("8090", String(await freePort()))
      .replaceAll("node dist/cli/main.js", `"${process.execPath}" "${MAIN}"`);
    const { stdout } = await paste(`${block}\nwait $SERVER`, cwd);

    expect(stdout).toMatch(/^\{"capacity":1\}$/m);
    expect(stdout).toMatch(/^\{"session_id":"math-\w+-0","session_api_key":"sk-/m);
    expect(stdout).toMatch(/^\{"id":"(chatcmpl-\w+)",.*\n\{"interaction_id":"\1","reward":1\}$/m);
    expect(stdout).toMatch(/^\{"session_id":"math-\w+-0","interaction_count":1\}$/m);
    expect(stdout).toMatch(/^rows +1$/m);
    const { interactions } = JSON.parse(readFileSync(join(cwd, "try", "trajectories.json"), "utf8")) as {
      interactions: object;
    };
    const { tensors } = readSafetensors(readFileSync(join(cwd, "try", "batch.safetensors")));
    expect([Object.keys(interactions).length, tensors["rewards"]?.shape]).toEqual([1, [1]]);
  }, 120_000);
});
