import { describe, expect, it } from "vitest";
import { RerenderedCalls } from "../../src/server/rerendered-calls.js";
import { captureLog } from "../helpers/captured-log.js";
import { Proxy } from "../helpers/proxy.js";

const exact = { parent: 0, tokenExact: true, fallback: undefined };
const rerendered = { parent: 0, tokenExact: false, fallback: "rerendered" };

function count(calls: readonly Parameters<RerenderedCalls["count"]>[0][]): string[] {
  const warnings: string[] = [];
  const counter = new RerenderedCalls((message) => warnings.push(message));
  for (const call of calls) counter.count(call);
  return warnings;
}

const repeat = <T>(call: T, times: number): T[] => Array.from({ length: times }, () => call);

describe("rerendered calls", () => {
  it("are warned of once, with their share, after 50 calls that continue another", () => {
    expect(count(repeat(rerendered, 49))).toEqual([]);
    const [warning, ...more] = count([...repeat(exact, 40), ...repeat(rerendered, 60)]);
    expect(warning).toMatch(/^10 of 50 calls that continue another one \(20 %\) have prompts with other tokens/);
    expect(warning).toContain("rollout.agent.chat_template_type=concat");
    expect(more).toEqual([]);
  });

  it("are not warned of while they are fewer than a tenth", () => {
    expect(count([...repeat(exact, 100), ...repeat(rerendered, 10)])).toEqual([]);
    expect(count([...repeat(exact, 90), ...repeat(rerendered, 10)])).toHaveLength(1);
  });

  it("do not include roots and other causes", () => {
    const root = { ...rerendered, parent: -1 };
    const rewritten = { ...rerendered, fallback: "history_rewritten" };
    expect(count([...repeat(root, 60), ...repeat(rewritten, 60)])).toEqual([]);
  });

  it("are warned of in the log of a server", async () => {
    const log = captureLog();
    const proxy = await Proxy.start({ logger: log.logger, settings: { chatTemplateType: "hf" } });
    // The tokenizer has one token for this text.
    proxy.engine.fallback = { ids: [...Buffer.from("look")].map((byte) => findByte(proxy, byte)) };
    for (let episode = 0; episode < 50; episode++) {
      const session = await proxy.session();
      const { messages } = await proxy.turn(session, [{ role: "user", content: "x" }]);
      await proxy.turn(session, [...messages, { role: "user", content: "y" }]);
      await proxy.end(session);
    }
    await proxy.close();
    const warnings = log.lines.filter(({ key }) => key === "rollout.agent.chat_template_type");
    expect(warnings).toMatchObject([
      { level: 40, msg: expect.stringMatching(/^50 of 50 calls .* \(100 %\)/) as string },
    ]);
  });
});

function findByte({ context }: Proxy, byte: number): number {
  for (let id = 0; id < 300; id++) {
    const bytes = context.model.tokenBytes(id);
    if (bytes.length === 1 && bytes[0] === byte) return id;
  }
  throw new Error(`no token has the byte ${byte}`);
}
