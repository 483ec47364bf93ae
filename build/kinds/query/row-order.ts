import {FUNCTIONS} from './allowed.ts';
import {small, type SyntaxNode} from './syntax.ts';

const followers = new Set(FUNCTIONS.filter(group => group.follows).flatMap(({names}) => names));
/** The sum of values that are cast to one of these is exact. */
const EXACT = /^(DECIMAL|(U?(TINY|SMALL|BIG|HUGE)INT)|U?INTEGER)$/;
const LIMITS = /^LIMIT(_PERCENT)?_MODIFIER$/;

/**
 * True if the result of a statement could depend on the order in which its tables store their rows: it has a window, an aggregate that
 * follows the order of rows, a sum of doubles, a LIMIT in a subquery, or another part of which this is known.
 */
export function mayFollowRowOrder(node: SyntaxNode): boolean {
  const {modifiers = [], ...others} = node;
  // The modifiers of a whole statement put all its rows in a total order before they limit them.
  const inner = (modifiers as readonly SyntaxNode[]).map(modifier =>
    LIMITS.test(String(modifier['type'])) ? {...modifier, type: ''} : modifier,
  );
  return follows({...others, modifiers: inner});
}

function follows(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(follows);
  const node = value as SyntaxNode;
  return isFollower(node) || Object.values(node).some(follows);
}

function isFollower(node: SyntaxNode): boolean {
  const {class: kind, type, ref_type: join, column_names: names, distinct_on_targets: distinctOn} = node;
  return (
    kind === 'WINDOW' ||
    // A collation has texts that differ be equal.
    kind === 'COLLATE' ||
    (kind === 'FUNCTION' && isFollowingCall(node)) ||
    LIMITS.test(String(type)) ||
    type === 'RECURSIVE_CTE_NODE' ||
    type === 'PIVOT' ||
    join === 'POSITIONAL' ||
    join === 'ASOF' ||
    (Array.isArray(distinctOn) && distinctOn.length > 0) ||
    (Array.isArray(names) && small(String(names.at(-1))) === 'rowid')
  );
}

function isFollowingCall({function_name: called, children}: SyntaxNode): boolean {
  const name = small(String(called));
  if (!followers.has(name)) return false;
  const [argument] = children as readonly (SyntaxNode | undefined)[];
  const type = argument?.['cast_type'] as {readonly id?: string} | undefined;
  return !(name === 'sum' && EXACT.test(type?.id ?? ''));
}
