import {isatty} from 'node:tty';
import pc from 'picocolors';
import type {Tell} from './steps.ts';

/** Tells the steps as numbered paragraphs: coloured on a terminal that wants it (`NO_COLOR`), plain elsewhere. */
export function teller(output: typeof process.stdout): Tell {
  const colours = pc.createColors(wantsColour(output));
  let step = 0;
  return (heading, lines) => {
    const width = Math.max(...lines.map(([label]) => label.length));
    const number = String(++step);
    output.write(`${colours.bold(`${number}  ${heading}`)}\n`);
    for (const [label, text] of lines) output.write(`   ${colour(label.padEnd(width))}  ${text}\n`);
    output.write('\n');
  };

  function colour(label: string): string {
    if (label.startsWith('✓') || label.startsWith('200')) return colours.green(label);
    if (label.startsWith('✗')) return colours.red(label);
    return label.startsWith('402') ? colours.yellow(label) : colours.dim(label);
  }
}

/** Not left to picocolors, which colours pipes too where `CI` is set. */
function wantsColour(output: typeof process.stdout): boolean {
  return isatty(output.fd) && output.hasColors();
}
