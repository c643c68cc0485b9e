// Reads the robots.txt files of a WARC archive: responses without transfer coding.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Returns `{ url, body }` of each response of an archive. */
export function* responses(path) {
  const bytes = gunzipSync(readFileSync(path));
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf("\r\n\r\n", start);
    const head = bytes.toString("latin1", start, end);
    const size = Number(/^Content-Length: (\d+)/im.exec(head)[1]);
    const block = bytes.subarray(end + 4, end + 4 + size);
    if (/^WARC-Type: response/im.test(head)) {
      const body = block.indexOf("\r\n\r\n");
      const fields = block.toString("latin1", 0, body);
      yield { url: /^WARC-Target-URI: (\S+)/im.exec(head)[1], fields, body: block.subarray(body + 4) };
    }
    start = end + 4 + size + 4;
  }
}
