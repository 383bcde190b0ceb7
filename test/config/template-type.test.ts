import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findChooser, readSources } from "../../src/config/index.js";
import { temporaryFolder } from "../cli/rolltape.js";

function write(text: string): string {
  const file = join(temporaryFolder(), "rolltape.yaml");
  writeFileSync(file, text);
  return file;
}

describe("the source of a value", () => {
  it("is the file, an argument, or neither", () => {
    const file = write("server: { port: 1, workers: 2 }\nrollout: { compat: { mode: subproc } }\n");
    const source = readSources({ file, overrides: ["server.port=2", "model.path=/m"] });
    expect(source("server.port")).toBe("argument");
    expect(source("model.path")).toBe("argument");
    expect(source("server.workers")).toBe("file");
    expect(source("rollout.agent.mode")).toBe("file");
    expect(source("rollout.agent.chat_template_type")).toBeUndefined();
  });
});

describe("the program that starts a server", () => {
  const HF = "rollout: { agent: { chat_template_type: hf } }\n";

  it("chooses the template type if nothing else is configured", () => {
    expect(findChooser("rollout", { file: write("{}\n"), overrides: ["server.port=0"] })).toBe("rollout");
    expect(findChooser(undefined, {})).toBeUndefined();
  });

  it("leaves a configured template type as it is, also if it is the default", () => {
    expect(findChooser("rollout", { file: write(HF) })).toBeUndefined();
    expect(findChooser("python", { overrides: ["rollout.compat.chat_template_type=hf"] })).toBeUndefined();
  });
});
