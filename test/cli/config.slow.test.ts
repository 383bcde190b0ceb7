import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../src/config/index.js";
import { runRolltape, temporaryFolder } from "./rolltape.js";

describe("rolltape config", () => {
  it("prints the resolved configuration as valid YAML", async () => {
    const file = join(temporaryFolder(), "rolltape.yaml");
    writeFileSync(file, "server: { port: 1 }\nrollout: { compat: { mode: subproc } }\n");
    const { code, stdout, stderr } = await runRolltape(["config", "--config", file, "server.port=2"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(parseConfig(parse(stdout))).toEqual(
      parseConfig({ server: { port: 2 }, rollout: { agent: { mode: "subproc" } } }),
    );
  });

  it("says where values come from, and which commands use them", async () => {
    const file = join(temporaryFolder(), "rolltape.yaml");
    writeFileSync(file, "server: { port: 1 }\n");
    const { stdout } = await runRolltape(["config", "--config", file, "server.log_level=warn"]);
    expect(stdout.match(/^.*#.*$/gm)).toEqual([
      "  port: 1 # file; used by serve, rollout, gateway, controller",
      "  log_level: warn # argument; used by serve, rollout, gateway, controller, worker",
    ]);
  });

  it("says which values a program chooses that starts a server", async () => {
    const find = async (...args: string[]) =>
      /^.*chat_template_type.*$/m.exec((await runRolltape(["config", "--started-by", "rollout", ...args])).stdout)?.[0];
    expect(await find()).toBe(
      "    chat_template_type: concat # rollout; hf if the chat template of the model does not allow concat",
    );
    expect(await find("rollout.agent.chat_template_type=hf")).toBe(
      "    chat_template_type: hf # argument; used by serve, rollout",
    );
  });

  it("hides keys", async () => {
    const { code, stdout } = await runRolltape(["config", "rollout.agent.admin_api_key=0123456789abcdef"]);
    expect(code).toBe(0);
    expect(stdout).toContain('admin_api_key: "[redacted]"');
    expect(stdout).not.toContain("0123456789abcdef");
  });
});

describe("an invalid configuration", () => {
  const command = ["config", "serve"];

  it.each(command)(
    "%s: status 2, every problem on a line of its own, no stack, nothing on standard output",
    async (name) => {
      const args = [
        name,
        "server.prot=1",
        "server.port=x",
        "scheduler.type=ray",
        "rollout.agent.admin_api_key=hush-hush",
      ];
      const { code, stdout, stderr } = await runRolltape(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr.trimEnd().split("\n").toSorted()).toEqual([
        "  rollout.agent.admin_api_key: expected at least 16 visible ASCII characters without spaces or null, got 9 characters",
        "  scheduler.type: expected local or slurm, got ray, because agent workflows do not run on Ray",
        '  server.port: expected an integer from 0 to 65535, got "x"',
        "  server.prot: unknown key; did you mean server.port?",
        "rolltape: the configuration is invalid",
      ]);
    },
  );

  it.each(command)("%s ends with status 2 for a short admin key in the environment", async (name) => {
    const { code, stderr } = await runRolltape([name], { ROLLTAPE_ADMIN_API_KEY: "hush-hush" });
    expect(code).toBe(2);
    expect(stderr).toContain("ROLLTAPE_ADMIN_API_KEY");
    expect(stderr).not.toContain("hush-hush");
  });

  it.each(command)("%s ends with status 2 for a missing file, which it names", async (name) => {
    const { code, stderr } = await runRolltape([name, "-c", "/nowhere/rolltape.yaml"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "rolltape: the configuration is invalid\n  /nowhere/rolltape.yaml: cannot be read (ENOENT)\n",
    });
  });
});

describe("the command line", () => {
  it("prints its version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await runRolltape(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each([["--help"], ["serve", "--help"]])("prints the help for %s %s and ends with status 0", async (...args) => {
    const { code, stdout } = await runRolltape(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: rolltape/);
  });

  it.each([["bogus"], ["serve", "--port", "80"], ["config", "--config"], []])(
    "refuses %s %s %s with status 2",
    async (...args) => {
      const { code, stdout, stderr } = await runRolltape(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^(error|Usage): /);
    },
  );
});
