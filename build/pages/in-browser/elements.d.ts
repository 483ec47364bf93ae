// The elements that the script selects. They are written by `index.ts`, `product/*.ts` and `html/layout.ts`.

/** The id of an element that contains code. */
type CodeId = string & {readonly holds: 'code'};

interface ParentNode {
  querySelectorAll(selectors: '[data-as-of]'): NodeListOf<HTMLElement & {readonly dataset: {readonly asOf: string}}>;
  querySelectorAll(selectors: 'time[data-precise]'): NodeListOf<HTMLTimeElement>;
  querySelectorAll(
    selectors: 'button[data-copies]',
  ): NodeListOf<HTMLButtonElement & {readonly dataset: {readonly copies: CodeId}}>;
  querySelectorAll(selectors: 'input[type=search]'): NodeListOf<HTMLInputElement>;
  querySelectorAll(selectors: '#pages a'): NodeListOf<HTMLAnchorElement>;
}

interface HTMLElement {
  /** Every control that needs the script is in a paragraph that is hidden without it. */
  closest(selector: 'p'): HTMLParagraphElement;
}

interface Document {
  getElementById(elementId: CodeId | 'copy-status' | 'list' | 'found'): HTMLElement;
}
