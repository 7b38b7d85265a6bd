"""Crawls one site with Scrapy: the common part of all measurements."""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class OneSite(scrapy.Spider):
    """Follows every link of the site; `item` returns the record of a page."""

    name = "one_site"
    extractor = LinkExtractor()

    def parse(self, response):
        yield self.item(response)
        for link in self.extractor.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


def run(spider):
    """Runs a spider by the arguments URL CONNECTIONS OUTPUT."""
    url, connections, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    process = CrawlerProcess(
        {
            "LOG_LEVEL": "ERROR",
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": connections,
            "CONCURRENT_REQUESTS_PER_DOMAIN": connections,
            "DOWNLOAD_DELAY": 0,
            "TELNETCONSOLE_ENABLED": False,
            "FEEDS": {output: {"format": "jsonlines", "overwrite": True}},
        }
    )
    process.crawl(spider, start_urls=[url])
    process.start()
