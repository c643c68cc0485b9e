import { camel } from "./camel.js";
import { engine } from "./engine.js";
import type { Dialect } from "./robots-txt.js";

/** A known robot: the documentation of its vendor. */
export interface KnownRobot {
  readonly token: string;
  readonly operator: string;
  readonly profile: string | null;
  readonly purposes: readonly string[];
  readonly obeys: string;
  readonly otherTokens: readonly string[];
  readonly or: readonly string[];
  readonly obeysStar: boolean;
  readonly metaNames: readonly string[];
  readonly metaIgnored: readonly string[];
  readonly crawls: boolean;
  readonly crawlDelay: boolean | null;
  readonly names: readonly string[];
  readonly hosts: readonly string[];
  readonly contact: string | null;
  readonly about: string;
  readonly source: string | null;
  readonly basis: string;
  /** The day on which the source was read. */
  readonly read: string | null;
}

/** A built-in profile: the rules by which an engine decides. */
export interface Profile {
  readonly name: string;
  readonly about: string;
  /** The name of the default robot. */
  readonly agent: string;
  readonly dialect: Dialect;
  readonly robots: readonly string[];
}

/** Returns the known robots. */
export function robots(): KnownRobot[] {
  return engine().json<object[]>("robots_known", 0).map(camel<KnownRobot>);
}

/** Returns the built-in profiles, the neutral one first. */
export function profiles(): Profile[] {
  return engine().json("robots_profiles", 0);
}
