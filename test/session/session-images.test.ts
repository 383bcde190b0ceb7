import { describe, expect, it } from "vitest";
import type { PlacedImage } from "../../src/conversation/content.js";
import type { Message } from "../../src/conversation/message.js";
import type { Session } from "../../src/session/session.js";
import { measureImages, measureMessages, measureRequest } from "../../src/session/session-size.js";
import { LocalSession, TrajectoryStore } from "../../src/session/trajectory-store.js";
import { digestOf, makePng } from "../helpers/images.js";
import { beginTurn, recordAnswer, recordTurn } from "../helpers/record-turn.js";
import { assistant, turn, user } from "../helpers/turn.js";
import { registryOf } from "./support/registry.js";

/** The files of images that prompts show: where they are in memory, and when. */

const DARK = Uint8Array.from(makePng(4, 3, 30));
const LIGHT = Uint8Array.from(makePng(4, 3, 255));
const files = new Map([DARK, LIGHT].map((file) => [digestOf(file), file]));

const place = (file: Uint8Array, offset: number, length = 2): PlacedImage => ({
  sha256: digestOf(file),
  mediaType: "image/png",
  width: 4,
  height: 3,
  offset,
  length,
});

const says = (content: string): Message => ({ role: "assistant", content });
const asks = (content: string): Message => ({ role: "user", content });

/** Tokens of a prompt. Images have token 9. */
const prompt = (ids: readonly number[], ...images: readonly PlacedImage[]) => ({
  pieces: [Int32Array.from(ids)],
  images,
});

const FIRST = [asks("Which color?")];
const NEXT = [...FIRST, says("Red."), asks("And now?")];

function recordFirst(session: Session, file = DARK) {
  return recordTurn(
    session,
    { messages: FIRST },
    { output: [says("Red.")], images: files },
    prompt([1, 9, 9, 2], place(file, 1)),
  );
}

describe("an image of a prompt", () => {
  it("is kept with its file until the session is freed", () => {
    const { session } = registryOf().start({});
    const { images } = recordFirst(session);
    expect(images).toEqual([place(DARK, 1)]);
    expect(session.imageFile(digestOf(DARK))).toEqual(DARK);
    expect(session.imageFile(digestOf(LIGHT))).toBeUndefined();
    session.free("expired");
    expect(session.imageFile(digestOf(DARK))).toBeUndefined();
  });

  it("counts in the size of its call", () => {
    const { session } = registryOf().start({});
    const { objectBytes } = session.data.toStored(recordFirst(session));
    const texts = measureRequest(FIRST, undefined) + measureMessages([says("Red.")]);
    expect(objectBytes).toBe(texts + measureImages([place(DARK, 1)]));
  });

  it("needs its file only in the first call that shows it", () => {
    const { session } = registryOf().start({});
    recordFirst(session);
    const second = prompt([1, 9, 9, 2, 3], place(DARK, 1));
    expect(recordTurn(session, { messages: NEXT }, { output: [says("ok")] }, second).images).toHaveLength(1);
    const begun = beginTurn(session, { messages: NEXT });
    begun.buildPrompt(prompt([1, 9, 9, 2, 3, 9, 9], place(DARK, 1), place(LIGHT, 5)));
    const { interactionCount } = session;
    expect(() => recordAnswer(begun, { output: [says("ok")] })).toThrow(`The file of image ${digestOf(LIGHT)}`);
    expect(session.interactionCount).toBe(interactionCount);
  });

  it("shares its object with the parent's call, and all of them if no image is new", () => {
    const { session } = registryOf().start({});
    const first = recordFirst(session);
    const same = recordTurn(
      session,
      { messages: NEXT },
      { output: [says("ok")] },
      prompt([1, 9, 9, 2, 3], place(DARK, 1)),
    );
    expect(same.images).toBe(first.images);
    const messages = [...NEXT, says("ok"), asks("And this?")];
    const more = prompt([1, 9, 9, 2, 3, 4, 9, 9], place(DARK, 1), place(LIGHT, 6));
    const third = recordTurn(session, { messages }, { output: [says("ok")], images: files }, more);
    expect(third.parent).toBe(same.index);
    expect(third.images?.[0]).toBe(first.images?.[0]);
    expect(third.images?.[1]).toEqual(place(LIGHT, 6));
  });

  it("must be in the prompt, after the one before it", () => {
    const begun = beginTurn(registryOf().start({}).session, { messages: FIRST });
    const build =
      (...images: readonly PlacedImage[]) =>
      () =>
        begun.buildPrompt(prompt([9, 9, 9, 9], ...images));
    expect(build(place(DARK, 0), place(LIGHT, 2))).not.toThrow();
    expect(build(place(DARK, 3))).toThrow(
      "images[0] must have tokens between 0 and 4; received offset 3 and length 2.",
    );
    expect(build(place(DARK, 0), place(LIGHT, 1))).toThrow("images[1] must have tokens between 2 and 4");
    expect(build(place(DARK, 0, 0))).toThrow("images[0]");
    expect(build(place(DARK, -1))).toThrow("images[0]");
  });
});

