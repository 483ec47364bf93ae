import {printableOutput} from '../../shared/printable.ts';
import type {Terminal} from './command.ts';

/** A stream on which nothing is hidden, whatever text of others a command writes: what cannot be seen is written as an escape. */
export function visibleOutput(stream: Terminal['out']): Terminal['out'] {
  return {write: text => stream.write(printableOutput(text))};
}
