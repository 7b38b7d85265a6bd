"""Scrapy over one site: writes the URL and the title of every page, one JSON object a line.

    python links.py URL CONNECTIONS OUTPUT
"""

from one_site import OneSite, run


class Links(OneSite):
    def item(self, response):
        return {
            "url": response.url,
            "title": response.css("title::text").get(),
            "h1": response.css("h1::text").get(),
            "description": response.css("meta[name=description]::attr(content)").get(),
        }


run(Links)
