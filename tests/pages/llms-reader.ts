/** A link of `llms.txt`. */
export interface LlmsLink {
  readonly name: string;
  readonly url: string;
  readonly note?: string | undefined;
}

/**
 * Reads `llms.txt` by the grammar of llmstxt.org, as strictly as its parser: a title, a summary, and below each heading
 * only links, one per line. Throws at any other line.
 */
export function readLlms(text: string): {title: string; summary: string; sections: Map<string, LlmsLink[]>} {
  const [start = '', ...rest] = text.split(/^## *(.*)$/m);
  const {title = '', summary = ''} = /^# *(?<title>.+)\n+> *(?<summary>.+)\n+/.exec(start)?.groups ?? fail(start);
  const sections = new Map<string, LlmsLink[]>();
  for (let at = 0; at < rest.length; at += 2) sections.set(rest[at] ?? '', linksIn(rest[at + 1] ?? ''));
  return {title, summary, sections};
}

function linksIn(section: string): LlmsLink[] {
  return section
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const {name = '', url = '', note} = LINK.exec(line)?.groups ?? fail(line);
      return {name, url, note};
    });
}

const LINK = /^- *\[(?<name>[^\]]+)\]\((?<url>[^)]+)\)(?:: *(?<note>.*))?$/;

function fail(line: string): never {
  throw new Error(`is not allowed in llms.txt: ${line}`);
}
