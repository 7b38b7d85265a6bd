"""Scrapy over one site: writes the URL and the title of every page, one JSON object a line.

    python links.py URL CONNECTIONS OUTPUT
"""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

URL, CONNECTIONS, OUTPUT = sys.argv[1], int(sys.argv[2]), sys.argv[3]


class Links(scrapy.Spider):
    name = "links"
    start_urls = [URL]
    extractor = LinkExtractor()

    def parse(self, response):
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "h1": response.css("h1::text").get(),
            "description": response.css("meta[name=description]::attr(content)").get(),
        }
        for link in self.extractor.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


process = CrawlerProcess(
    {
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": CONNECTIONS,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONNECTIONS,
        "DOWNLOAD_DELAY": 0,
        "TELNETCONSOLE_ENABLED": False,
        "FEEDS": {OUTPUT: {"format": "jsonlines", "overwrite": True}},
    }
)
process.crawl(Links)
process.start()
