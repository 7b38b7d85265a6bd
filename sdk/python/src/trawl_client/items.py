"""Items of results: the model of each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import TrawlError
from .models import (
    ChangesPage,
    ContactItem,
    LinkItem,
    MarkdownItem,
    PageAnswer,
    ProductItem,
    ResultsPage,
    SitemapItem,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas

Item = LinkItem | SitemapItem | ProductItem | MarkdownItem | ContactItem

ITEM_TYPES: dict[str, type[Item]] = {
    "links": LinkItem,
    "sitemap": SitemapItem,
    "products": ProductItem,
    "markdown": MarkdownItem,
    "contacts": ContactItem,
}


def item_type(mode: str) -> type[Item]:
    """The model of the items of a mode."""
    if mode not in ITEM_TYPES:
        raise TrawlError(f"mode {mode!r} is unknown to this version: upgrade trawl-client")
    return ITEM_TYPES[mode]


def results_page(body: Any) -> ResultsPage:
    """A page of results, with items of the type of its mode."""
    kind = item_type(body["mode"])
    items = [kind.model_validate(item) for item in body["items"]]
    return ResultsPage.model_validate({**body, "items": items})


def page_answer(body: Any) -> PageAnswer:
    """A page that was read at once, with an item of the type of its mode."""
    item = body.get("item")
    parsed = None if item is None else item_type(body["mode"]).model_validate(item)
    return PageAnswer.model_validate({**body, "item": parsed})


def filter_query(conditions: Mapping[str, Any] | None) -> dict[str, Any]:
    """The query parameters of conditions such as `{"price[lt]": 20, "type": ["page", "image"]}`."""
    query = {}
    for condition, value in (conditions or {}).items():
        column, bracket, operator = condition.partition("[")
        query[f"filter[{column}]{bracket}{operator}"] = value
    return query


def changes_page(body: Any) -> ChangesPage:
    """A page of changes, with items of the type of its mode."""
    kind = item_type(body["mode"])

    def parsed(item: Any) -> Item | None:
        return None if item is None else kind.model_validate(item)

    items = [
        {**change, "before": parsed(change["before"]), "after": parsed(change["after"])}
        for change in body["items"]
    ]
    return ChangesPage.model_validate({**body, "items": items})


def to_pandas(items: Iterable[Item]) -> pandas.DataFrame:
    """A table of items: nested objects become columns as `company.name`, lists stay lists."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas: pip install 'trawl-client[pandas]'") from error
    return pandas.json_normalize([item.model_dump(mode="json") for item in items])
