// Reads no more of a page than its HEAD, from a stream of Node.js: node stream.mjs URL
import { HeadReader } from "robots-policy";

export async function headOf(stream, options) {
  const reader = new HeadReader(options);
  // To leave the loop ends the stream.
  for await (const chunk of stream) {
    if (reader.feed(chunk)) break;
  }
  return reader.finish();
}

if (process.argv[2] !== undefined) {
  const response = await fetch(process.argv[2]);
  const { title, metas, consumed } = await headOf(response.body);
  console.log(`${title}: ${metas.length} METAs in ${consumed} bytes`);
}
