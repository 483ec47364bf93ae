import type {BlockContent, ListItem, PhrasingContent, Root} from 'mdast';
import {toMarkdown} from 'mdast-util-to-markdown';

/** Text in which nothing is markup: the library escapes what would be. */
export function text(value: string): PhrasingContent {
  return {type: 'text', value};
}

export function link(words: string, url: string): PhrasingContent {
  return {type: 'link', url, children: [text(words)]};
}

export function code(value: string): PhrasingContent {
  return {type: 'inlineCode', value};
}

export function heading(depth: 1 | 2, words: string): Root['children'][number] {
  return {type: 'heading', depth, children: [text(words)]};
}

export function paragraph(...children: PhrasingContent[]): BlockContent {
  return {type: 'paragraph', children};
}

export function quote(words: string): BlockContent {
  return {type: 'blockquote', children: [paragraph(text(words))]};
}

export function list(items: readonly (readonly PhrasingContent[])[]): BlockContent {
  const children: ListItem[] = items.map(item => ({
    type: 'listItem',
    spread: false,
    children: [paragraph(...item)],
  }));
  return {type: 'list', ordered: false, spread: false, children};
}

/** The blocks as a Markdown document. */
export function markdown(children: Root['children']): string {
  return toMarkdown({type: 'root', children}, {bullet: '-'});
}
