import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy } from "../helpers/proxy.js";
import { type InstalledPython, installPythonPackage } from "./support/cache.js";

const AGENT = fileURLToPath(new URL("./support/smolagents_agent.py", import.meta.url));

/** What the model writes: its turns end with the stop string that smolagents asks for. */
const TURNS = [
  "I compute it.\n<code>\nx = 6 * 7\nprint(x)\n</code>",
  "I check it.\n<code>\nprint(x - 42)\n</code>",
  "It is right.\n<code>\nfinal_answer(x)\n</code>",
];

let installed: InstalledPython;
beforeAll(() => {
  installed = installPythonPackage("smolagents");
});

describe.each(["hf", "concat"] as const)("a code agent of smolagents with %s", (chatTemplateType) => {
  it("has one row, with every sampled token as it was sampled", async () => {
    const proxy = await Proxy.start({ settings: { chatTemplateType } });
    onTestFinished(() => proxy.close());
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const session = await proxy.session();
    const said: number[][] = [];
    for (const text of TURNS) {
      const pieces = await proxy.context.model.encodeAfter(new Int32Array(), text);
      const ids = (pieces ?? []).flatMap((piece) => [...piece]);
      said.push(ids);
      proxy.engine.replies.push({ ids, finish: { reason: "stop" } });
    }
    const { stdout } = await promisify(execFile)(installed.python, [AGENT, `${url}/v1`, session.key, "What is 6 * 7?"]);
    expect(stdout.trim().split("\n").at(-1)).toBe("42");
    await proxy.end(session);
    const all = Object.values((await proxy.export(session)).json<WireExport>().interactions);
    expect(all).toMatchObject([
      { extended: false, token_exact: false, cause: null },
      { extended: true, token_exact: true, cause: null },
      { extended: true, token_exact: true, cause: null },
    ]);
    const reply = await proxy.export(session, { style: "concat", on_mismatch: "error" });
    const [row, ...others] = Object.values(reply.json<WireExport>().interactions);
    expect(others).toEqual([]);
    if (!row) throw new Error("There is no row.");
    const [ids, mask] = [numbers(row, "input_ids"), numbers(row, "loss_mask")];
    expect(ids.filter((_, i) => mask[i] === 1)).toEqual(said.flat());
    const prompt = proxy.engine.calls[2]?.prompt.tokens() ?? new Int32Array();
    const text = proxy.context.model.decode(prompt, { skipSpecialTokens: false });
    expect(text).toMatch(/print\(x\)\n<\/code>\nCalling tools:\n\[.*python_interpreter.*\]<\|im_end\|>/s);
  });
});
