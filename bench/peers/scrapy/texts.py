"""Scrapy over one site with trafilatura: writes the URL, the title and the text of every page as
Markdown, one JSON object a line.

    python texts.py URL CONNECTIONS OUTPUT
"""

import trafilatura
from one_site import OneSite, run


class Texts(OneSite):
    def item(self, response):
        return {
            "url": response.url,
            "title": response.css("title::text").get(),
            "markdown": trafilatura.extract(
                response.text,
                url=response.url,
                output_format="markdown",
                include_links=True,
                with_metadata=False,
            ),
        }


run(Texts)
