import type {Progress} from '../../build/plan.ts';
import type {StatusLine} from '../terminal/status-line.ts';

/** Shows on a terminal how far a build is: how much of a long list is read, and how many sources are composed. */
export function progressOn(line: StatusLine): Progress {
  return {
    onRead({source, date, bytes: all}) {
      let done = 0;
      return bytes => {
        done += bytes;
        const percent = Math.floor((100 * done) / Math.max(all, 1));
        line.show(() => `${source} ${date}  ${percent} %  ${mebibytes(done)} of ${mebibytes(all)} MiB`);
      };
    },
    onComposed(done, of) {
      line.show(() => `${done} of ${of} sources`);
    },
  };
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
