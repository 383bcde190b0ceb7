import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { turn, user } from "../helpers/turn.js";

/** Returns a tensor file with one session of one turn. */
export async function oneBatch(): Promise<Buffer> {
  using store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s" });
  session.record(turn([user("a")], [1, 2], [3]));
  session.end();
  using batch = await store.exportBatch(["s"]);
  return Buffer.from(batch.bytes);
}
