/** The kind of an error: what a program can act on. */
export type ErrorCode =
  /** A wrong type or value: the message names it. */
  | "invalid_argument"
  /** Not the name of a robot, such as a whole User-Agent value. */
  | "invalid_robot"
  | "invalid_dialect"
  | "invalid_profile"
  /** A URL without an origin. */
  | "invalid_url"
  /** An object was used after it was disposed, or a reader after its end. */
  | "disposed"
  /** An argument is larger than 64 MiB, or there is no memory for it. */
  | "too_large"
  | "out_of_memory"
  /** `init` was not called, or what it was given is not the module of this version. */
  | "not_ready"
  /**
   * The engine failed, or the stack of JavaScript ended in a call of it. Objects that it held are lost; new ones use a new engine.
   */
  | "poisoned"
  /** robots.txt does not allow a request: thrown by the hooks for crawlee. */
  | "disallowed";

/** The error of this package. */
export class RobotsError extends Error {
  override readonly name = "RobotsError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
