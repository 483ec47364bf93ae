// What the script finds on a page: the elements that `index/article.ts`, `index/buying.ts` and `index.ts` write.

/** The id of an element that holds code. */
type CodeId = string & {readonly holds: 'code'};

interface ParentNode {
  querySelectorAll(selectors: '[data-as-of]'): NodeListOf<HTMLElement & {readonly dataset: {readonly asOf: string}}>;
  querySelectorAll(
    selectors: 'button[data-copies]',
  ): NodeListOf<HTMLButtonElement & {readonly dataset: {readonly copies: CodeId}}>;
}

interface Document {
  getElementById(elementId: CodeId | 'copy-status'): HTMLElement;
}
