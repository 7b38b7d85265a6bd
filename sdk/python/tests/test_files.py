"""Exports to files and tables."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from server import Fault, FaultProxy, Server

from trawl_client import ApiError, InvalidRequestError, Job, Trawl
from trawl_client.models import ProductItem

SHOP = "https://shop.lab.test/"


@pytest.fixture(scope="module")
def job(server: Server) -> Iterator[Job[ProductItem]]:
    with Trawl(server.url, server.key) as trawl:
        yield trawl.crawl(SHOP, "products")


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))


def test_name_of_the_file_selects_the_format(job: Job[ProductItem], tmp_path: Path) -> None:
    assert len(rows(job.download(tmp_path / "all.csv"))) == 25
    assert len(rows(job.download(tmp_path / "variants.csv", table="variants"))) > 25
    assert len(json.loads(job.download(tmp_path / "all.json").read_bytes())) == 25
    assert zipfile.is_zipfile(job.download(tmp_path / "all.xlsx"))
    assert job.download(tmp_path / "README", format="md").read_text().startswith("|")
    assert len(list(tmp_path.iterdir())) == 5


def test_raw_pages_are_a_web_archive(server: Server, tmp_path: Path) -> None:
    with Trawl(server.url, server.key) as trawl:
        job = trawl.crawl(SHOP, "links", formats=["raw_html"])
        archive = gzip.decompress(job.download(tmp_path / "site.warc.gz").read_bytes())
        assert archive.startswith(b"WARC/1.1\r\n")
        assert archive.count(b"WARC-Type: response\r\n") > 20
        assert zipfile.is_zipfile(job.download(tmp_path / "site.wacz"))
        plain = trawl.crawl(SHOP, "links")
        with pytest.raises(InvalidRequestError, match="raw_html"):
            plain.download(tmp_path / "none.wacz")


def test_unknown_format_is_refused_and_leaves_no_file(
    job: Job[ProductItem], tmp_path: Path
) -> None:
    with pytest.raises(InvalidRequestError, match="format"):
        job.download(tmp_path / "all.pdf")
    with pytest.raises(ValueError, match="no suffix"):
        job.download(tmp_path / "all")
    assert list(tmp_path.iterdir()) == []


def test_interrupted_download_starts_again(proxy: FaultProxy, tmp_path: Path) -> None:
    # Links begin with the public URL.
    server = Server(TRAWL_PUBLIC_URL=proxy.url)
    proxy.target = server.url
    try:
        with Trawl(proxy.url, server.key) as trawl:
            job = trawl.crawl(SHOP, "products")
            proxy.faults = [Fault("GET /downloads/", "cut")]
            file = job.download(tmp_path / "all.json")
    finally:
        server.remove()
    assert len(json.loads(file.read_bytes())) == 25
    assert [path.name for path in tmp_path.iterdir()] == ["all.json"]
    assert proxy.count("GET /downloads/") == 2


def test_link_is_valid_for_one_download(job: Job[ProductItem], tmp_path: Path) -> None:
    link = job.export("json")
    part = tmp_path / "part"
    job._fetch(link.url, part)
    with pytest.raises(ApiError) as caught:
        job._fetch(link.url, part)
    assert caught.value.code == "gone"


def test_results_become_a_table(job: Job[ProductItem]) -> None:
    table = job.to_pandas()
    assert len(table) == 25
    assert {"url", "name", "price", "currency", "variants"} <= set(table.columns)
    assert table[table["name"] == "Harbour Mug"].iloc[0]["currency"] == "EUR"
