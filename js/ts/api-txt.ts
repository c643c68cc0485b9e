export type { ErrorCode } from "./error.js";
export { RobotsError } from "./error.js";
export type { Change, Changes, Dialect, PathVerdict, RequestRate, Robot, Rule, Verdict } from "./robots-txt.js";
export { nameOfUserAgent, RobotsTxt, Rules } from "./robots-txt.js";
