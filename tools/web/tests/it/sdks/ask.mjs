// Asks services without SDKs of their own by clients that others wrote. What it reads and writes is that of `ask.py`.

import { BraveSearchClient } from "@agentic/brave-search";
import { SearxngClient } from "@agentic/searxng";
import { SerperClient } from "@agentic/serper";

const services = {
  brave: async ({ base, key }) => {
    const client = new BraveSearchClient({ apiKey: key, apiBaseUrl: base });
    const answer = await client.search({ query: "x", count: 7 });
    return answer.web.results.map((hit) => [hit.title, hit.url, hit.description, hit.page_age]);
  },
  searxng: async ({ base }) => {
    const client = new SearxngClient({ apiBaseUrl: base });
    const answer = await client.search({ query: "x" });
    return answer.results.slice(0, 7).map((hit) => [hit.title, hit.url, hit.content]);
  },
  serper: async ({ base, key }) => {
    const client = new SerperClient({ apiKey: key, apiBaseUrl: base });
    const answer = await client.search({ q: "x", num: 7 });
    return answer.organic.slice(0, 7).map((hit) => [hit.title, hit.link, hit.snippet]);
  },
};

async function run(test) {
  try {
    const hits = await services[test.service](test);
    return { results: hits.length, complete: hits.every((hit) => hit.every((field) => field)) };
  } catch (error) {
    return { error: error.constructor.name, message: String(error.message) };
  }
}

let input = "";
for await (const chunk of process.stdin) input += chunk;
console.log(JSON.stringify(await Promise.all(JSON.parse(input).map(run))));
