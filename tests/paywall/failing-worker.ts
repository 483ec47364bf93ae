import worker, {LedgerObject as Ledger} from '../../paywall/hosts/worker.ts';

let isFailing = false;

/** The ledger of the Worker. All methods throw while `/fail` has switched failures on. */
export class LedgerObject extends Ledger {}
for (const method of Object.getOwnPropertyNames(Ledger.prototype)) {
  if (method === 'constructor') continue;
  const works = Reflect.get(Ledger.prototype, method) as (...asked: unknown[]) => unknown;
  Object.defineProperty(LedgerObject.prototype, method, {
    value(this: Ledger, ...asked: unknown[]) {
      if (isFailing) throw new Error('the object is overloaded');
      return works.apply(this, asked);
    },
  });
}

export default {
  ...worker,
  fetch(request: Request, env: Parameters<typeof worker.fetch>[1]): Response | Promise<Response> {
    const {pathname, search} = new URL(request.url);
    if (pathname !== '/fail') return worker.fetch(request, env);
    isFailing = search === '?yes';
    return new Response();
  },
};
