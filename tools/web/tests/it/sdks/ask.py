"""Asks services by their own SDKs. Reads a list of tests from the standard input, and writes what each of them led to.

A test is {"service": ..., "does": "search" or "read", "base": ..., "key": ..., "page": ...}. The result is the number of results, or the text of
the page, or the class of the exception.
"""

import json
import sys


def tavily(test):
    from tavily import TavilyClient

    client = TavilyClient(api_key=test["key"], api_base_url=test["base"])
    if test["does"] == "read":
        return client.extract([test["page"]], format="markdown")["results"][0]["raw_content"]
    return [(hit["title"], hit["url"], hit["content"]) for hit in client.search("x", max_results=7)["results"]]


def exa(test):
    from exa_py import Exa

    client = Exa(api_key=test["key"], base_url=test["base"])
    if test["does"] == "read":
        return client.get_contents([test["page"]], text=True).results[0].text
    hits = client.search("x", num_results=7, contents={"highlights": True}).results
    return [(hit.title, hit.url, hit.published_date, hit.highlights) for hit in hits]


def firecrawl(test):
    from firecrawl import Firecrawl

    client = Firecrawl(api_key=test["key"], api_url=test["base"])
    if test["does"] == "read":
        return client.scrape(test["page"], formats=["markdown"], only_main_content=True).markdown
    return [(hit.title, hit.url, hit.description) for hit in client.search("x", limit=7).web]


def serpapi(test):
    import serpapi
    from serpapi.http import HTTPClient

    HTTPClient.BASE_DOMAIN = test["base"]
    answer = serpapi.Client(api_key=test["key"]).search(engine="google", q="x", num=7)
    return [(hit["title"], hit["link"], hit["snippet"], hit["date"]) for hit in answer["organic_results"]][:7]


def parallel(test):
    from parallel import Parallel

    client = Parallel(api_key=test["key"], base_url=test["base"], max_retries=0)
    settings = {"max_results": 7}
    hits = client.search(search_queries=["x"], objective="x", mode="basic", advanced_settings=settings).results
    return [(hit.title, hit.url, hit.publish_date, hit.excerpts) for hit in hits]


def xai(test):
    from openai import OpenAI

    client = OpenAI(api_key=test["key"], base_url=test["base"] + "/v1", max_retries=0)
    question = [{"role": "user", "content": "x"}]
    answer = client.responses.create(model="grok-4-1-fast", input=question, tools=[{"type": "web_search"}])
    [text] = [part for item in answer.output if item.type == "message" for part in item.content]
    return [(cited.title, cited.url, text.text[: cited.start_index]) for cited in text.annotations][:7]


SERVICES = {"tavily": tavily, "exa": exa, "firecrawl": firecrawl, "serpapi": serpapi, "parallel": parallel, "xai": xai}


def run(test):
    try:
        result = SERVICES[test["service"]](test)
    except Exception as error:
        message = " ".join(str(error).split())
        return {"error": type(error).__name__, "message": message[:200]}
    if isinstance(result, str):
        return {"text": result}
    complete = all(all(field for field in hit) for hit in result)
    return {"results": len(result), "complete": complete}


json.dump([run(test) for test in json.load(sys.stdin)], sys.stdout)
