import { expect, it } from "vitest";
import { isS3Address, readS3Address } from "../../src/support/s3-address.js";

it.each([
  ["s3://bucket", { bucket: "bucket", key: "" }],
  ["s3://bucket/", { bucket: "bucket", key: "" }],
  ["s3://my.bucket-1/runs/a/", { bucket: "my.bucket-1", key: "runs/a" }],
])("reads %s", (address, expected) => {
  expect(readS3Address(address)).toEqual(expected);
});

it.each(["bucket/a", "https://bucket/a", "s3://", "s3:///a", "s3://UPPER/a", "s3://ab/c", "s3://bucket//a"])(
  "refuses %s",
  (address) => {
    expect(readS3Address(address)).toBeUndefined();
  },
);

it("distinguishes an address from a path", () => {
  expect(["s3://bucket/a", "s3://", "s3:/a", "/s3://a", ""].map(isS3Address)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
