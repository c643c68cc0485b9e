import type { Robot as Interface } from "./robots-parser-types.js";

declare function robotsParser(url: string, robotstxt: string): robotsParser.Robot;

declare namespace robotsParser {
  export type Robot = Interface;
  export { robotsParser as default };
}

export = robotsParser;
