"""A spider that follows all links of the fixture sites, for test_scrapy.py. It writes what it saw as JSON."""

import json

import scrapy


class FixtureSpider(scrapy.Spider):
    name = "fixtures"

    async def start(self):
        for url in self.urls.split():
            yield scrapy.Request(url, meta={"handle_httpstatus_all": True})

    def parse(self, response):
        self.seen = [*getattr(self, "seen", []), response.url]
        yield {"url": response.url, "index": response.meta["robots_policy"].index}
        if isinstance(response, scrapy.http.HtmlResponse):
            for link in response.css("a::attr(href)").getall():
                if link.startswith(("http:", "/")) or ":" not in link:
                    yield response.follow(link, meta={"handle_httpstatus_all": True})

    def closed(self, reason):
        slots = self.crawler.engine.downloader.slots
        report = {
            "seen": self.seen,
            "stats": self.crawler.stats.get_stats(),
            # Scrapy before 2.19 has `randomize_delay`.
            "slots": {key: [slot.delay, getattr(slot, "jitter", None) or slot.randomize_delay] for key, slot in slots.items()},
            "reason": reason,
        }
        with open(self.report, "w", encoding="utf-8") as file:
            json.dump(report, file, default=str)
