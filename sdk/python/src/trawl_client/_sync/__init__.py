# Generated from ../_async by scripts/generate-sdk-models. Do not edit.

"""The asynchronous client. `_sync` is generated from this folder by scripts/generate-sdk-models."""