describe("the tokens of a prompt with another image than its parent's", () => {
  it("are not shared, although the token ids are equal, so that the call is a root", () => {
    const { session } = registryOf().start({});
    recordFirst(session, DARK);
    const blue = recordTurn(
      session,
      { messages: NEXT },
      { output: [says("Blue.")], images: files },
      prompt([1, 9, 9, 2, 3], place(LIGHT, 1)),
    );
    expect(blue.parent).toBe(-1);
    expect(session.tokens.interaction(blue.index).sharedTokens).toBe(0);
  });

  it("are not shared if the prompt continues the parent's tokens", () => {
    const { session } = registryOf().start({});
    recordFirst(session, DARK);
    const continued = {
      pieces: [Int32Array.of(3)],
      continues: { index: 0, rule: "continuation" } as const,
      images: [place(LIGHT, 1)],
    };
    const blue = recordTurn(session, { messages: NEXT }, { output: [says("Blue.")], images: files }, continued);
    expect([blue.parent, [...session.data.readSequence(blue.index)]]).toEqual([-1, [1, 9, 9, 2, 3]]);
  });

  it("are shared up to the first image that differs", () => {
    const { session } = registryOf().start({});
    recordFirst(session, DARK);
    const changed = prompt([1, 9, 9, 7, 9, 9], place(DARK, 1), place(LIGHT, 4));
    const next = recordTurn(session, { messages: NEXT }, { output: [says("Blue.")], images: files }, changed);
    expect([next.parent, session.tokens.interaction(next.index).sharedTokens]).toEqual([0, 3]);
  });

  it("are not shared if they end within the image", () => {
    const { session } = registryOf().start({});
    recordFirst(session, DARK);
    const changed = prompt([1, 9, 8, 2, 3], place(DARK, 1));
    expect(recordTurn(session, { messages: NEXT }, { output: [says("?")] }, changed).parent).toBe(-1);
  });
});

describe("the memory of image files", () => {
  it("is counted once for all sessions that show the same image, until the last of them is freed", () => {
    const registry = registryOf();
    const large = Uint8Array.from(makePng(400, 300, 1));
    const own = new Map([[digestOf(large), large]]);
    const sessions = [registry.start({}).session, registry.start({}).session];
    const before = registry.bytes;
    const sizes = sessions.map(({ data }) => data.size.bytes);
    const withoutFiles = sessions.map((session) => {
      // Another buffer with the same content, as each request has its own.
      const copies = new Map([...own].map(([sha256, bytes]) => [sha256, new Uint8Array(bytes)]));
      recordTurn(
        session,
        { messages: FIRST },
        { output: [says("?")], images: copies },
        prompt([9], place(large, 0, 1)),
      );
      return session.data.size.bytes - large.length;
    });
    expect(sessions[1]?.imageFile(digestOf(large))).toBe(sessions[0]?.imageFile(digestOf(large)));
    const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
    expect(registry.bytes - before).toBe(sum(withoutFiles) - sum(sizes) + large.length);
    sessions[0]?.free("expired");
    expect(sessions[1]?.imageFile(digestOf(large))).toEqual(large);
    expect(registry.bytes).toBe(sum(withoutFiles.slice(1)) + large.length);
    sessions[1]?.free("expired");
    expect(registry.bytes).toBe(0);
  });

  it("does not include the rest of a request's buffer", () => {
    const { session } = registryOf().start({});
    const request = new Uint8Array(1 << 20);
    request.set(DARK, 1000);
    const image = request.subarray(1000, 1000 + DARK.length);
    const images = new Map([[digestOf(DARK), image]]);
    recordTurn(session, { messages: FIRST }, { output: [says("?")], images }, prompt([9], place(DARK, 0, 1)));
    const kept = session.imageFile(digestOf(DARK));
    expect(kept?.buffer.byteLength).toBe(DARK.length);
    request.fill(0);
    expect(kept).toEqual(DARK);
  });

  it("is part of what a prompt adds, unless the session has the image", () => {
    const { session } = registryOf().start({});
    const measure = () => {
      const begun = beginTurn(session, { messages: FIRST });
      begun.buildPrompt(prompt([1, 9, 9, 2], place(DARK, 1)));
      return begun.measureGrowth(files).bytes - begun.measureGrowth().bytes;
    };
    expect(measure()).toBe(DARK.length);
    recordFirst(session);
    expect(measure()).toBe(0);
  });
});

describe("a trainer bridge", () => {
  const withImages = (images: readonly { offset: number; length: number; bytes: Uint8Array }[]) => ({
    ...turn([user("a")], [1, 9, 9, 2], [4, 5]),
    images,
  });

  it("records images by their bytes, of which the session reads type, size and digest", () => {
    const { session } = registryOf().start({});
    const bytes = new Uint8Array(DARK);
    new LocalSession(session).record(withImages([{ offset: 1, length: 2, bytes }]));
    bytes.fill(0);
    expect(session.interaction(0).images).toEqual([place(DARK, 1)]);
    expect(session.imageFile(digestOf(DARK))).toEqual(DARK);
  });

  it("gets `invalid_value` for bytes of no image, and for an image that is not in the prompt", () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    const refuse = (offset: number, bytes: Uint8Array) => () =>
      session.record(withImages([{ offset, length: 2, bytes }]));
    expect(refuse(1, Uint8Array.of(1, 2))).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        param: "images[0].bytes",
        message: "images[0].bytes must be an image: not a PNG, JPEG, GIF, WebP or BMP file.",
      }),
    );
    expect(refuse(3, DARK)).toThrow(expect.objectContaining({ code: "invalid_value", param: "images" }));
    expect(refuse(1, "png" as unknown as Uint8Array)).toThrow("images[0].bytes must be an instance of Uint8Array.");
    expect(session.interactionCount).toBe(0);
    session.record({ ...withImages([]), output: assistant("x") });
    expect(session.interactionCount).toBe(1);
  });
});
