"""A client of the MCP server, of the protocol's official SDK: what it is told, as JSON.

Takes the mode to connect in and the command of the server; reads the calls to make on standard input.
"""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError, StdioServerParameters


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def answer(client, method, params):
    methods = {
        "tools": client.list_tools,
        "call": client.call_tool,
        "resources": client.list_resources,
        "templates": client.list_resource_templates,
        "read": client.read_resource,
    }
    try:
        return plain(await methods[method](**params))
    except MCPError as error:
        return {"error": {"code": error.error.code, "message": error.error.message}}


async def main(mode, command, *arguments):
    calls = json.load(sys.stdin)
    # The server finds its model as in any other test: the SDK would hand on little of the environment.
    server = StdioServerParameters(command=command, args=list(arguments), env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        told = {
            "protocol": client.protocol_version,
            "server": plain(client.server_info),
            "instructions": client.instructions,
            "capabilities": plain(client.server_capabilities),
            "answers": [await answer(client, method, params) for method, params in calls],
        }
    json.dump(told, sys.stdout)


asyncio.run(main(*sys.argv[1:]))
