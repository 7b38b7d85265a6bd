// Lines {"url", "file"} to lines {"url", "markdown"}, by Defuddle and Turndown.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { gfm } from '@joplin/turndown-plugin-gfm';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

// The libraries log to the console, which is used for results here.
console.log = console.info = console.warn = console.error = () => {};
const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
turndown.use(gfm);

for await (const line of createInterface({ input: process.stdin })) {
  const { url, file } = JSON.parse(line);
  let bytes = readFileSync(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes);
  let markdown = '';
  try {
    const { document } = parseHTML(bytes.toString('utf8'));
    const found = await Defuddle(document, url);
    markdown = turndown.turndown(parseHTML(`<html><head></head><body>${found.content ?? ""}</body></html>`).document.body);
  } catch {
    // A page that fails gives an empty result.
  }
  process.stdout.write(JSON.stringify({ url, markdown }) + '\n');
}
