import type {Json} from '../compute/kind.ts';

/** A part of a JSON document that is made when it is written: those of many products together would fill the memory. */
export function whenWritten(make: () => Json): Json {
  return {toJSON: make};
}
