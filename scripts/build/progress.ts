import type {Progress} from '../../build/source/compose-groups.ts';
import {meter} from '../terminal/meter.ts';
import type {StatusLine} from '../terminal/status-line.ts';

/** Shows the progress of a build on the terminal: bytes read of a long list, and the number of composed sources. */
export function progressOn(line: StatusLine): Progress {
  return {
    onRead({source, date, bytes: all}) {
      const show = meter(line, `${source} ${date}`, all);
      let done = 0;
      return bytes => {
        show((done += bytes));
      };
    },
    onComposed(done, of) {
      line.show(() => `${done} of ${of} sources`);
    },
  };
}
