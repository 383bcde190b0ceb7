import { Rejection } from "./rejection.js";

/** The rollout worker has lost the lease of the task. Another attempt may go on with the session, so it must stay as it is. */
export class LostLease extends Rejection {
  constructor() {
    super("episode_aborted", "The lease of this task was lost.");
  }
}
