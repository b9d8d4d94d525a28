"""A client of FastMCP: lists the skills of a server, and reads and checks all files. Argument: the address."""

import asyncio
import base64
import hashlib
import sys

from fastmcp import Client
from fastmcp.skills import SkillsClientExtension


async def main():
    async with Client(sys.argv[1], extensions=[SkillsClientExtension()]) as client:
        for skill in await client.list_skills():
            assert await client.get_skill(skill.uri) == skill
            for file in skill.resources:
                content = (await client.read_resource(file.uri))[0]
                data = content.text.encode() if hasattr(content, "text") else base64.b64decode(content.blob)
                assert len(data) == file.size, file
                assert "sha256:" + hashlib.sha256(data).hexdigest() == file.digest, file
            print(skill.frontmatter.name, len(skill.resources))


asyncio.run(main())
