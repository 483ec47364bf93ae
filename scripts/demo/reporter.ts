import pc from '../terminal/colours.ts';
import {tableLines} from '../terminal/table.ts';

/** Prints a completed step: a heading, and lines of label and text. */
export type Report = (heading: string, lines: readonly Line[]) => void;

export type Line = readonly [label: string, text: string];

/** Returns a function that prints steps as numbered paragraphs. */
export function reporter(out: {write(text: string): unknown}): Report {
  let step = 0;
  return (heading, lines) => {
    const rows = lines.map(([label, text]) => [`  ${colourOf(label)(label)}`, text]);
    out.write([pc.bold(`${++step}  ${heading}`), ...tableLines(rows).map(line => ` ${line}`), '', ''].join('\n'));
  };
}

function colourOf(label: string): (text: string) => string {
  if (label.startsWith('✓') || label.startsWith('200')) return pc.green;
  if (label.startsWith('✗')) return pc.red;
  return label.startsWith('402') ? pc.yellow : pc.dim;
}
