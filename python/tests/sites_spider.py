"""A spider that visits the pages of some sites, for test_scrapy.py. It writes what it saw as JSON."""

import asyncio
import json

import scrapy


class SitesSpider(scrapy.Spider):
    name = "sites"

    def __init__(self, plan, report, **kwargs):
        super().__init__(**kwargs)
        #: The URLs of each step; the seconds to wait before each step after the first; the domains.
        self.steps, self.pause, self.allowed_domains = json.loads(plan)
        self.report = report
        self.seen, self.ignored, self.decisions, self.delays = [], {}, {}, {}

    async def start(self):
        for url in self.steps[0]:
            yield self.request(url)

    def request(self, url, step=0):
        return scrapy.Request(url, callback=self.parse, errback=self.failed, dont_filter=True, cb_kwargs={"step": step})

    async def next_step(self, url, step):
        """The requests of the next step that are for the same site."""
        following = self.steps[step + 1] if step + 1 < len(self.steps) else []
        urls = [next_url for next_url in following if next_url.split("/")[2] == url.split("/")[2]]
        if urls:
            await asyncio.sleep(self.pause)
        return [self.request(next_url, step + 1) for next_url in urls]

    async def parse(self, response, step):
        self.seen.append(response.url)
        if decision := response.meta.get("robots_policy"):
            self.decisions[response.url] = decision.to_dict()
        slot = self.crawler.engine.downloader.slots[response.meta["download_slot"]]
        self.delays.setdefault(response.meta["download_slot"], []).append(slot.delay)
        yield {"url": response.url}
        for link in response.css("a::attr(href)").getall():
            yield self.request(response.urljoin(link), len(self.steps))
        for request in await self.next_step(response.url, step):
            yield request

    async def failed(self, failure):
        url = failure.request.url
        self.ignored[url] = str(failure.value)
        if decision := failure.request.meta.get("robots_policy"):
            self.decisions[url] = decision.to_dict()
        for request in await self.next_step(url, failure.request.cb_kwargs["step"]):
            yield request

    def closed(self, reason):
        report = {
            "seen": self.seen,
            "ignored": self.ignored,
            "decisions": self.decisions,
            "delays": self.delays,
            "stats": self.crawler.stats.get_stats(),
            "reason": reason,
        }
        with open(self.report, "w", encoding="utf-8") as file:
            json.dump(report, file, default=str)
