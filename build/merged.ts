/**
 * The members of two objects in one. Where many shapes are met, V8 describes each `{...object}` anew, at three times its size;
 * what is kept of every product is made with this.
 */
export function merged<A extends object, B extends object>(first: A, second: B): Omit<A, keyof B> & B {
  return Object.assign({}, first, second);
}
