import { expect, test } from "vitest";
import { runRolltape, temporaryFolder } from "../../cli/rolltape.js";

/** The commands without the optional package of S3. */

const hook = `export const resolve = (name, context, next) => {
  if (name === "@aws-sdk/client-s3") throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  return next(name, context);
};`;
const toModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
const register = `import { register } from "node:module"; register(${JSON.stringify(toModule(hook))});`;
const env = { NODE_OPTIONS: `--import ${toModule(register)}`, ROLLTAPE_ADMIN_API_KEY: "sk-admin-without-s3" };

const ADDRESS = "s3://bucket/prefix";

test.each([
  ["export", ["export", "--storage", ADDRESS, "--out", "x.safetensors"]],
  ["view", ["view", ADDRESS]],
  ["inspect", ["inspect", `${ADDRESS}/x.safetensors`]],
  ["serve", ["serve", "server.port=0", `storage.archive=${ADDRESS}`]],
])("%s names the package that S3 needs, if it is not installed", async (command, args) => {
  const more = command === "serve" ? [`storage.directory=${temporaryFolder()}`] : [];
  const { code, stderr } = await runRolltape([...args, ...more], env);
  expect(code).toBe(1);
  expect(stderr).toContain(
    "needs the package @aws-sdk/client-s3, which is not installed: `npm install @aws-sdk/client-s3`",
  );
});
