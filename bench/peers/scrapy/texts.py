"""Scrapy over one site with trafilatura: writes the URL, the title and the text of every page as
Markdown, one JSON object a line.

    python texts.py URL CONNECTIONS OUTPUT
"""

import sys

import scrapy
import trafilatura
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

URL, CONNECTIONS, OUTPUT = sys.argv[1], int(sys.argv[2]), sys.argv[3]


class Texts(scrapy.Spider):
    name = "texts"
    start_urls = [URL]
    extractor = LinkExtractor()

    def parse(self, response):
        text = trafilatura.extract(
            response.text,
            url=response.url,
            output_format="markdown",
            include_links=True,
            with_metadata=False,
        )
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "markdown": text,
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
process.crawl(Texts)
process.start()
