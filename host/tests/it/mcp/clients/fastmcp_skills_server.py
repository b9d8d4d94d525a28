"""A server of FastMCP with the skills in a folder. Argument: the folder."""

import sys

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills.extension import SkillsExtension

server = FastMCP("skills")
provider = SkillsDirectoryProvider(sys.argv[1], experimental_skills=True)
server.add_provider(provider)
server.add_extension(SkillsExtension(providers=[provider]))
server.run(show_banner=False)
