import type {IAsyncProperty} from 'fast-check';

/** Something that is given made-up input again and again. One file in `targets/` each, whose default export it is. */
export interface Target {
  readonly name: string;
  /** Opens what the runs need; the property throws where an input is not dealt with well. */
  open(): Promise<Opened>;
}

export interface Opened extends AsyncDisposable {
  readonly property: IAsyncProperty<unknown[]>;
}

/** Something that needs nothing but its property. */
export function opened(property: IAsyncProperty<unknown[]>): Opened {
  return {property, [Symbol.asyncDispose]: () => Promise.resolve()};
}
