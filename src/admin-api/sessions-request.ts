import { controlBody } from "../http/control-body.js";
import { exportRuleFields, sessionIds } from "./batch-request.js";

export const SESSIONS_FILE = "application/vnd.rolltape.sessions";

export const sessionsBody = controlBody({ session_ids: sessionIds, ...exportRuleFields });
