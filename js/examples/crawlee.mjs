// A crawl with crawlee that honours robots.txt, META tags, headers and Crawl-delay: node crawlee.mjs URL
//
// Needs `npm install @crawlee/cheerio robots-policy`.
import { CheerioCrawler, Configuration } from "@crawlee/cheerio";
import { CrawlRobots } from "robots-policy/crawlee";

const robots = new CrawlRobots("ExampleBot");
const crawler = new CheerioCrawler({
  preNavigationHooks: robots.preNavigationHooks,
  async requestHandler(context) {
    const decision = robots.decide(context);
    console.log(`${context.request.url}: index ${decision.index}, follow ${decision.follow}`);
    if (decision.mayIndex) await context.pushData({ url: context.request.url, title: context.$("title").text() });
    if (decision.mayFollow) await context.enqueueLinks();
  },
  failedRequestHandler({ request }, error) {
    console.log(error.code === "disallowed" ? error.message : `${request.url} failed: ${error.message}`);
  },
}, new Configuration({ persistStorage: false }));
await crawler.run([process.argv[2]]);
