"""LlamaIndex reader for Trawl."""

from llama_index.readers.trawl.base import TrawlReader

__all__ = ["TrawlReader"]
