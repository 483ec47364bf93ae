import type {Event} from '../../build/read/events.ts';
import type {Comparison} from './compare.ts';

/** What changes between two lists of events, which have no key: an event is its whole content, as often as it stands there. */
export function compareEvents(before: readonly Event[], after: readonly Event[]): Comparison {
  const [added, removed] = [beyond(after, before), beyond(before, after)];
  const shown = (events: readonly Event[]) => events.slice(0, 3).map(({type, payload}) => `${type} ${payload.sku}`);
  return {
    added: added.length,
    removed: removed.length,
    changed: 0,
    columns: {},
    moves: [],
    examples: {added: shown(added), removed: shown(removed), changed: []},
  };
}

/** The events of one list that the other has not, or not as often. */
function beyond(events: readonly Event[], others: readonly Event[]): Event[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(identity(other), (left.get(identity(other)) ?? 0) + 1);
  return events.filter(event => {
    const count = left.get(identity(event)) ?? 0;
    left.set(identity(event), count - 1);
    return count <= 0;
  });
}

function identity({type, payload}: Event): string {
  return `${type}\n${payload.sku}`;
}
