import { controlBody } from "../http/control-body.js";
import { exportRuleFields } from "./batch-request.js";
import { selectionFields } from "./run-sessions.js";

export const SESSIONS_FILE = "application/vnd.rolltape.sessions";

export const sessionsBody = controlBody({ ...selectionFields, ...exportRuleFields });
