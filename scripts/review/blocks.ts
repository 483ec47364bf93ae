import type {Words} from './words.ts';

/** A piece of the review, the same for a terminal and for Markdown. */
export type Block =
  | {readonly type: 'heading'; readonly level: 1 | 2 | 3; readonly words: Words; readonly tone?: Tone}
  | {readonly type: 'paragraph'; readonly words: Words; readonly tone?: Tone}
  | {readonly type: 'list'; readonly items: readonly Item[]}
  | {readonly type: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Words[])[]}
  | {readonly type: 'lines'; readonly title: Words; readonly lines: readonly Line[]};

export interface Item {
  readonly words: Words;
  readonly tone: Tone;
}

/** A line of data that came, went or changed; `…` counts what is not shown. */
export interface Line {
  readonly sign: '+' | '-' | '~' | '…';
  readonly text: string;
}

export type Tone = 'broken' | 'warning' | 'fine' | 'quiet';
