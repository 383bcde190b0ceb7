import { expect, it, onTestFinished } from "vitest";
import { permissions, shareWithGroup } from "../../src/support/private-files.js";

it("gives new files and folders to their owner alone, until the group may read them too", () => {
  const { ...before } = permissions;
  onTestFinished(() => void Object.assign(permissions, before));
  expect(before).toEqual({ file: 0o600, folder: 0o700 });
  shareWithGroup();
  expect(permissions).toEqual({ file: 0o640, folder: 0o750 });
});
