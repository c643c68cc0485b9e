export * from "./api-txt.js";
export type { HeaderLines, Moment } from "./argument.js";
export type { Directive, HeadEnd, HeadOptions, Meta, PageFacts } from "./head.js";
export { HeadReader, readHead } from "./head.js";
export type { Finding, LintOptions } from "./lint.js";
export { lintPage, lintRobotsTxt } from "./lint.js";
export type { KnownRobot, Profile } from "./lists.js";
export { profiles, robots } from "./lists.js";
export type {
  AiUse, DecisionJson, PageResponse, Permission, PolicyOptions, Reason, RobotsOutcome, Source, Warning,
} from "./policy.js";
export { Decision, Policy } from "./policy.js";
