import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {composeAws, freePaths, hosted, three} from './hosted.ts';
import {behaviorFor, conceivableKeys, isOriginForm, keyInS3, viewsOf} from './origin-model.ts';
import {attempts} from './spellings.ts';
import type {WebAcl} from './template.ts';
import {evaluate, type WebRequest} from './waf-evaluator.ts';

const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';

// With names of fifty letters, few names fit into a regular expression, so one price needs several expressions.
const many = hosted(
  Object.fromEntries(Array.from({length: 120}, (_, at) => [`${'n'.repeat(50)}${at}`, `$0.${(at % 3) + 1}`])),
);

const resolvesBy = (keys: (target: string) => Iterable<string>, paid: ReadonlySet<string>) => (target: string) =>
  [...keys(target)].some(key => paid.has(key));

/** Returns the unpaid requests that reach a paid document. `reaches` says whether a target resolves to one. */
function leaks(acl: WebAcl, requests: readonly WebRequest[], reaches: (target: string) => boolean): WebRequest[] {
  return requests.filter(({method, target}) => {
    const verdicts = viewsOf(target).map(view => evaluate(acl, {method, target: view}));
    return (
      reaches(target) && verdicts.some(({action}) => action === 'Allow' || (action === 'Monetize' && method !== 'GET'))
    );
  });
}

for (const [name, site] of Object.entries({'one rule per path': three, 'one rule per price': many})) {
  const {Distribution, WebAcl} = composeAws(site).template.Resources;
  const config = Distribution.Properties.DistributionConfig;
  const acl = WebAcl.Properties;
  const paths = site.rules.map(({path}) => path);
  const paidKeys = new Set(paths.map(path => path.slice(1)));
  const inS3 = resolvesBy(target => [keyInS3(target, config)], paidKeys);
  const conceivably = resolvesBy(conceivableKeys, paidKeys);
  const tried = paths.slice(0, 3).flatMap(attempts);

  describe(`with ${name}`, () => {
    test('a plain GET of every paid path is answered with its price', () => {
      for (const path of paths) assert.equal(evaluate(acl, {method: 'GET', target: path}).action, 'Monetize', path);
    });

    test('at least 150 misspelled requests per path reach no paid document', () => {
      assert.ok(tried.length >= 3 * 150);
      assert.deepEqual(leaks(acl, tried, inS3), []);
    });

    test('misspelled requests reach no paid document if a server in between rewrites the path once more', () => {
      assert.ok(tried.filter(({target}) => conceivably(target)).length > 3 * 150);
      assert.deepEqual(leaks(acl, tried, conceivably), []);
    });

    test('only the exact path, with any query, is answered with a price', () => {
      const asked = tried.filter(request => evaluate(acl, request).action === 'Monetize');
      assert.deepEqual(new Set(asked.map(({target}) => target.split('?')[0])), new Set(paths.slice(0, 3)));
      assert.deepEqual(new Set(asked.map(({method}) => method)), new Set(['GET']));
    });

    test('other methods than GET are refused with 405, and the document is not read', () => {
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE', 'get']) {
        const verdict = evaluate(acl, {method, target: paths[0] ?? ''});
        assert.deepEqual(verdict, {action: 'Block', rule: 'paid-get-only', status: 405});
      }
    });

    test('paid documents are never cached, and free ones are', () => {
      for (const path of paths) assert.equal(behaviorFor(path, config).CachePolicyId, CACHING_DISABLED, path);
      for (const path of freePaths(site))
        assert.notEqual(behaviorFor(path, config).CachePolicyId, CACHING_DISABLED, path);
    });

    test('no query of the client reaches the bucket', () => {
      for (const one of [config.DefaultCacheBehavior, ...config.CacheBehaviors])
        assert.equal(one.OriginRequestPolicyId, undefined);
    });

    test('every free path is allowed, to GET and to HEAD', () => {
      for (const target of [...freePaths(site), '/api/v1/index.json.jws']) {
        assert.equal(evaluate(acl, {method: 'GET', target}).action, 'Allow', target);
        assert.equal(evaluate(acl, {method: 'HEAD', target}).action, 'Allow', target);
      }
    });

    test('every free path answers other methods with 405', () => {
      for (const target of freePaths(site))
        for (const method of ['OPTIONS', 'POST', 'DELETE']) {
          const verdict = evaluate(acl, {method, target});
          assert.deepEqual(verdict, {action: 'Block', rule: 'free-get-and-head', status: 405}, target);
        }
    });

    test('a path without a rule is blocked with 404', () => {
      for (const target of [
        '/api/v1/unknown',
        '/api/v1/samples/unknown',
        '/api/v2/softfail3',
        '/api/',
        '/api/v1/',
        '/api/v1/a-b',
        // The bucket can still contain the rows of an earlier build.
        '/api/v1/softfail3.csv',
        '/api/v1/softfail3.parquet',
      ]) {
        const verdict = evaluate(acl, {method: 'GET', target});
        assert.deepEqual(verdict, {action: 'Block', rule: 'unpriced', status: 404}, target);
      }
    });

    for (const rule of acl.Rules.map(({Name}) => Name)) {
      if (rule === 'paid-get-only') continue;
      test(`without the rule ${rule} nothing leaks`, () => {
        const without = {...acl, Rules: acl.Rules.filter(({Name}) => Name !== rule)};
        assert.deepEqual(
          leaks(
            without,
            paths.flatMap(path => ({method: 'GET', target: path})),
            inS3,
          ),
          [],
        );
        assert.deepEqual(
          leaks(
            without,
            tried.filter(({target}) => isOriginForm(target)),
            inS3,
          ),
          [],
        );
      });
    }

    test('without the rule paid-get-only the evaluator finds that HEAD leaks', () => {
      const without = {...acl, Rules: acl.Rules.filter(({Name}) => Name !== 'paid-get-only')};
      assert.notDeepEqual(leaks(without, tried, inS3), []);
    });

    test('without guard and transformation the evaluator finds that encoded paths leak', () => {
      const priced = acl.Rules.filter(({Action}) => Action?.Monetize);
      const text = JSON.stringify({...acl, Rules: priced}).replaceAll(/URL_DECODE|NORMALIZE_PATH/g, 'NONE');
      assert.notDeepEqual(leaks(JSON.parse(text) as WebAcl, tried, inS3), []);
    });
  });
}
