import assert from 'node:assert/strict';
import {mkdir, open, readdir, readFile, rename, rm, symlink, writeFile, type FileHandle} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {describe, test} from 'node:test';
import type {Offer} from '../../scripts/package/buy.ts';
import {makeFolders} from '../../shared/make-folders.ts';
import {retryAfterOf} from '../../buyer/buy/send.ts';
import {encoded} from '../paywall/forge.ts';
import {baseUrl} from '../paywall/fixture-site.ts';
import {altering, fetchAt, newAccount, newFolder, openForAll, path, type Stall} from './stall.ts';

describe('a buyer', () => {
  let stall: Stall;
  openForAll(opened => (stall = opened));

  test('stores a document with receipt and payment requirements, and does not pay again for a stored document', async () => {
    const {gate, site, account} = stall;
    const settled = stall.facilitator.submitted.length;
    const bought = await stall.buyer().buy(gate.url, 'softfail3');
    assert.match(bought.folder, /127\.0\.0\.1_\d+\/softfail3\/2026-05-01T000000\.000Z-[0-9a-f]{8}$/);
    assert.equal(await readFile(join(bought.folder, 'document.json'), 'utf8'), site.files.get(path));
    const read = async (name: string) =>
      JSON.parse(await readFile(join(bought.folder, name), 'utf8')) as Record<string, unknown>;
    const [receipt, terms] = [await read('receipt.json'), await read('terms.json')];
    assert.deepEqual([receipt['payer'], receipt['amount']], [account.address, '20000']);
    assert.deepEqual([terms['site'], terms['name'], terms['price']], [gate.url, 'softfail3', '$0.02']);
    assert.deepEqual(await stall.buyer().buy(gate.url + path), {kind: 'owned', folder: bought.folder});
    assert.deepEqual(
      (await stall.buyer().owned()).map(({name, folder}) => [name, folder]),
      [['softfail3', bought.folder]],
    );
    await mkdir(join(stall.folder, '.git/objects/ab'), {recursive: true});
    assert.equal((await stall.buyer().owned()).length, 1);
    const file = join(bought.folder, 'terms.json');
    await writeFile(file, JSON.stringify({...terms, price: 'free'}));
    await assert.rejects(stall.buyer().owned(), /terms\.json.* cannot be read/);
    await writeFile(file, JSON.stringify(terms));
    assert.equal(stall.facilitator.submitted.length, settled + 1);
    assert.deepEqual(await states(), ['closed']);
    assert.doesNotMatch(await readFile(join(stall.folder, 'payments.json'), 'utf8'), /header/);
  });

  test('downloads a document that its wallet bought on another machine, pays once, and does not pay if that is unknown', async () => {
    const buy = (fetcher = fetchAt(stall)) => stall.buyer({fetch: fetcher}).buy(baseUrl, 'softfail3');
    const {submitted} = stall.facilitator;
    const settled = submitted.length;
    const {kind, transaction} = await buy();
    assert.equal(kind, 'bought');
    stall.folder = await newFolder();
    const signedIn =
      (change: (answer: Response) => Response) => async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
        const answer = await fetchAt(stall)(input, init);
        return new Headers(init?.headers).has('SIGN-IN-WITH-X') ? change(answer) : answer;
      };
    const lost = () => assert.fail('cut off');
    await assert.rejects(buy(signedIn(lost)), (error: Error) => {
      assert.match(error.message, /gave no complete answer: .*Nothing was paid/);
      assert.equal(((error.cause as Error).cause as Error).message, 'cut off');
      return true;
    });
    await assert.rejects(buy(signedIn(() => new Response('', {status: 503}))), /answers 503\. Nothing was paid/);
    await assert.rejects(buy(signedIn(() => new Response('{}'))), /Nothing was paid/);
    // A proxy repeats a request whose answer it lost, but each challenge can be used only once.
    const repeated: typeof fetch = async (input, init) => {
      if (new Headers(init?.headers).has('SIGN-IN-WITH-X')) await (await fetchAt(stall)(input, init)).text();
      return fetchAt(stall)(input, init);
    };
    await assert.rejects(buy(repeated), /answers 409[^\n]*\. Nothing was paid now/);
    const again = await buy();
    assert.deepEqual([again.kind, again.transaction], ['again', transaction]);
    assert.equal(await readFile(join(again.folder, 'document.json'), 'utf8'), stall.site.files.get(path));
    assert.deepEqual((await buy()).kind, 'owned');
    stall.folder = await newFolder();
    // A sign-in for another address is not signed, so this would be paid twice.
    const alias: typeof fetch = (input, init) =>
      fetchAt(stall)(typeof input === 'string' ? input.replace('www.', '') : input, init);
    await assert.rejects(
      stall.buyer({fetch: alias}).buy('https://www.snapshots.example', 'softfail3'),
      /www\.\S+ is a document of https:\/\/snapshots\.example\. Nothing was paid$/,
    );
    assert.equal(submitted.length, settled + 1);
    await assert.rejects(stall.payments(), /ENOENT/);
  });

  test('that was cut off does not pay for a document that its wallet bought on another machine meanwhile', async () => {
    const settled = stall.facilitator.submitted.length;
    const here = stall.folder;
    const buy = (fetcher: typeof fetch) => stall.buyer({fetch: fetcher}).buy(baseUrl, 'softfail3');
    const unpaid: typeof fetch = input => fetchAt(stall)(input); // without the payment
    await assert.rejects(buy(unpaid), /was refused/);
    stall.folder = await newFolder();
    assert.equal((await buy(fetchAt(stall))).kind, 'bought');
    stall.folder = here;
    const [payment] = await stall.payments();
    const over = {...payment, header: encoded('{}'), validBefore: 1};
    await writeFile(join(here, 'payments.json'), JSON.stringify({payments: [over]}));
    assert.equal((await buy(fetchAt(stall))).kind, 'again');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
    assert.deepEqual(await states(), ['closed']);
  });

  test('reports that a bought document has changed since', async () => {
    const {folder} = await stall.buyer().buy(stall.gate.url, 'softfail3');
    await writeFile(join(folder, 'document.json'), '{}');
    await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), /is not the document that was bought/);
  });

  test('shows everything without a wallet, and signs nothing', async () => {
    const {offer, owned, limitFaults} = await stall.buyer({account: undefined}).look(stall.gate.url, 'softfail3');
    assert.deepEqual([offer.entry.price, owned, limitFaults], ['$0.02', undefined, []]);
    assert.match(Buffer.from(offer.sample).toString(), /Soft Fail 3 Sample/);
    await assert.rejects(stall.buyer({account: undefined}).buy(stall.gate.url, 'softfail3'), /wallet is missing/);
    assert.deepEqual(await readdir(stall.folder), []);
  });

  test('refuses purchases above its limits, also over several runs', async () => {
    await assert.rejects(
      stall.buyer({max: '$0.01'}).buy(stall.gate.url, 'softfail3'),
      /is more than \$0\.01, the maximum price of a document/,
    );
    const small = {budget: '$0.03'};
    assert.equal((await stall.buyer(small).buy(stall.gate.url, 'softfail3')).kind, 'bought');
    await assert.rejects(
      stall.buyer(small).buy(stall.gate.url, 'firstlastsame'),
      /price "\$0\.02" exceeds the rest of \$0\.03.*\$0\.02 were signed today/,
    );
    assert.equal((await stall.buyer({budget: '$0.04'}).buy(stall.gate.url, 'firstlastsame')).kind, 'bought');
  });

  test('counts the payments of today if the clock was set back and corrected', async t => {
    const small = {budget: '$0.03'};
    assert.equal((await stall.buyer(small).buy(stall.gate.url, 'softfail3')).kind, 'bought');
    t.mock.timers.enable({apis: ['Date'], now: Date.now() - 86_400_000});
    await assert.rejects(stall.buyer(small).buy(stall.gate.url, 'firstlastsame'), /\$0\.02 were signed today/);
    t.mock.timers.reset();
    assert.equal((await stall.buyer(small).budgetStatus()).left, 10_000);
  });

  test('signs nothing that the site would refuse because of a wrong clock', async t => {
    for (const [seconds, says] of [
      [-3600, /clock of this machine is 60 minutes behind that of the site/],
      [115, /clock of this machine is 2 minutes ahead of that of the site/],
      [604, /clock of this machine is 10 minutes ahead of that of the site/],
    ] as const) {
      t.mock.timers.enable({apis: ['Date'], now: Date.now() + seconds * 1000});
      await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), says);
      t.mock.timers.reset();
    }
    const {open, left} = await stall.buyer().budgetStatus();
    assert.deepEqual([open, left], [[], 10_000_000]);
    assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'bought');
  });

  test('requests consent again before it signs, and pays nothing without it', async () => {
    const settled = stall.facilitator.submitted.length;
    const refuse = ({entry}: Offer) => assert.fail(`not ${entry.paid.sha256}`);
    await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3', refuse), /not [0-9a-f]{64}/);
    await assert.rejects(
      stall.buyer().buy(stall.gate.url, 'softfail3', () => Promise.resolve(false)),
      /was not agreed to/,
    );
    assert.equal(stall.facilitator.submitted.length, settled);
    const all = {max: 1_000_000, budget: 10_000_000, left: 10_000_000, open: []};
    assert.deepEqual(await stall.buyer().budgetStatus(), all);
    await stall.buyer().buy(stall.gate.url, 'softfail3', () => undefined);
    assert.deepEqual(await stall.buyer().budgetStatus(), {...all, left: 9_980_000});
    assert.equal((await stall.buyer({budget: '$0.01'}).budgetStatus()).left, 0);
  });

  test('makes concurrent purchases one after the other', async () => {
    const one = stall.buyer();
    const kinds = await Promise.all([1, 2, 3].map(async () => (await one.buy(stall.gate.url, 'softfail3')).kind));
    assert.deepEqual(kinds, ['bought', 'owned', 'owned']);
    const both = await Promise.allSettled(
      [stall.buyer(), stall.buyer()].map(each => each.buy(stall.gate.url, 'webhookbundle')),
    );
    assert.deepEqual(both.map(({status}) => status).sort(), ['fulfilled', 'rejected']);
  });

  test('refuses a record of payments that it does not understand', async () => {
    for (const [text, says] of [
      ['{', /payments\.json is not JSON, so it is not known what was paid/],
      ['null', /payments\.json is not of type object, so it is not known what was paid/],
      ['{"payments": [{}]}', /payments\.json: payments\[0\]\.site is missing, so it is not known what was paid/],
    ] as const) {
      await writeFile(join(stall.folder, 'payments.json'), text);
      await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), says);
    }
  });

  test('continues with a folder of an earlier build, which did not remember payees', async () => {
    await stall.buyer().buy(stall.gate.url, 'softfail3');
    const [name = ''] = await readdir(join(stall.folder, 'seen'));
    const file = join(stall.folder, 'seen', name);
    const {payees, ...earlier} = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify(earlier));
    assert.equal((await stall.buyer().buy(stall.gate.url, 'firstlastsame')).kind, 'bought');
    const {payees: remembered} = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    assert.deepEqual(remembered, payees);
  });

  test('reports an error of the disk, and signs nothing that it could not store', async () => {
    const settled = stall.facilitator.submitted.length;
    await mkdir(join(stall.folder, 'payments.json.new'));
    await assert.rejects(
      stall.buyer().buy(stall.gate.url, 'softfail3'),
      /payments\.json\.new cannot be read or written \(EISDIR\)/,
    );
    assert.equal(stall.facilitator.submitted.length, settled);
    const file = join(stall.folder, 'file');
    await writeFile(file, '');
    await assert.rejects(stall.buyer({folder: file}).buy(stall.gate.url, 'softfail3'), /cannot be locked/);
    // Cannot be created although the parent exists.
    for (const folder of ['', ...(process.platform === 'linux' ? ['/proc/bought'] : [])])
      assert.throws(
        () => {
          makeFolders(folder);
        },
        {code: 'ENOENT'},
      );
    await assert.rejects(
      stall.buyer({folder: file}).look(stall.gate.url, 'softfail3'),
      /seen\/\w+\.json cannot be read \(ENOTDIR\)/,
    );
  });

  test('buys on a file system that cannot flush folders, and reports other errors of flushing', async t => {
    const handle = await open(stall.folder);
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    let code = 'EIO';
    t.mock.method(handles, 'sync', async function (this: FileHandle) {
      if ((await this.stat()).isDirectory()) throw Object.assign(new Error(code), {code, syscall: 'fsync'});
      await this.datasync();
    });
    await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), /cannot be read or written \(EIO\)/);
    for (code of ['EINVAL', 'EBADF', 'ENOTSUP']) {
      stall.folder = await newFolder();
      stall.account = newAccount();
      assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'bought', code);
    }
  });

  test('pays nothing if the folder for the document cannot be written', async () => {
    const settled = stall.facilitator.submitted.length;
    const above = join(stall.folder, new URL(stall.gate.url).host.replace(':', '_'));
    const refused = () =>
      assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), /cannot be written \(E\w+\)\. Nothing was paid$/);
    await writeFile(above, '');
    await refused();
    await rm(above);
    await mkdir(above);
    // Not even root can create a folder in it.
    await symlink('/proc', join(above, 'softfail3'));
    if (process.platform === 'linux') await refused();
    assert.equal(stall.facilitator.submitted.length, settled);
    await assert.rejects(stall.payments(), /ENOENT/);
  });

  test('finds a document in a folder that was moved and replaced by a link', async () => {
    const {folder} = await stall.buyer().buy(stall.gate.url, 'softfail3');
    const product = dirname(folder);
    for (const moved of [folder, product, dirname(product)]) {
      const elsewhere = join(await newFolder(), 'moved');
      await rename(moved, elsewhere);
      await symlink(elsewhere, moved, 'junction');
      assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'owned', moved);
    }
    await symlink(join(folder, 'document.json'), join(stall.folder, 'link-to-a-file'));
    await symlink('link-to-itself', join(stall.folder, 'link-to-itself'));
    assert.equal((await stall.buyer().owned()).length, 1);
  });

  test('reports that it has paid if the document cannot be written, and continues', async () => {
    const settled = stall.facilitator.submitted.length;
    const inTheWay = join(stall.folder, new URL(stall.gate.url).host.replace(':', '_'));
    const blocking: typeof fetch = async (input, init) => {
      if (new Headers(init?.headers).has('PAYMENT-SIGNATURE')) {
        await rm(inTheWay, {recursive: true});
        await writeFile(inTheWay, '');
      }
      return fetch(input, init);
    };
    const refused = stall.buyer({fetch: blocking}).buy(stall.gate.url, 'softfail3');
    await assert.rejects(refused, /cannot be read or written.*\n.*was paid, but cannot be saved/);
    await rm(inTheWay);
    const full: typeof fetch = async (input, init) => {
      if (new Headers(init?.headers).has('PAYMENT-SIGNATURE')) await mkdir(join(stall.folder, 'payments.json.new'));
      return fetch(input, init);
    };
    const unrecorded = stall.buyer({fetch: full}).buy(stall.gate.url, 'softfail3');
    await assert.rejects(unrecorded, /payments.*cannot be read or written.*\n.*was paid, but cannot be saved/);
    await rm(join(stall.folder, 'payments.json.new'), {recursive: true});
    assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'owned');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
  });

  test('reports that a payment may be charged if the answer to it is not that of a gate', async () => {
    for (const status of [204, 304, 404, 429]) {
      const proxied: typeof fetch = async (input, init) => {
        const answer = await fetch(input, init);
        return new Headers(init?.headers).has('PAYMENT-SIGNATURE') ? new Response(null, {status}) : answer;
      };
      await assert.rejects(
        stall.buyer({fetch: proxied}).buy(stall.gate.url, 'softfail3'),
        new RegExp(`answers ${status}\\. The payment may have gone through$`),
      );
    }
    assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'bought');
  });

  test('sends a payment again if a host asks to retry at a time or now', async () => {
    const settled = stall.facilitator.submitted.length;
    const busy = ['0', 'Wed, 21 Oct 2015 07:28:00 GMT'];
    const limited: typeof fetch = (input, init) => {
      const retry = new Headers(init?.headers).has('PAYMENT-SIGNATURE') ? busy.pop() : undefined;
      if (retry === undefined) return fetch(input, init);
      return Promise.resolve(new Response(null, {status: 429, headers: {'Retry-After': retry}}));
    };
    assert.equal((await stall.buyer({fetch: limited}).buy(stall.gate.url, 'softfail3')).kind, 'bought');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
    const headers = {Date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'Retry-After': 'Wed, 21 Oct 2015 07:28:07 GMT'};
    assert.equal(retryAfterOf(new Headers(headers)), 7);
  });

  test('refuses invalid options, and does not show an invalid key', () => {
    const key = `0x${'f'.repeat(64)}`;
    assert.throws(
      () => stall.buyer({account: undefined, key}),
      /^TypeError: key is not a private key of 64 hexadecimal digits$/,
    );
    assert.throws(() => stall.buyer({max: '5 cents'}), /5 cents is not an amount such as \$0\.05/);
    assert.throws(() => stall.buyer({folder: ''}), /^TypeError: folder is missing$/);
    assert.throws(() => stall.buyer({siteKey: 'zz'}), /zz is not the kid or x of the key of a site/);
  });

  test('reports a web page in place of a document, such as that of a network with a login', async () => {
    const page = () => new Response('<html>Log in', {headers: {'Content-Type': 'text/html; charset=utf-8'}});
    await assert.rejects(
      stall.buyer({fetch: altering(page)}).look(stall.gate.url, 'softfail3'),
      /index\.json answers with a web page, not with this document$/,
    );
  });

  test('names the target of a redirect, and pays nothing', async () => {
    const settled = stall.facilitator.submitted.length;
    const url = stall.gate.url;
    const catalogue = '/api/v1/index.json';
    const advice = 'If that is the site you want, use https://www.shop.example as its address';
    for (const [at, status, location, reported] of [
      [
        catalogue,
        308,
        `https://www.shop.example${catalogue}`,
        `/index.json (308), and redirects are not followed. ${advice}`,
      ],
      [catalogue, 301, `https://u:s3cret@www.shop.example${catalogue}?t=s3cret`, advice],
      [path, 302, `https://www.shop.example${path}`, advice],
      [
        catalogue,
        307,
        `http://www.shop.example${catalogue}`,
        'redirects to http://www.shop.example/api/v1/index.json (307)',
      ],
      [catalogue, 302, '/login', `redirects to ${url}/login (302), and redirects are not followed`],
      [path, 303, 'https://shop.example/login', 'redirects to https://shop.example/login (303)'],
      [catalogue, 301, 'https://', 'answers 301, not 200'],
      [catalogue, 304, `https://www.shop.example${catalogue}`, 'answers 304, not 200'],
    ] as const) {
      const fetcher = altering((asked, answer) =>
        asked === at ? new Response(null, {status, headers: {Location: location}}) : answer,
      );
      await assert.rejects(stall.buyer({fetch: fetcher}).buy(url, 'softfail3'), (error: Error) => {
        assert.ok(error.message.includes(reported), error.message);
        assert.equal(error.message.includes('.example as its'), reported.endsWith(advice));
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    }
    assert.equal(stall.facilitator.submitted.length, settled);
  });

  test('accepts all forms of an address', async () => {
    const {url} = stall.gate;
    for (const [address, name, reported] of [
      ['http://snapshots.example', 'softfail3', /is not https/],
      ['ftp://snapshots.example', 'softfail3', /is not the address of a site/],
      [
        'https://u:p@snapshots.example',
        'softfail3',
        /^InputError: https:\/\/snapshots\.example\/? has a user name or password/,
      ],
      [`${url}/?utm_source=x`, 'softfail3', /has a query or fragment, /],
      [`${url}/elsewhere`, 'softfail3', /is neither the origin/],
      [
        `${url}/api/v1/samples/softfail3.json`,
        undefined,
        /is neither the origin of a site nor the address of a document, /,
      ],
      [`${url}${path}.csv`, undefined, /products do not include softfail3\.csv: softfail3 is sold as softfail3$/],
      [url, 'softfail3-1', /products do not include softfail3-1: softfail3 is sold as softfail3$/],
      [
        url,
        'nothing.csv',
        /The catalogue does not list nothing\.csv. The names are softfail3, firstlastsame, webhookbundle$/,
      ],
      [url + path, 'webhookbundle', /is not the address of webhookbundle/],
      [url, undefined, /sells several products/],
      [url, 'nothing', /The catalogue does not list nothing/],
    ] as const)
      await assert.rejects(stall.buyer().buy(address, name), reported);
  });

  async function states(): Promise<string[]> {
    return (await stall.payments()).map(({state}) => state);
  }
});
