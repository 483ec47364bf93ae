import type {Progress} from '../../build/source/compose-units.ts';
import {meter} from '../terminal/meter.ts';
import type {StatusLine} from '../terminal/status-line.ts';

/** Shows on a terminal how far a build is: how much of a long list is read, and how many sources are composed. */
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
