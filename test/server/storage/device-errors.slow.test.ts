import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runRolltape } from "../../cli/rolltape.js";
import { makeFailingDevice } from "../../helpers/failing-device.js";
import { refused, StoredServer } from "./stored-server.js";

/** A server on a block device that refuses writes: the kernel accepts the writes, and `fdatasync` fails. */

vi.setConfig({ testTimeout: 300_000 });

const LONG = "some words ".repeat(1000);

test("refuses calls while the device fails, and has every answer when the device is mounted again", async ({
  skip,
}) => {
  const device = makeFailingDevice();
  if (!device) return skip("only root may make a block device");
  onTestFinished(() => device.remove());
  const directory = join(device.folder, "storage");
  const server = new StoredServer(directory);
  await server.start();
  const key = await server.session();
  for (let n = 0; n < 5; n++) expect(await server.call(key, `${n} ${LONG}`)).toMatchObject({ status: 200 });
  for (const isMountedAgain of [false, true, false]) {
    const round = server.answers.size;
    device.fail();
    let reply = await server.call(key, `${round} ${LONG}`);
    while (reply.status === 200) reply = await server.call(key, `${round} ${LONG}`);
    expect(reply).toMatchObject(refused);
    expect(await server.health()).toMatchObject({ status: 503, body: { status: "storage_failed" } });
    device.recover();
    await server.kill();
    if (isMountedAgain) device.remount();
    await server.start();
    expect(await server.countLost()).toBe(0);
    for (let n = 0; n < 5; n++) expect(await server.call(key, `${round} ${n} ${LONG}`)).toMatchObject({ status: 200 });
  }
  await server.kill();
  device.remount();
  expect(await runRolltape(["storage", "verify", directory])).toMatchObject({ code: 0 });
  await server.start();
  expect(await server.countLost()).toBe(0);
  expect(server.answers.size).toBeGreaterThanOrEqual(20);
  await server.kill();
});
