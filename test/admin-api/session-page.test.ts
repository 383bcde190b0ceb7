import { describe, expect, it } from "vitest";
import { cutPage, formatCursor, sessionCursor } from "../../src/admin-api/session-page.js";

const session = (session_id: string, created_at: number) => ({ session_id, created_at });
const ids = (page: { readonly sessions: readonly { readonly session_id: string }[] }) =>
  page.sessions.map(({ session_id: id }) => id);

const SESSIONS = [session("c-10", 2), session("late", 3), session("c-9", 2), session("a", 1), session("c-8", 2)];

describe("a page of sessions", () => {
  it("lists the oldest first, and those of one millisecond in the order of their counters", () => {
    const page = cutPage(SESSIONS, { after: undefined, limit: 5 });
    expect(ids(page)).toEqual(["a", "c-8", "c-9", "c-10", "late"]);
    expect(page).toMatchObject({ has_more: false, next: null });
  });

  it("names the position after its last session if there are more", () => {
    const page = cutPage(SESSIONS, { after: undefined, limit: 3 });
    expect(page).toMatchObject({ has_more: true, next: "2000:c-9" });
    expect(ids(cutPage(SESSIONS, { after: sessionCursor.parse(page.next), limit: 3 }))).toEqual(["c-10", "late"]);
  });

  it("begins after a position whose session is gone", () => {
    const rest = SESSIONS.filter(({ session_id: id }) => id !== "c-9");
    expect(ids(cutPage(rest, { after: sessionCursor.parse("2000:c-9"), limit: 1 }))).toEqual(["c-10"]);
    expect(ids(cutPage(rest, { after: sessionCursor.parse("3000:late"), limit: 1 }))).toEqual([]);
  });

  it("may be empty", () => {
    expect(cutPage([], { after: undefined, limit: 0 })).toEqual({ sessions: [], has_more: false, next: null });
    expect(cutPage(SESSIONS, { after: undefined, limit: 0 })).toMatchObject({ has_more: false, next: null });
  });
});

describe("a cursor", () => {
  it("reads back what it was written from, also if the id has colons", () => {
    expect(sessionCursor.parse(formatCursor(session("a:b", 1.2345)))).toEqual({ milliseconds: 1235, id: "a:b" });
  });

  it.each(["", "5", ":a", "5:", "x:a", `${"1".repeat(17)}:a`, `1:${"a".repeat(513)}`])("is not %j", (text) => {
    expect(sessionCursor.safeParse(text).error?.issues[0]?.message).toBe("must be `next` of an earlier page");
  });
});
