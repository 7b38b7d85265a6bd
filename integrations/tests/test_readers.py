"""The LangChain loader and the LlamaIndex reader, with the real libraries."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_trawl import TrawlLoader
from llama_index.core.node_parser import SentenceSplitter
from llama_index.readers.trawl import TrawlReader
from trawl_client import JobFailedError, Trawl

DOCS = "https://docs.lab.test/"
GERMAN = {"preferred_language": "de"}
INTEGRATIONS = Path(__file__).resolve().parents[1]


def test_loader_returns_a_document_per_page_over_all_batches() -> None:
    documents = TrawlLoader(DOCS, options={"preferred_language": "de"}).load()
    assert len(documents) == 11
    assert all(isinstance(one, LangChainDocument) and one.page_content for one in documents)
    assert all(one.id == one.metadata["source"] for one in documents)
    assert {one.metadata["language"] for one in documents} == {"de"}
    assert None not in {value for one in documents for value in one.metadata.values()}


def test_loader_loads_asynchronously_and_from_an_existing_run() -> None:
    async def load(loader: TrawlLoader) -> set[str | None]:
        return {one.id async for one in loader.alazy_load()}

    with Trawl() as trawl:
        job = trawl.crawl(DOCS, "markdown", options={"sample_size": 3})
        links = trawl.crawl(DOCS, "links", options={"sample_size": 1})
    existing = TrawlLoader(job_id=job.id)
    assert len(asyncio.run(load(existing))) == 3
    assert asyncio.run(load(existing)) == {one.id for one in existing.lazy_load()}
    assert len(asyncio.run(load(TrawlLoader(DOCS, options={"sample_size": 2})))) == 2
    with pytest.raises(TypeError, match="mode markdown"):
        TrawlLoader(job_id=links.id).load()


def test_reader_returns_documents_that_are_split_into_nodes() -> None:
    reader = TrawlReader()
    documents = reader.load_data(DOCS, options=GERMAN)
    assert len(documents) == 11
    assert all(one.id_ == one.metadata["url"] and one.text for one in documents)
    nodes = SentenceSplitter(chunk_size=128, chunk_overlap=0).get_nodes_from_documents(documents)
    assert len(nodes) >= len(documents)
    assert {node.ref_doc_id for node in nodes} == {one.id_ for one in documents}
    some = asyncio.run(reader.aload_data(DOCS, options={"sample_size": 2}))
    assert len(some) == 2


def test_failed_run_and_missing_target_are_errors() -> None:
    nowhere = "https://shop.lab.test/nowhere"
    with pytest.raises(JobFailedError, match="no_data"):
        TrawlLoader(nowhere, scope={"one_page": True}).load()
    with pytest.raises(JobFailedError, match="no_data"):
        TrawlReader().load_data(nowhere, scope={"one_page": True})
    with pytest.raises(ValueError, match="job_id"):
        TrawlLoader()
    with pytest.raises(ValueError, match="job_id"):
        TrawlReader().load_data()


@pytest.mark.parametrize("page", ["langchain/README.md", "llama-index/README.md"])
def test_examples_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", (INTEGRATIONS / page).read_text(), re.DOTALL)
    assert examples
    for example in examples:
        exec(example, {})
    assert capsys.readouterr().out.strip()
