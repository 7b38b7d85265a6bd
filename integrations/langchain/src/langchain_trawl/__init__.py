"""LangChain document loader for Trawl."""

from langchain_trawl.loader import TrawlLoader

__all__ = ["TrawlLoader"]
