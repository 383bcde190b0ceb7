import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cacheFolder, parseConfig, removeKeyFile, resolveAdminKey, writeKeyFile } from "../../src/config/index.js";
import { catchConfigError, temporaryFolder } from "./helpers.js";

const CONFIGURED = "configured-admin-key";
const ENV = { ROLLTAPE_ADMIN_API_KEY: "environment-admin-key" };

describe("resolveAdminKey", () => {
  it("prefers the configuration's key to the environment's", () => {
    const config = parseConfig({ rollout: { agent: { admin_api_key: CONFIGURED } } });
    expect(resolveAdminKey(config, ENV)).toEqual({ key: CONFIGURED });
  });

  it("prefers the environment's key to a random one", () => {
    expect(resolveAdminKey(parseConfig({}), ENV)).toEqual({ key: ENV.ROLLTAPE_ADMIN_API_KEY });
  });

  it("refuses a short key in the environment without showing it", () => {
    const error = catchConfigError(() => resolveAdminKey(parseConfig({}), { ROLLTAPE_ADMIN_API_KEY: "short-key" }));
    expect(error.problems[0]?.path).toBe("ROLLTAPE_ADMIN_API_KEY");
    expect(error.message).not.toContain("short-key");
  });

  it("creates a random key that is valid and different each time", () => {
    const [one, two] = [resolveAdminKey(parseConfig({}), {}), resolveAdminKey(parseConfig({}), {})];
    expect(one.key).toMatch(/^sk-admin-[\w-]{43}$/);
    expect(one.key).not.toBe(two.key);
    expect(() => parseConfig({ rollout: { agent: { admin_api_key: one.key } } })).not.toThrow();
  });

  it("treats an empty variable as absent", () => {
    expect(resolveAdminKey(parseConfig({}), { ROLLTAPE_ADMIN_API_KEY: "" }).key).toMatch(/^sk-admin-/);
  });

  it("returns a different file for each server of a machine", () => {
    const findKeyFile = (port: number) =>
      resolveAdminKey(parseConfig({ server: { port } }), { ROLLTAPE_CACHE_DIR: "/cache" }).file;
    expect(findKeyFile(8090)).toBe("/cache/admin-key-8090");
    expect(findKeyFile(0)).toBe(`/cache/admin-key-pid-${process.pid}`);
  });

  it("returns the configured file", () => {
    const config = parseConfig({ rollout: { agent: { key_file: "/run/rolltape/key" } } });
    expect(resolveAdminKey(config, {}).file).toBe("/run/rolltape/key");
  });
});

describe("cacheFolder", () => {
  it.each([
    [{ ROLLTAPE_CACHE_DIR: "/r", XDG_CACHE_HOME: "/x", HOME: "/h" }, "/r"],
    [{ ROLLTAPE_CACHE_DIR: "", XDG_CACHE_HOME: "/x", HOME: "/h" }, "/x/rolltape"],
    [{ XDG_CACHE_HOME: "", HOME: "/h" }, "/h/.cache/rolltape"],
    [{}, join(homedir(), ".cache/rolltape")],
  ])("follows the environment %j", (env, folder) => {
    expect(cacheFolder(env)).toBe(folder);
  });
});

describe("key files", () => {
  const mode = (path: string) => statSync(path).mode & 0o777;

  it("are readable by their owner only, and so is a folder created for them", () => {
    const folder = join(temporaryFolder(), "made", "here");
    const file = join(folder, "key");
    writeKeyFile(file, "the-key");
    expect(readFileSync(file, "utf8")).toBe("the-key\n");
    expect(mode(file)).toBe(0o600);
    expect(mode(folder)).toBe(0o700);
    expect(readdirSync(folder)).toEqual(["key"]);
  });

  it("have this mode under every umask", () => {
    const file = join(temporaryFolder(), "key");
    const before = process.umask(0o777);
    try {
      writeKeyFile(file, "the-key");
    } finally {
      process.umask(before);
    }
    expect(mode(file)).toBe(0o600);
  });

  it("replace a readable file instead of writing into it", () => {
    const folder = temporaryFolder();
    const file = join(folder, "key");
    writeFileSync(file, "old");
    chmodSync(file, 0o644);
    writeKeyFile(file, "new");
    expect(readFileSync(file, "utf8")).toBe("new\n");
    expect(mode(file)).toBe(0o600);
  });

  it("replace a link instead of following it", () => {
    const folder = temporaryFolder();
    const [file, victim] = [join(folder, "key"), join(folder, "victim")];
    writeFileSync(victim, "precious");
    symlinkSync(victim, file);
    writeKeyFile(file, "new");
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(readFileSync(file, "utf8")).toBe("new\n");
  });

  it("leave no temporary file if they cannot be written", () => {
    const folder = temporaryFolder();
    const file = join(folder, "key");
    mkdirSync(file);
    expect(() => writeKeyFile(file, "new")).toThrow(/EISDIR/);
    expect(readdirSync(folder)).toEqual(["key"]);
  });

  it("are removed only while they hold the same key", () => {
    const file = join(temporaryFolder(), "key");
    writeKeyFile(file, "of-another-server");
    removeKeyFile(file, "mine");
    expect(readFileSync(file, "utf8")).toBe("of-another-server\n");
    removeKeyFile(file, "of-another-server");
    removeKeyFile(file, "of-another-server");
    expect(() => readFileSync(file)).toThrow(/ENOENT/);
  });
});
