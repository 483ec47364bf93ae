import type {Unit} from '../products/units.ts';
import {composeSource, type SourceResult} from './compose-source.ts';
import type {OnRead} from './contents.ts';
import type {Workplace} from './workplace.ts';

/** Composes units: in this thread, or in several. */
export interface Composer extends AsyncDisposable {
  /** How many units it works on at a time. */
  readonly atOnce: number;
  compose(unit: Unit): Promise<SourceResult>;
}

/** Composes in this thread, one unit after the other. */
export function inPlace(place: Workplace, onRead: OnRead): Composer {
  return {
    atOnce: 1,
    compose: unit => composeSource(place, unit, onRead),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}
