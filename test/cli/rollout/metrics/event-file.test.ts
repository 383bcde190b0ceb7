import { describe, expect, it } from "vitest";
import { encodeFileStart, encodeScalars, maskedCrc32c } from "../../../../src/cli/rollout/metrics/event-file.js";

describe("encodeFileStart", () => {
  it("writes the record that TensorBoard's own writer writes", () => {
    // Of tensorboard 2.21: RecordWriter.write(Event(wall_time=1.5, file_version="brain.Event:2").SerializeToString())
    expect(encodeFileStart(1.5).toString("hex")).toBe(START);
  });
});

describe("encodeScalars", () => {
  it("writes the record that TensorBoard's own writer writes", () => {
    const scalars = { "reward/mean": 0.5, loss: -1.25 };
    expect(encodeScalars({ time: 1790000000.25, step: 300, scalars }).toString("hex")).toBe(SCALARS);
  });
});

describe("maskedCrc32c", () => {
  it("masks the checksum of RFC 3720", () => {
    const crc = 0xe3069283;
    expect(maskedCrc32c(Buffer.from("123456789"))).toBe((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0);
  });
});

const START = "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c";
const SCALARS =
  "2f000000000000006d5d1d5009000010e04eacda4110ac022a210a120a0b7265776172642f6d65616e150000003f0a0b0a04" +
  "6c6f7373150000a0bf0ce86607";
