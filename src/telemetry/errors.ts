import { CodedError } from "../support/coded-error.js";

/** The configured telemetry cannot run. */
export class TelemetryError extends CodedError<"telemetry_unavailable"> {}
