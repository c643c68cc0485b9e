/** A robots.txt, with the interface of the package robots-parser. */
export interface Robot {
  /** Undefined if the URL is of another origin than the file. */
  isAllowed(url: string, ua?: string): boolean | undefined;
  /** True for a URL of another origin, too. */
  isDisallowed(url: string, ua?: string): boolean | undefined;
  /** -1 if no line decides. */
  getMatchingLineNumber(url: string, ua?: string): number;
  getCrawlDelay(ua?: string): number | undefined;
  getSitemaps(): string[];
  getPreferredHost(): string | null;
}
