"""Reduces the OpenAPI document to the schemas from which the SDKs generate their models.

    prepare_openapi.py models|bodies|types < openapi.json > reduced.json

`models` keeps the schemas of the responses under `/v1`, `bodies` those of the request bodies and of
the query parameters, `types` the operations under `/v1` with all of their schemas.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

METHODS = ("get", "put", "post", "delete", "patch", "head")

# Schemas that no operation names: data of server-sent events, deliveries of webhooks, errors.
ADDED = ("JobProgress", "Event", "Problem")

# Limits are checked by the server, which names the field. A client that checks them too rejects
# what a newer server accepts.
LIMITS = (
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "example",
    "examples",
    "if",
    "then",
)


def references(node: Any) -> Iterator[str]:
    """The names of the schemas that a node refers to."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield str(value).rsplit("/", 1)[1]
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def closure(roots: set[str], schemas: dict[str, Any]) -> set[str]:
    """The given schemas and all that they refer to."""
    found: set[str] = set()
    waiting = sorted(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(references(schemas[name]))
    return found


def plain(node: Any) -> Any:
    """A schema without limits and without examples; `date-time` is the only kept format."""
    if isinstance(node, list):
        return [plain(value) for value in node]
    if not isinstance(node, dict):
        return node
    reduced = {}
    for key, value in node.items():
        is_limit = key in LIMITS or (key == "additionalProperties" and value is False)
        is_format = key == "format" and value != "date-time"
        is_null = key == "default" and value is None
        if key == "properties":
            reduced[key] = {name: plain(schema) for name, schema in value.items()}
        elif not (is_limit or is_format or is_null):
            reduced[key] = plain(value)
    return reduced


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a query parameter: it is omitted instead of null."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return {**schema, "type": next(one for one in kind if one != "null")}
    return schema


def query_schema(operation: dict[str, Any]) -> dict[str, Any] | None:
    """The query parameters of an operation as one object."""
    named = [one for one in operation.get("parameters", []) if one["in"] == "query"]
    names = {one["name"] for one in named}
    # Iterators manage the position. `from` cannot be a keyword argument of Python: methods have it
    # and `to` as arguments of their own.
    own = {"page", "offset"} | ({"from", "to"} if "from" in names else set())
    if operation["operationId"] in ("list_audit", "get_usage") or not names:
        return None
    named = [one for one in named if one["name"] not in own]
    properties = {}
    for parameter in named:
        schema = dict(without_null(parameter["schema"]))
        if "description" in parameter and "$ref" not in schema:
            schema["description"] = parameter["description"]
        properties[parameter["name"]] = schema
    return {
        "type": "object",
        "description": f"Query parameters of `{operation['operationId']}`.",
        "required": [one["name"] for one in named if one.get("required")],
        "properties": properties,
    }


def named_branches(schemas: dict[str, Any]) -> None:
    """Gives a name to each inline object of a `oneOf`, after its first required member."""
    for name in sorted(schemas):
        for at, branch in enumerate(schemas[name].get("oneOf", [])):
            if branch.get("type") == "object" and branch.get("required"):
                own = pascal(branch["required"][0]) + name
                schemas[own] = branch
                schemas[name]["oneOf"][at] = {"$ref": f"#/components/schemas/{own}"}


def pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def reduce(document: dict[str, Any], what: str) -> dict[str, Any]:
    schemas: dict[str, Any] = dict(document["components"]["schemas"])
    paths = {path: item for path, item in document["paths"].items() if path.startswith("/v1/")}
    operations = [item[method] for item in paths.values() for method in METHODS if method in item]
    if what != "types":
        named_branches(schemas)
        schemas["OtherEventData"] = {
            "type": "object",
            "description": "Data of `webhook.test`, and of events that this version does not know.",
            "properties": {},
        }
        other = {"$ref": "#/components/schemas/OtherEventData"}
        schemas["EventData"]["oneOf"].append(other)
    roots: set[str] = set()
    if what == "bodies":
        create = schemas["CreateJob"]
        # The arguments of `start` besides mode and target, which are arguments with a name.
        schemas["JobOptions"] = {
            "type": "object",
            "description": "Members of a job request besides its mode and its target.",
            "properties": {
                name: schema
                for name, schema in create["properties"].items()
                if name not in ("mode", "url", "domains", "urls")
            },
        }
        roots.add("JobOptions")
        for name, body in (("ReadOptions", "ReadPage"), ("MapOptions", "CreateMap")):
            members = schemas[body]["properties"].items()
            schemas[name] = {
                "type": "object",
                "description": f"Members of `{body}` besides the URL.",
                "properties": {member: schema for member, schema in members if member != "url"},
            }
            roots.add(name)
        for operation in operations:
            roots.update(references(operation.get("requestBody", {})))
            # Free-form: an object of any members, not the two that have a meaning.
            schemas["External"] = {"type": "object", "additionalProperties": True}
            query = query_schema(operation)
            if query is not None:
                name = pascal(operation["operationId"]) + "Query"
                schemas[name] = query
                roots.add(name)
    else:
        roots.update(ADDED)
        for operation in operations:
            roots.update(references(operation["responses"]))
            if what == "types":
                roots.update(references(operation))
    keep = closure(roots, schemas)
    clean = {name: schemas[name] for name in sorted(keep)}
    if what != "types":
        clean = plain(clean)
        paths = {}
    kept = {**document["components"], "schemas": clean}
    return {
        "openapi": document["openapi"],
        "info": document["info"],
        "paths": paths,
        "components": kept if what == "types" else {"schemas": clean},
    }


if __name__ == "__main__":
    json.dump(reduce(json.load(sys.stdin), sys.argv[1]), sys.stdout, indent=1)
