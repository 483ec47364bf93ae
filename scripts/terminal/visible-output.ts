import {printableOutput} from '../../shared/printable.ts';
import type {Terminal} from './command.ts';

/** Wraps a stream so that control and invisible characters are written as escapes. */
export function visibleOutput(stream: Terminal['out']): Terminal['out'] {
  return {write: text => stream.write(printableOutput(text))};
}
